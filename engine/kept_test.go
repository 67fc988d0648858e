package engine

import (
	stdsql "database/sql"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/bench/readings"
	"pfsd/engine/kept"
	"pfsd/engine/plancache"
	"pfsd/tables"
)

// keptTexts are statements whose plans are kept.
var keptTexts = []string{
	"SELECT 1",
	"SELECT THREAD_ID, NAME FROM performance_schema.threads",
	"SELECT THREAD_ID, NAME FROM performance_schema.threads WHERE THREAD_ID > 0 AND TYPE = 'BACKGROUND' ORDER BY THREAD_ID DESC LIMIT 3",
	"SELECT NAME FROM performance_schema.setup_instruments WHERE NAME LIKE 'wait/synch/mutex/sql/%' OR ENABLED = 'x' ORDER BY NAME",
	"SELECT ENABLED, COUNT(*), MAX(NAME) FROM performance_schema.setup_instruments GROUP BY ENABLED HAVING COUNT(*) > 1",
	"SELECT t.NAME, w.EVENT_NAME FROM performance_schema.events_waits_current w JOIN performance_schema.threads t USING (THREAD_ID)",
	"SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM performance_schema.setup_actors) d",
	"SELECT 1 + 2 * 3, 7 / 2, NULLIF(3, 3), CONCAT('a', 'b')",
	"SELECT NAME, ROW_NUMBER() OVER (PARTITION BY ENABLED ORDER BY NAME) FROM performance_schema.setup_consumers",
	keptJoin,
}

// keptJoin has the rows of a derived table kept while it is carried out.
const keptJoin = "SELECT o.OBJECT_NAME, d.n FROM performance_schema.setup_objects o LEFT JOIN (SELECT OBJECT_SCHEMA, COUNT(*) AS n " +
	"FROM performance_schema.setup_objects GROUP BY OBJECT_SCHEMA) d ON d.OBJECT_SCHEMA = o.OBJECT_SCHEMA WHERE o.OBJECT_SCHEMA = 'kept' ORDER BY o.OBJECT_NAME"

// TestKeptReadings: the plans of what monitoring asks are kept, and are as they were before they were used.
func TestKeptReadings(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	mustRun(t, s, "USE performance_schema")
	for _, q := range readings.All("1", "wait/synch/mutex/sql/LOCK_thd_list") {
		if q.Name == "global_status" || q.Name == "global_variables" { // which may have a condition
			continue
		}
		for range 3 {
			sessionRows(t, s, q.Text)
		}
		kept := r.keptOf(q.Text)
		if len(kept) != 1 {
			t.Errorf("%s: %d plans are kept", q.Text, len(kept))
			continue
		}
		before, uses := fingerprint(kept[0].Node), r.kept.Counts().Hits
		sessionRows(t, s, q.Text)
		if r.kept.Counts().Hits == uses {
			t.Errorf("%s: its plan is not used again", q.Text)
		}
		sameFingerprint(t, q.Text, fingerprint(kept[0].Node), before)
	}
}

// TestKeptPlansKeepNoRows: what a plan keeps while it is carried out is gone when it is carried out again.
func TestKeptPlansKeepNoRows(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	writer := r.session(t) // whose variables change with what it does
	var want []string
	for i := range 6 {
		if rows := sessionRows(t, s, keptJoin); !slices.Equal(rows, want) {
			t.Errorf("got %q, want %q", rows, want)
		}
		mustRun(t, writer, fmt.Sprintf("INSERT INTO performance_schema.setup_objects VALUES ('TABLE', 'kept', 'kept%d', 'YES', 'YES')", i))
		want = nil
		for j := range i + 1 {
			want = append(want, fmt.Sprintf("kept%d|%d", j, i+1))
		}
	}
	if r.kept.Counts().Hits == 0 {
		t.Error("no plan has been used again")
	}
}

// TestKeptProcessList: what SHOW PROCESSLIST shows is up to who asks and to the variables of now.
func TestKeptProcessList(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	mustRun(t, s, "CREATE USER reader IDENTIFIED BY ''")
	const q = "SHOW PROCESSLIST"
	reader, err := stdsql.Open("mysql", "reader@tcp("+r.addr+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := reader.Ping(); err != nil {
		t.Fatal(err)
	}
	users := func(rows []string) string {
		all := map[string]bool{}
		for _, row := range rows {
			all[strings.Split(row, "|")[1]] = true
		}
		return strings.Join(slices.Sorted(maps.Keys(all)), " ")
	}
	for _, table := range []string{"OFF", "ON", "OFF"} {
		mustRun(t, s, "SET GLOBAL performance_schema_show_processlist = "+table)
		for range 4 {
			if got := users(sessionRows(t, s, q)); got != "event_scheduler reader root" && got != "reader root" {
				t.Errorf("with the table %s root sees %s", table, got)
			}
			conn, err := reader.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := users(sessionRows(t, &sqlSession{conn: conn}, q)); got != "reader" {
				t.Errorf("with the table %s reader sees %s", table, got)
			}
			_ = conn.Close()
		}
	}
	if r.kept.Counts().Hits == 0 {
		t.Error("no plan has been used again")
	}
}

// TestKeptPlans: plans of statements that come again are kept, say the same as new ones, and are as they were before they were used.
func TestKeptPlans(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	for _, q := range keptTexts {
		var want []string
		for i := range 5 {
			before := r.kept.Counts().Hits
			var prints []string
			for _, p := range r.keptOf(q) {
				prints = append(prints, fingerprint(p.Node))
			}
			got := sessionRows(t, s, q)
			if i == 0 {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, time %d:\n got %q\nwant %q", q, i, got, want)
			}
			if i >= 2 && r.kept.Counts().Hits == before {
				t.Errorf("%s: its plan is not used again", q)
			}
			for j, p := range r.keptOf(q) {
				if j >= len(prints) {
					continue
				}
				sameFingerprint(t, q, fingerprint(p.Node), prints[j])
			}
		}
	}
}

func sameFingerprint(t *testing.T, q, now, before string) {
	t.Helper()
	if now == before {
		return
	}
	at := 0
	for at < min(len(now), len(before)) && now[at] == before[at] {
		at++
	}
	at = max(0, at-200)
	t.Errorf("%s: its plan has changed while it was used\n got %.400s\nwant %.400s", q, now[at:], before[at:])
}

// keptOf are the idle plans of a text.
func (r *running) keptOf(text string) (all []*plancache.Plan) {
	var shape kept.Shape
	shape.Read(text)
	return r.kept.Idle(func(key plancache.Key) bool {
		return key.Text == text || key.Kind == plancache.ShapeKey && key.Text == string(shape.Key)
	})
}

func sessionRows(t *testing.T, s *sqlSession, q string) (all []string) {
	t.Helper()
	rows, err := s.conn.QueryContext(t.Context(), q)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	for rows.Next() {
		cells, dest := make([]*string, len(columns)), make([]any, len(columns))
		for i := range cells {
			dest[i] = &cells[i]
		}
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		var row []string
		for _, c := range cells {
			if c == nil {
				row = append(row, "NULL")
			} else {
				row = append(row, *c)
			}
		}
		all = append(all, strings.Join(row, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	return all
}

// fingerprint is all that a plan holds, fields that nobody else sees included, but for the tables and what else belongs to the server.
func fingerprint(n sql.Node) string {
	var b strings.Builder
	seen := map[unsafe.Pointer]bool{}
	var print func(v reflect.Value, depth int)
	print = func(v reflect.Value, depth int) {
		switch v.Kind() {
		case reflect.Pointer:
			p := v.UnsafePointer()
			name := v.Type().String()
			if v.IsNil() || seen[p] || strings.Contains(name, "provider") || name == "*sysschema.Server" || strings.Contains(name, "instr.") || name == "*engine.table" || strings.Contains(name, "memory.") ||
				strings.Contains(name, "sync.") || strings.Contains(name, "engine.database") {
				fmt.Fprintf(&b, "%s ", name)
				return
			}
			seen[p] = true
			print(v.Elem(), depth+1)
		case reflect.Interface:
			if !v.IsNil() {
				print(v.Elem(), depth+1)
			}
		case reflect.Struct:
			fmt.Fprintf(&b, "%s{", v.Type())
			if !strings.HasPrefix(v.Type().String(), "sync.") && v.Type() != reflect.TypeFor[sql.DescribeStats]() { // which count, for EXPLAIN ANALYZE
				for i := range v.NumField() {
					if name := v.Type().Field(i).Name; v.Type() == reflect.TypeFor[plan.LookupBuilder]() && (name == "key" || name == "rang") {
						continue // which each lookup makes anew
					}
					print(v.Field(i), depth+1)
				}
			}
			b.WriteString("} ")
		case reflect.Slice, reflect.Array:
			fmt.Fprintf(&b, "[%d ", v.Len())
			for i := range v.Len() {
				print(v.Index(i), depth+1)
			}
			b.WriteString("] ")
		case reflect.Map:
			fmt.Fprintf(&b, "map %d ", v.Len())
		case reflect.Func, reflect.Chan, reflect.UnsafePointer:
			fmt.Fprintf(&b, "%s %v ", v.Type(), v.IsNil())
		default:
			fmt.Fprintf(&b, "%v ", v)
		}
	}
	print(reflect.ValueOf(n), 0)
	return b.String()
}

// TestKeptPlansDependOnTheirKeys: what a plan depends on makes another plan of the same text, and what is asked for when a plan is made
// is asked for when it is used.
func TestKeptPlansDependOnTheirKeys(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	warm := func(q string) {
		t.Helper()
		for range 3 {
			sessionRows(t, s, q)
		}
	}
	want := func(q string, want ...string) {
		t.Helper()
		if got := sessionRows(t, s, q); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", q, got, want)
		}
	}
	warm("SELECT 'a' || 'b'")
	want("SELECT 'a' || 'b'", "0")
	mustRun(t, s, "SET sql_mode = 'PIPES_AS_CONCAT'")
	want("SELECT 'a' || 'b'", "ab")
	mustRun(t, s, "SET sql_mode = DEFAULT")
	want("SELECT 'a' || 'b'", "0")

	// What EXECUTE carries out is not in its text.
	mustRun(t, s, "PREPARE p FROM 'SELECT 5'")
	warm("EXECUTE p")
	mustRun(t, s, "PREPARE p FROM 'SELECT 6'")
	want("EXECUTE p", "6")

	// A table of another database has the same name.
	mustRun(t, s, "CREATE DATABASE other")
	mustRun(t, s, "CREATE TABLE other.setup_actors (USER INT)")
	mustRun(t, s, "USE performance_schema")
	warm("SELECT USER FROM setup_actors")
	want("SELECT USER FROM setup_actors", "%")
	mustRun(t, s, "USE other")
	want("SELECT USER FROM setup_actors")

	// What is no table of performance_schema, or no function of its arguments alone, has a new plan each time.
	mustRun(t, s, "CREATE VIEW other.v AS SELECT 1 AS a")
	for _, q := range []string{"SELECT * FROM other.v", "SELECT CONNECTION_ID() IS NULL", "SELECT RAND() > 2", "SELECT NOW() IS NULL", "SELECT @a", "SELECT @@autocommit",
		"SELECT DATABASE()", "SELECT TABLE_NAME FROM information_schema.tables WHERE TABLE_SCHEMA = 'other'", "SELECT USER()", "SELECT sys.format_statement('x')",
		"SELECT SQL_CALC_FOUND_ROWS 1", "SELECT 1 FROM DUAL WHERE (SELECT 1) = 1", "SELECT CAST(1 AS CHAR)"} {
		warm(q)
		if len(r.keptOf(q)) > 0 {
			t.Errorf("%s: its plan is kept", q)
		}
	}

	// Privileges that are taken away are missed at once, by who has no plan of their own either.
	mustRun(t, s, "CREATE USER reader IDENTIFIED BY ''")
	mustRun(t, s, "GRANT SELECT ON performance_schema.* TO reader")
	q := "SELECT COUNT(*) FROM performance_schema.setup_objects"
	mustRun(t, s, "USE performance_schema")
	warm(q)
	reader, err := stdsql.Open("mysql", "reader@tcp("+r.addr+")/performance_schema")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	reader.SetMaxOpenConns(1)
	uses := r.kept.Counts().Hits
	if _, err := reader.Exec(q); err != nil {
		t.Errorf("with SELECT: %v", err)
	}
	if r.kept.Counts().Hits == uses {
		t.Error("the plan is not used by another account with the same variables")
	}
	mustRun(t, s, "REVOKE SELECT ON performance_schema.* FROM reader")
	for range 3 {
		if _, err := reader.Exec(q); err == nil || !strings.Contains(err.Error(), "1142") {
			t.Errorf("without SELECT: %v", err)
		}
	}
	want(q, sessionRows(t, s, q)...)

	// All plans together are bounded.
	if n := r.kept.Counts().Weight; n > plancache.TotalMax {
		t.Errorf("plans weigh %d, more than %d", n, plancache.TotalMax)
	}
	for i := range 3000 {
		text := fmt.Sprintf("SELECT 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, %d", i/2)
		if err := s.try(text); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.kept.Counts().Weight; n > plancache.TotalMax || n == 0 {
		t.Errorf("plans weigh %d, and may weigh %d", n, plancache.TotalMax)
	}
}
