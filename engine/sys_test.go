package engine

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pfsd/engine/sys"
	"pfsd/instr"
	"pfsd/tables"
)

// sysFacts are the columns of MySQL's views of sys and of our own, by view: "column|type|nullable".
func sysFacts(t *testing.T) map[string][]string {
	facts := map[string][]string{}
	for _, f := range append(mysqlFacts(t, "sys_views.tsv"), mysqlFacts(t, "../own_sys_views.tsv")...) {
		typ := strings.Replace(f["type"], "bigint(20) unsigned", "bigint unsigned", 1) // a slip in two columns
		facts[f["view"]] = append(facts[f["view"]], f["column"]+"|"+typ+"|"+f["nullable"])
	}
	return facts
}

// TestSysViewsHaveMySQLsColumns looks at them in four ways, of which the last is what clients are told
// of a result.
func TestSysViewsHaveMySQLsColumns(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	facts := sysFacts(t)
	for name := range facts {
		if sys.ViewNamed(name) == nil {
			t.Errorf("there is no view %s", name)
		}
	}
	for _, v := range sys.Views {
		want, ok := facts[v.Name]
		if !ok {
			t.Errorf("neither sys_views.tsv nor own_sys_views.tsv has view %s", v.Name)
			continue
		}
		if len(v.Columns) != len(want) {
			t.Errorf("%s has %d columns, MySQL's %d", v.Name, len(v.Columns), len(want))
			continue
		}
		info := r.query(t, "SELECT CONCAT(COLUMN_NAME, '|', COLUMN_TYPE, '|', IS_NULLABLE) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'sys' AND TABLE_NAME = '"+v.Name+"' ORDER BY ORDINAL_POSITION")
		described := r.query(t, "DESCRIBE sys.`"+v.Name+"`")
		told := resultColumns(t, r, "SELECT * FROM sys.`"+v.Name+"` LIMIT 0")
		for i, w := range want {
			name, rest, _ := strings.Cut(w, "|")
			typ, nullable, _ := strings.Cut(rest, "|")
			declared := "YES" // IS_NULLABLE
			if v.Columns[i].NotNull {
				declared = "NO"
			}
			if nullable == "?" {
				nullable = declared
			}
			w = name + "|" + typ + "|" + nullable
			if got := v.Columns[i].Name + "|" + v.Columns[i].Type + "|" + declared; got != w {
				t.Errorf("%s declares %s, MySQL's is %s", v.Name, got, w)
			}
			if info[i] != w {
				t.Errorf("%s: information_schema has %s, not %s", v.Name, info[i], w)
			}
			if !strings.HasPrefix(described[i], w+"|") {
				t.Errorf("%s: DESCRIBE has %s, not %s", v.Name, described[i], w)
			}
			got := told[i]
			if strings.HasPrefix(typ, "enum") {
				// A column of a table goes to clients as MySQL has it, CHAR, and what is computed as TEXT.
				got = strings.Replace(got, "|CHAR", "|TEXT", 1)
			}
			if w := name + "|" + wireType(typ); got != w {
				t.Errorf("%s: clients are told %s, not %s", v.Name, told[i], w)
			}
		}
	}
}

// wireType is the type of a column as the driver tells it.
func wireType(typ string) string {
	base, size, _ := strings.Cut(strings.TrimSuffix(typ, " unsigned"), "(")
	switch base {
	case "enum", "longtext", "mediumtext":
		base = "text"
	case "decimal":
		_, scale, _ := strings.Cut(strings.TrimSuffix(size, ")"), ",")
		return "DECIMAL " + scale
	case "bigint":
		if strings.HasSuffix(typ, " unsigned") {
			return "UNSIGNED BIGINT"
		}
	}
	return strings.ToUpper(base)
}

// resultColumns are the columns of the result of q: names, and types as wireType has them.
func resultColumns(t *testing.T, r *running, q string) (columns []string) {
	rows, err := r.db.Query(q)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	defer func() { _ = rows.Close() }()
	all, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		typ := c.DatabaseTypeName()
		switch typ {
		case "DECIMAL":
			_, scale, _ := c.DecimalSize()
			typ = fmt.Sprintf("DECIMAL %d", scale)
		case "ENUM":
			typ = "TEXT"
		}
		columns = append(columns, c.Name()+"|"+typ)
	}
	return columns
}

func TestNobodyChangesSys(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for _, q := range []string{
		"DROP DATABASE sys", "CREATE TABLE sys.t (a INT)", "CREATE TABLE sys.t AS SELECT 1 AS a", "CREATE VIEW sys.v AS SELECT 1",
		"CREATE OR REPLACE VIEW sys.statement_analysis AS SELECT 1", "DROP VIEW sys.statement_analysis",
		"CREATE PROCEDURE sys.p() SELECT 1",
	} {
		_, err := r.db.Exec(q)
		if got, want := code(err), "1044 42000 Access denied for user 'root'@'localhost' to database 'sys'"; got != want {
			t.Errorf("%s: %s", q, got)
		}
	}
	r.query(t, "SELECT * FROM sys.statement_analysis")
}

// TestSysViewsAreViewsOfTheirInvoker tells that a user needs SELECT on a view and on what it reads,
// and EXECUTE on what it calls.
func TestSysViewsAreViewsOfTheirInvoker(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	for _, q := range []string{"CREATE USER v, w, n", "GRANT SELECT, EXECUTE ON sys.* TO v, w", "GRANT SELECT ON performance_schema.* TO w, n"} {
		r.exec(t, q)
	}
	for user, want := range map[string]string{
		"v": "1142 42000 SELECT command denied to user 'v'@'localhost' for table 'events_statements_summary_by_digest'",
		"w": "<nil>",
		"n": "1142 42000 SELECT command denied to user 'n'@'localhost' for table 'statement_analysis'",
	} {
		db, err := sql.Open("mysql", user+"@tcp("+r.addr+")/")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		rows, err := db.Query("SELECT * FROM sys.statement_analysis")
		if got := code(err); got != want {
			t.Errorf("%s: %s", user, got)
		}
		if err == nil {
			_ = rows.Close()
		}
		var name string
		err = db.QueryRow("SHOW DATABASES LIKE 'sys'").Scan(&name)
		if sees := err == nil; sees != (user != "n") {
			t.Errorf("%s sees sys: %t", user, sees)
		}
		if user != "w" {
			continue
		}
		for _, v := range sys.Views {
			want := "<nil>"
			if strings.Contains(v.Select, "information_schema.INNODB_") {
				want = "1227 42000 Access denied; you need (at least one of) the PROCESS privilege(s) for this operation"
			}
			if _, err := db.Exec("SELECT COUNT(*) FROM sys.`" + v.Name + "`"); code(err) != want {
				t.Errorf("%s reads %s: %v, not %s", user, v.Name, err, want)
			}
		}
	}
}

// TestAViewNeedsNoCurrentDatabase looks at views of sys and of a user's without one.
func TestAViewNeedsNoCurrentDatabase(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE VIEW test.v AS SELECT 1 AS a")
	db, err := sql.Open("mysql", "root@tcp("+r.addr+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	var rows int
	var current sql.NullString
	for _, q := range []string{"SELECT a, DATABASE() FROM test.v", "SELECT exec_count, DATABASE() FROM sys.statement_analysis WHERE db IS NULL AND 1 = ? LIMIT 1"} {
		args := make([]any, strings.Count(q, "?"))
		for i := range args {
			args[i] = 1
		}
		if err := db.QueryRow(q, args...).Scan(&rows, &current); err != nil || current.Valid || rows < 1 {
			t.Errorf("%s: %d, %v, %v", q, rows, current, err)
		}
	}
	if err := db.QueryRow("SELECT DATABASE()").Scan(&current); err != nil || current.Valid {
		t.Errorf("the current database is %v, %v", current, err)
	}
	_, err = db.Exec("SELECT * FROM test.v, test.nothing")
	if got := code(err); got != "1146 42S02 Table 'test.nothing' doesn't exist" {
		t.Error(got)
	}
	_, err = db.Exec("SELECT * FROM v")
	if got := code(err); got != "1046 3D000 No database selected" {
		t.Error(got)
	}
}

// What threads have done with files stays in sys.latest_file_io when they have ended.
func TestLatestFileIOOfEndedThreads(t *testing.T) {
	r := serveAll(t, Options{})
	path, done := filepath.Join(t.TempDir(), "written"), make(chan uint64)
	r.reg.Go("test/writer", func() {
		if f, err := r.reg.NewFileClass("test/file").Create(path); err != nil {
			t.Error(err)
		} else {
			_ = f.Close()
		}
		done <- instr.Current().ID()
	})
	id := <-done
	eventually(t, "the thread has ended", func() bool {
		return slices.Equal(r.query(t, fmt.Sprintf("SELECT COUNT(*) FROM threads WHERE THREAD_ID = %d", id)), []string{"0"})
	})
	r.want(t, fmt.Sprintf("SELECT thread, operation FROM sys.x$latest_file_io WHERE file = '%s' ORDER BY operation", path),
		fmt.Sprintf("ended:%d|close", id), fmt.Sprintf("ended:%d|create", id))
}
