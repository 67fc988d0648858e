package engine

import (
	stdsql "database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	stdmysql "github.com/go-sql-driver/mysql"

	"pfsd/tables"
)

// keptSchema are tables of all kinds of columns that values are compared with, with and without indexes.
var keptSchema = []string{
	"CREATE TABLE t (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, t TINYINT, ut TINYINT UNSIGNED, s SMALLINT, i INT, b BIGINT, ub BIGINT UNSIGNED, d DECIMAL(6,2), f DOUBLE," +
		" v VARCHAR(12), n VARCHAR(12) COLLATE utf8mb4_bin, c CHAR(5), x TEXT, dt DATETIME, e ENUM('a','b','5'), y YEAR," +
		" KEY (t), KEY (ut), KEY (s), KEY (i, v), KEY (b), KEY (d), KEY (v), KEY (n), KEY (c), KEY (dt), KEY (e), KEY (y))",
	"CREATE TABLE u (a INT NOT NULL, b VARCHAR(8) NOT NULL, w INT NOT NULL DEFAULT 7, m TIMESTAMP DEFAULT '2020-01-01 00:00:00', PRIMARY KEY (a, b), KEY (w))",
	"CREATE TABLE p (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, v VARCHAR(20) NOT NULL, UNIQUE KEY (v), CHECK (id < 4000000000))",
}

var keptColumns = []string{"id", "t", "ut", "s", "i", "b", "ub", "d", "f", "v", "n", "c", "x", "dt", "e", "y"}

// keptShapes are statements with %s for values; @ is a column.
var keptShapes = []string{
	"SELECT * FROM t WHERE @ = %s ORDER BY id",
	"SELECT id, @ FROM t WHERE @ > %s ORDER BY id",
	"SELECT id FROM t WHERE @ <= %s ORDER BY id DESC",
	"SELECT id FROM t WHERE %s < @ ORDER BY id",
	"SELECT id FROM t WHERE @ BETWEEN %s AND %s ORDER BY id",
	"SELECT id FROM t WHERE @ > %s AND @ > %s ORDER BY id",
	"SELECT id FROM t WHERE @ > %s AND @ < %s ORDER BY id",
	"SELECT id FROM t WHERE @ = %s AND @ = %s ORDER BY id",
	"SELECT id FROM t WHERE @ < %s OR @ < %s ORDER BY id",
	"SELECT id FROM t WHERE NOT (@ < %s) ORDER BY id",
	"SELECT id FROM t WHERE @ <> %s ORDER BY id",
	"SELECT id FROM t WHERE i = %s AND v = %s ORDER BY id",
	"SELECT id FROM t WHERE i = %s AND v > %s ORDER BY id",
	"SELECT id FROM t WHERE @ IN (%s, %s) ORDER BY id",
	"SELECT COUNT(*), SUM(i), MIN(v) FROM t WHERE @ >= %s",
	"SELECT @, COUNT(*) FROM t WHERE id > %s GROUP BY @ HAVING COUNT(*) > %s ORDER BY 1, 2",
	"SELECT DISTINCT @ FROM t WHERE id BETWEEN %s AND %s ORDER BY 1",
	"SELECT id FROM t WHERE id > %s ORDER BY @, id LIMIT 3",
	"SELECT id FROM t WHERE id > %s ORDER BY id LIMIT 2 OFFSET 1",
	"SELECT t.id, u.a FROM t JOIN u ON t.i = u.a WHERE t.@ = %s ORDER BY 1, 2",
	"SELECT t.id, u.a FROM t LEFT JOIN u ON t.i = u.a AND u.w = %s WHERE t.id < %s ORDER BY 1, 2",
	"SELECT id FROM t WHERE v LIKE %s ORDER BY id",
	"SELECT id FROM t WHERE @ + %s > i ORDER BY id",
	"SELECT %s, id FROM t WHERE id = %s",
	"SELECT IF(@ > %s, 'more', 'less') FROM t ORDER BY id",
	"SELECT * FROM u WHERE a = %s AND b = %s",
	"SELECT * FROM u WHERE a >= %s AND b = %s ORDER BY a, b",
	"SELECT v FROM p WHERE id = %s",
	"SELECT id FROM p WHERE v = %s",
	"SELECT id FROM t WHERE i = %s FOR UPDATE",
	"INSERT INTO u (a, b, w) VALUES (%s, %s, %s)",
	"INSERT INTO u (a, b) VALUES (%s, %s), (%s, %s)",
	"INSERT IGNORE INTO u (a, b) VALUES (%s, %s)",
	"INSERT INTO u VALUES (%s, %s, %s, %s)",
	"REPLACE INTO u (a, b, w) VALUES (%s, %s, %s)",
	"INSERT INTO u (a, b, w) VALUES (%s, %s, 1) ON DUPLICATE KEY UPDATE w = w + %s",
	"INSERT INTO t (id, @, v) VALUES (%s, %s, %s)",
	"INSERT INTO t (@) VALUES (%s)",
	"INSERT INTO p VALUES (%s, %s)",
	"UPDATE t SET @ = %s WHERE id = %s",
	"UPDATE t SET i = i + %s WHERE @ = %s",
	"UPDATE t SET i = %s - i, v = %s WHERE id > %s ORDER BY id LIMIT 2",
	"UPDATE u SET w = %s WHERE a = %s AND b = %s",
	"UPDATE u SET a = %s WHERE a = %s",
	"UPDATE p SET id = %s WHERE v = %s",
	"DELETE FROM t WHERE @ = %s",
	"DELETE FROM u WHERE a = %s AND b > %s",
	"DELETE FROM p WHERE id BETWEEN %s AND %s",
	"SELECT COUNT(*) FROM performance_schema.setup_actors WHERE USER = %s",
	"SELECT id FROM t WHERE @ > 1 AND @ > %s ORDER BY id",
	"SELECT id FROM t WHERE @ = %s AND @ < 200 ORDER BY id",
	"SELECT id FROM t WHERE @ = %s AND @ <> 5 ORDER BY id",
	"SELECT id FROM t WHERE @ BETWEEN %s AND 9 ORDER BY id",
	"SELECT id FROM t WHERE @ IN (%s, %s, 3) ORDER BY id",
	"SELECT id FROM t WHERE @ IN (%s, %s, %s) AND @ > 2 ORDER BY id",
	"SELECT id FROM t WHERE i IN (%s, %s) AND v IN (%s, %s) ORDER BY id",
	"SELECT * FROM u WHERE a = %s AND b IN (%s, %s) ORDER BY a, b",
	"SELECT id FROM t WHERE @ = %s OR @ = %s ORDER BY id",
	"SELECT id FROM t WHERE (@ > %s OR @ < %s) AND @ < %s ORDER BY id",
	"SELECT id FROM t WHERE @ = %s OR i = %s ORDER BY id",
	"DELETE FROM t WHERE id > 20 AND @ IN (%s, %s)",
	"UPDATE t SET i = i + 1 WHERE id > 3 AND id <= %s",
	"SELECT v, i, v FROM t WHERE id BETWEEN %s AND %s",
	"SELECT @, i FROM t WHERE id > %s AND b > %s ORDER BY v, id LIMIT 4",
	"SELECT MAX(@), SUM(i) FROM t WHERE i >= %s AND id < %s",
	"SELECT CONCAT(v, id), @ FROM t WHERE id = %s",
	"SELECT DISTINCT v FROM t WHERE id > %s ORDER BY v LIMIT 3",
	"SELECT i, COUNT(*) FROM t WHERE id > %s GROUP BY i ORDER BY i",
	"SELECT b AS x, @ FROM t AS a WHERE id = %s FOR UPDATE",
	"SELECT id AS i, i AS id FROM t WHERE i = %s ORDER BY 1",
	"SELECT id FROM t WHERE @ NOT IN (%s, %s) ORDER BY id",
	"SELECT id FROM t WHERE @ NOT IN (%s, %s, 3) AND @ > %s ORDER BY id",
	"SELECT id FROM t WHERE i IN (%s, %s) AND @ <> %s ORDER BY id",
	"SELECT id FROM t WHERE f + 0 > 2 AND @ IN (%s, %s, %s) ORDER BY id",
	"SELECT id, @ IN (%s, %s) FROM t ORDER BY id",
	"SELECT id FROM t WHERE @ <> %s AND @ < %s ORDER BY id",
	"SELECT id FROM t WHERE @ <> %s AND @ <> %s ORDER BY id",
	"SELECT id FROM t WHERE @ <> %s OR @ = %s ORDER BY id",
	"SELECT id FROM t WHERE @ IN (%s, %s) OR x IN (%s, %s) ORDER BY id",
	"SELECT id FROM t -- a comment\nWHERE @ = %s # another\n ORDER BY id",
	"SELECT id FROM t WHERE d >= %s AND f + d < %s ORDER BY id -- at the end",
	"UPDATE t SET d = %s WHERE d = %s",
	"DELETE FROM t WHERE id > 20 AND @ NOT IN (%s, %s)",
}

// keptLiterals are values as texts write them; the first are integers.
var keptLiterals = []string{
	"0", "1", "2", "3", "5", "17", "127", "128", "129", "200", "255", "256", "1000", "1999", "32767", "32768", "40001", "65535", "65536", "2147483647", "2147483648", "4294967295",
	"4294967296", "9223372036854775807", "9223372036854775808", "99999999999999999999", "-1", "-5", "1.5", "2.0", "1e3", "007",
	"''", "'a'", "'b'", "'A'", "'5'", "'5x'", "'abc'", "'a long text that fits nowhere'", "'2020-01-01 00:00:00'", "'2021-05-05'", "'é'", "'%b%'", "'it''s'", `'a\'b'`, "NULL", "TRUE", "x'61'", "(1)",
}

// pair runs statements on two servers, one of which keeps plans, and compares what they say.
type keptPair struct {
	t    *testing.T
	kept *running
	both [2]*sqlSession
}

func newKeptPair(t *testing.T) *keptPair {
	t.Helper()
	p := &keptPair{t: t}
	for i := range p.both {
		r := serve(t, Options{}, tables.All()...)
		if i == 0 {
			p.kept = r
		} else {
			r.kept.SwitchOn(false)
		}
		p.both[i] = r.session(t)
		for _, q := range append([]string{"CREATE DATABASE k", "USE k"}, keptSchema...) {
			mustRun(t, p.both[i], q)
		}
		for id := range 20 {
			mustRun(t, p.both[i], fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d, %d, %d, %d, %d, %d.5, %d.25, '%c', '%c', '%c%d', 'text %d', '2020-01-%02d 00:00:00', '%c', %d)", id+1, id-5, id*10, id*100,
				id%7, id*1000, id, id, id, 'a'+id%5, 'A'+id%5, 'a'+id%3, id%2, id, id+1, 'a'+id%2, 2000+id))
			mustRun(t, p.both[i], fmt.Sprintf("INSERT INTO u (a, b, w) VALUES (%d, '%c', %d)", id%7, 'a'+id, id))
			mustRun(t, p.both[i], fmt.Sprintf("INSERT INTO p VALUES (%d, '%d')", id*50, id))
		}
	}
	return p
}

// run runs one statement on both servers, prepared if it has arguments.
func (p *keptPair) run(q string, args []any) {
	p.t.Helper()
	var said [2]string
	for i, s := range p.both {
		said[i] = toldOf(p.t, s, q, args)
	}
	if said[0] != said[1] {
		p.t.Errorf("%s %v:\n kept: %s\nanew: %s", q, args, said[0], said[1])
	}
}

// toldOf is all that a client is told of a statement.
func toldOf(t *testing.T, s *sqlSession, q string, args []any) string {
	t.Helper()
	var b strings.Builder
	if verb, _, _ := strings.Cut(q, " "); verb == "SELECT" {
		rows, err := s.conn.QueryContext(t.Context(), q, args...)
		if err != nil {
			return err.Error()
		}
		defer rows.Close()
		types, _ := rows.ColumnTypes()
		for _, c := range types {
			fmt.Fprintf(&b, "%s %s;", c.Name(), c.DatabaseTypeName())
		}
		for rows.Next() {
			cells, dest := make([]any, len(types)), make([]any, len(types))
			for i := range cells {
				dest[i] = &cells[i]
			}
			if err := rows.Scan(dest...); err != nil {
				return b.String() + err.Error()
			}
			fmt.Fprintf(&b, "\n%q", cells)
		}
		if err := rows.Err(); err != nil {
			b.WriteString(err.Error())
		}
	} else {
		r, err := s.conn.ExecContext(t.Context(), q, args...)
		if err != nil {
			var e *stdmysql.MySQLError
			if !errors.As(err, &e) {
				t.Fatalf("%s: %v", q, err)
			}
			b.WriteString(err.Error())
		} else {
			n, _ := r.RowsAffected()
			id, _ := r.LastInsertId()
			fmt.Fprintf(&b, "%d rows, id %d", n, id)
		}
	}
	fmt.Fprintf(&b, "\nwarnings %q", sessionRows(t, s, "SHOW WARNINGS"))
	return b.String()
}

// TestKeptPlansSayTheSame: random statements, each shape with many values, say the same with plans that serve other values and with new ones.
func TestKeptPlansSayTheSame(t *testing.T) {
	oneAtATime(t)
	statements := 3000
	if d, err := time.ParseDuration(os.Getenv("PFSD_SOAK")); err == nil {
		statements = int(d.Seconds()) * 300
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(7, seed))
	t.Logf("seed %d", seed)
	p := newKeptPair(t)
	for n := 0; n < statements && !t.Failed(); {
		shape := strings.ReplaceAll(keptShapes[rng.IntN(len(keptShapes))], "@", keptColumns[rng.IntN(len(keptColumns))])
		common := rng.IntN(2) == 0
		prepared := rng.IntN(2) == 0
		pick := make([][]string, strings.Count(shape, "%s"))
		for i := range pick {
			pick[i] = keptLiterals
			if common {
				pick[i] = [][]string{{"2", "3", "5", "17"}, {"200", "250", "180"}, {"256", "1000", "1999"}, {"'a'", "'b'", "'abc'", "'5'", "'5x'", "'é'"}}[rng.IntN(4)]
			}
		}
		for range 8 {
			values := make([]any, strings.Count(shape, "%s"))
			var args []any
			for i := range values {
				text := pick[i][rng.IntN(len(pick[i]))]
				values[i] = text
				if prepared {
					values[i] = "?"
					args = append(args, argumentOf(text))
				}
			}
			p.run(fmt.Sprintf(shape, values...), args)
			n++
		}
		if n%200 == 0 { // the tables stay as they are
			for _, s := range p.both {
				for _, q := range []string{"DELETE FROM t WHERE id > 20", "DELETE FROM u WHERE a > 7", "UPDATE t SET i = id % 7, v = CHAR(97 + id % 5)"} {
					mustRun(t, s, q)
				}
			}
		}
	}
	cache := p.kept.kept
	served, refused := 0, 0
	why := map[string]int{}
	for _, row := range cache.Rows(tables.Key{}) {
		switch {
		case row.Kind == "TEXT":
		case row.Refused != "":
			refused++
			why[row.Refused]++
		default:
			served++
		}
	}
	uses := cache.Counts().Hits
	t.Logf("%d statements, %d times with a plan that was kept; %d keys with plans, %d without", statements, uses, served, refused)
	for _, reason := range slices.Sorted(func(yield func(string) bool) {
		for w, n := range why {
			if !yield(fmt.Sprintf("%5d %s", n, w)) {
				return
			}
		}
	}) {
		t.Log(reason)
	}
	if uses < uint64(statements/20) {
		t.Errorf("of %d statements %d had a plan that was kept", statements, uses)
	}
}

// argumentOf is a literal as an argument of a prepared statement.
func argumentOf(text string) any {
	var n int64
	switch {
	case text == "NULL":
		return nil
	case text[0] == '\'':
		return strings.NewReplacer("''", "'", `\'`, "'").Replace(text[1 : len(text)-1])
	}
	if m, err := fmt.Sscanf(text, "%d", &n); err == nil && m == 1 && fmt.Sprint(n) == text {
		return n
	}
	return text
}

// keptHits runs a statement once and tells whether it had a plan that was kept.
func (r *running) keptHits(t *testing.T, s *sqlSession, q string, args ...any) bool {
	t.Helper()
	before := r.kept.Counts().Hits
	toldOf(t, s, q, args)
	return r.kept.Counts().Hits > before
}

// TestKeptValuesAreServed: the statements of sysbench have plans that serve other values from the third time on, as texts and prepared.
func TestKeptValuesAreServed(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	for _, q := range []string{
		"CREATE DATABASE k", "USE k",
		"CREATE TABLE s (id INT NOT NULL AUTO_INCREMENT, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', PRIMARY KEY (id), KEY k_1 (k))",
	} {
		mustRun(t, s, q)
	}
	for _, q := range []string{
		"INSERT INTO s (id, k, c, pad) VALUES (0, %[1]s, %[2]s, 'p')", "SELECT c FROM s WHERE id = %[1]s", "SELECT c FROM s WHERE id BETWEEN %[1]s AND 127", "SELECT SUM(k) FROM s WHERE id BETWEEN 2 AND %[1]s",
		"SELECT c FROM s WHERE id BETWEEN 2 AND %[1]s ORDER BY c", "SELECT DISTINCT c FROM s WHERE id BETWEEN 2 AND %[1]s ORDER BY c",
		"UPDATE s SET k = k + 1 WHERE id = %[1]s", "UPDATE s SET c = %[2]s WHERE id = %[1]s", "SELECT * FROM s WHERE k = %[1]s AND c = %[2]s LIMIT 2", "SELECT id FROM s WHERE id = %[1]s FOR UPDATE",
		"SELECT a.c FROM s a JOIN s b ON a.id = b.k WHERE b.id = %[1]s", "DELETE FROM s WHERE id = %[1]s",
	} {
		for i := range 5 {
			text := strings.ReplaceAll(strings.ReplaceAll(q, "%[1]s", fmt.Sprint(10+i)), "%[2]s", fmt.Sprintf("'c%d'", i))
			if hit := r.keptHits(t, s, text); i >= 2 && !hit {
				t.Errorf("%s has no plan that was kept: %q", text, sessionRows(t, s, "SELECT STATEMENT, REFUSED FROM performance_schema.plan_cache WHERE REFUSED IS NOT NULL"))
			}
			var args []any
			if strings.Contains(q, "%[1]s") {
				args = append(args, 10+i)
			}
			if strings.Contains(q, "%[2]s") {
				args = append(args, fmt.Sprint("c", i))
			}
			if strings.Contains(q, "%[2]s") && strings.Index(q, "%[2]s") < strings.Index(q, "%[1]s") {
				args[0], args[1] = args[1], args[0]
			}
			if strings.HasPrefix(q, "DELETE") {
				args[0] = 60 + i
			}
			text = strings.NewReplacer("%[1]s", "?", "%[2]s", "?").Replace(q)
			if hit := r.keptHits(t, s, text, args...); i >= 2 && !hit {
				t.Errorf("%s, prepared, has no plan that was kept: %q", text, sessionRows(t, s, "SELECT STATEMENT, REFUSED FROM performance_schema.plan_cache WHERE REFUSED IS NOT NULL"))
			}
		}
	}
}

// TestKeptValuesDependOnTheirKeys: a plan that serves other values is not used where what it depends on is another.
func TestKeptValuesDependOnTheirKeys(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	s, other := r.session(t), r.session(t)
	for _, q := range []string{"CREATE DATABASE k", "CREATE DATABASE l", "USE k", "CREATE TABLE t (a INT PRIMARY KEY, b INT)", "INSERT INTO t VALUES (5, 50), (6, 60)", "CREATE TABLE l.t (a INT, b INT)"} {
		mustRun(t, s, q)
	}
	mustRun(t, other, "USE k")
	q := "SELECT * FROM t WHERE a = %d"
	warm := func() {
		t.Helper()
		for i := range 4 {
			sessionRows(t, s, fmt.Sprintf(q, 5+i))
		}
	}
	want := func(s *sqlSession, want ...string) {
		t.Helper()
		if got := sessionRows(t, s, fmt.Sprintf(q, 5)); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	warm()
	want(s, "5|50")
	want(other, "5|50")
	mustRun(t, other, "ALTER TABLE t ADD COLUMN c INT DEFAULT 7")
	want(s, "5|50|7")
	warm()
	mustRun(t, other, "ALTER TABLE t DROP PRIMARY KEY")
	mustRun(t, other, "INSERT INTO t VALUES (5, 51, 8)")
	want(s, "5|50|7", "5|51|8")
	warm()
	mustRun(t, other, "CREATE TEMPORARY TABLE t (x INT, a INT)")
	want(other)
	mustRun(t, other, "DROP TEMPORARY TABLE t")
	want(other, "5|50|7", "5|51|8")
	mustRun(t, other, "USE l")
	want(other)
	mustRun(t, other, "RENAME TABLE k.t TO k.u")
	if _, err := s.conn.QueryContext(t.Context(), fmt.Sprintf(q, 5)); err == nil || !strings.Contains(err.Error(), "1146") {
		t.Errorf("a table that is gone: %v", err)
	}
	mustRun(t, other, "CREATE VIEW k.t AS SELECT a, b FROM k.u WHERE b > 50")
	want(s, "5|51")
	warm()
	mustRun(t, other, "CREATE OR REPLACE VIEW k.t AS SELECT 1 AS a")
	want(s)
	mustRun(t, other, "DROP VIEW k.t")
	mustRun(t, other, "RENAME TABLE k.u TO k.t")
	warm()

	mustRun(t, s, "LOCK TABLES l.t READ")
	if _, err := s.conn.QueryContext(t.Context(), fmt.Sprintf(q, 5)); err == nil || !strings.Contains(err.Error(), "1100") {
		t.Errorf("a table that is not locked: %v", err)
	}
	mustRun(t, s, "UNLOCK TABLES")

	// Rows are locked that are read FOR UPDATE.
	for i := range 4 {
		sessionRows(t, s, fmt.Sprintf("SELECT b FROM t WHERE a = %d FOR UPDATE", 5+i))
	}
	mustRun(t, s, "START TRANSACTION")
	if !r.keptHits(t, s, "SELECT b FROM t WHERE a = 5 FOR UPDATE") {
		t.Error("SELECT ... FOR UPDATE has no plan that was kept")
	}
	if got := sessionRows(t, other, "SELECT COUNT(*) > 0 FROM performance_schema.data_locks WHERE OBJECT_SCHEMA = 'k' AND LOCK_TYPE = 'RECORD' AND LOCK_MODE LIKE 'X%'"); !slices.Equal(got, []string{"1"}) {
		t.Error("it locks no row")
	}
	mustRun(t, s, "COMMIT")

	// A trigger that is made later does its work.
	insert := "INSERT INTO l.t VALUES (%d, 2)"
	for i := range 4 {
		mustRun(t, s, fmt.Sprintf(insert, 10+i))
	}
	mustRun(t, other, "CREATE TRIGGER l.tr BEFORE INSERT ON l.t FOR EACH ROW SET NEW.b = 99")
	mustRun(t, s, fmt.Sprintf(insert, 20))
	if got := sessionRows(t, s, "SELECT b FROM l.t WHERE a = 20"); !slices.Equal(got, []string{"99"}) {
		t.Errorf("with a trigger: %q", got)
	}

	// Rights are asked for each time.
	mustRun(t, s, "CREATE USER u")
	mustRun(t, s, "GRANT SELECT ON k.t TO u")
	reader, err := stdsql.Open("mysql", "u@tcp("+r.addr+")/k")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	reader.SetMaxOpenConns(1)
	for i := range 4 {
		if _, err := reader.Exec(fmt.Sprintf(q, 5+i)); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, s, "REVOKE SELECT ON k.t FROM u")
	mustRun(t, s, "GRANT SELECT (a) ON k.t TO u")
	if _, err := reader.Exec(fmt.Sprintf(q, 5)); err == nil || !strings.Contains(err.Error(), "114") {
		t.Errorf("without the right: %v", err)
	}

	// It can be switched off, and is emptied.
	mustRun(t, s, "SET GLOBAL plan_cache = OFF")
	warm()
	if r.keptHits(t, s, fmt.Sprintf(q, 5)) {
		t.Error("a plan is used that was not to be kept")
	}
	mustRun(t, s, "SET GLOBAL plan_cache = ON")
	warm()
	if !r.keptHits(t, s, fmt.Sprintf(q, 5)) {
		t.Error("no plan is used")
	}
	shown := sessionRows(t, s, "SELECT KIND, SCHEMA_NAME, PLANS, HITS > 0, REFUSED FROM performance_schema.plan_cache WHERE STATEMENT = 'SELECT * FROM t WHERE a = ?a'")
	if !slices.Contains(shown, "SHAPE|k|1|1|NULL") {
		t.Errorf("plan_cache shows %q", shown)
	}
	for range 2 {
		sessionRows(t, s, "SELECT * FROM t WHERE NOT (a = 5 OR a = 6)")
	}
	if got := sessionRows(t, s, "SELECT PLANS, REFUSED FROM performance_schema.plan_cache WHERE STATEMENT = 'SELECT * FROM t WHERE NOT (a = ?a OR a = ?a)'"); !slices.Equal(got, []string{"0|a value stands where it cannot be another"}) {
		t.Errorf("plan_cache shows %q", got)
	}
	mustRun(t, s, "TRUNCATE TABLE performance_schema.plan_cache")
	if got := sessionRows(t, s, "SELECT COUNT(*) FROM performance_schema.plan_cache WHERE KIND <> 'TEXT'"); !slices.Equal(got, []string{"0"}) {
		t.Errorf("after TRUNCATE: %q", got)
	}
}

// TestKeptValuesWhileTablesChange: sessions that share plans read what they ask for while the table is altered.
func TestKeptValuesWhileTablesChange(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	for _, q := range []string{"CREATE DATABASE k", "CREATE TABLE k.t (a INT PRIMARY KEY, b INT)"} {
		mustRun(t, s, q)
	}
	for i := range 100 {
		mustRun(t, s, fmt.Sprintf("INSERT INTO k.t VALUES (%d, %d)", i, 10*i))
	}
	var all sync.WaitGroup
	for c := range 6 {
		reader := r.session(t)
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(c), 1))
			for range 150 {
				a := 2 + rng.IntN(98)
				if got, want := sessionRows(t, reader, fmt.Sprintf("SELECT a, b FROM k.t WHERE a = %d", a)), fmt.Sprintf("%d|%d", a, 10*a); !slices.Equal(got, []string{want}) {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
	for i := range 10 {
		mustRun(t, s, fmt.Sprintf("ALTER TABLE k.t ADD COLUMN c%d INT FIRST", i))
	}
	all.Wait()
}

// TestKeptPlansKeepTheirConditions: a condition that says nothing beside the first values is not forgotten for others.
func TestKeptPlansKeepTheirConditions(t *testing.T) {
	oneAtATime(t)
	p := newKeptPair(t)
	for _, s := range p.both {
		mustRun(t, s, "CREATE TABLE n (id INT PRIMARY KEY, d DECIMAL(3, 1), b BIT(4), KEY (d), KEY (b))")
		mustRun(t, s, "INSERT INTO n VALUES (1, 1.5, 1), (2, 2.5, 2), (3, 8.5, 8), (4, 11, 15)")
	}
	for _, c := range []struct {
		shape  string
		values [][]any
	}{
		{"SELECT id FROM t WHERE id > 1 AND id > %v", [][]any{{5}, {6}, {7}, {-5}}},
		{"SELECT id FROM t WHERE id < 9 AND id = %v", [][]any{{3}, {4}, {5}, {15}}},
		{"SELECT id FROM t WHERE id <> 7 AND id = %v", [][]any{{3}, {4}, {5}, {7}}},
		{"SELECT id FROM t WHERE id < 9.5 AND id = %v", [][]any{{3}, {4}, {5}, {15}}},
		{"SELECT id FROM t WHERE id IN (3, 4, 5, 6) AND id = %v", [][]any{{3}, {4}, {5}, {15}}},
		{"SELECT id FROM t WHERE id > %v AND id > %v", [][]any{{1, 5}, {1, 6}, {1, 7}, {1, -5}}},
		{"SELECT id FROM t WHERE id = %v AND id < %v", [][]any{{5, 9}, {5, 9}, {5, 9}, {15, 9}}},
		{"SELECT id FROM t WHERE id = %v AND id < %v", [][]any{{5, 9.5}, {6, 9.5}, {7, 9.5}, {15, 9.5}}},
		{"SELECT id FROM t WHERE y BETWEEN %v AND 9 ORDER BY id", [][]any{{10}, {11}, {12}, {127}}},            // the last is no YEAR
		{"SELECT id FROM t WHERE d BETWEEN %v AND %v ORDER BY id", [][]any{{17, 9}, {17, 9}, {18, 9}, {3, 9}}}, // no key is between the first ones
		{"SELECT id FROM t WHERE d > %v AND d < %v ORDER BY id", [][]any{{17, 9}, {17, 9}, {18, 9}, {3, 9}}},
		{"SELECT id FROM t WHERE y BETWEEN %v AND %v ORDER BY id", [][]any{{17, 9}, {17, 9}, {18, 9}, {3, 9}}},
		{"SELECT id FROM t WHERE id BETWEEN %v AND %v ORDER BY id", [][]any{{17, 9}, {17, 9}, {18, 9}, {3, 9}}},
		{"SELECT id FROM n WHERE d BETWEEN %v AND 9 ORDER BY id", [][]any{{2}, {1}, {3}, {1000}}},
		{"SELECT id FROM n WHERE b BETWEEN %v AND 9 ORDER BY id", [][]any{{2}, {1}, {3}, {1000}, {-1}}},
		{"SELECT id FROM n WHERE b = %v", [][]any{{2}, {1}, {8}, {1000}, {-1}}},
	} {
		n := strings.Count(c.shape, "%v")
		for _, values := range c.values {
			p.run(fmt.Sprintf(c.shape, values...), nil)
			p.run(fmt.Sprintf(c.shape, slices.Repeat([]any{"?"}, n)...), values)
		}
	}
}

// TestKeptListsAreServed: plans serve lists in any order, ranges with one end of their own, OR, and EXECUTE.
func TestKeptListsAreServed(t *testing.T) {
	oneAtATime(t)
	p := newKeptPair(t)
	r, s := p.kept, p.both[0]
	for _, c := range []struct {
		shape  string
		values [][]any
	}{
		{"SELECT id FROM t WHERE id IN (%v, %v, %v)", [][]any{{5, 6, 7}, {9, 8, 7}, {20, 3, 11}, {4, 8, 2}}},
		{"SELECT id FROM t WHERE id BETWEEN %v AND 9", [][]any{{5}, {6}, {7}, {3}}},
		{"SELECT id FROM t WHERE id BETWEEN 3 AND %v", [][]any{{5}, {6}, {7}, {12}}},
		{"SELECT id FROM t WHERE id = %v OR id = %v", [][]any{{5, 6}, {7, 8}, {9, 11}, {3, 18}}},
		{"SELECT id FROM t WHERE f = %v OR id > %v", [][]any{{5, 6}, {7, 8}, {9, 11}, {3, 18}}},
	} {
		n := strings.Count(c.shape, "%v")
		for i, values := range c.values {
			text := fmt.Sprintf(c.shape, values...)
			p.run(text, nil)
			if hit := r.keptHits(t, s, text); i >= 2 && !hit {
				t.Errorf("%s has no plan that was kept: %q", text, sessionRows(t, s, "SELECT STATEMENT, REFUSED FROM performance_schema.plan_cache WHERE REFUSED IS NOT NULL"))
			}
			text = fmt.Sprintf(c.shape, slices.Repeat([]any{"?"}, n)...)
			p.run(text, values)
			if hit := r.keptHits(t, s, text, values...); i >= 2 && !hit {
				t.Errorf("%s, prepared, has no plan that was kept: %q", text, sessionRows(t, s, "SELECT STATEMENT, REFUSED FROM performance_schema.plan_cache WHERE REFUSED IS NOT NULL"))
			}
		}
	}
	for _, s := range p.both {
		mustRun(t, s, "PREPARE p FROM 'SELECT id, v FROM t WHERE id > ? AND id <= ? ORDER BY id'")
	}
	for i, from := range []any{5, 6, 7, 3, 2, "'x'", 9} {
		for _, s := range p.both {
			mustRun(t, s, fmt.Sprintf("SET @a = %v, @b = 12", from))
		}
		got, want := sessionRows(t, p.both[0], "EXECUTE p USING @a, @b"), sessionRows(t, p.both[1], "EXECUTE p USING @a, @b")
		if !slices.Equal(got, want) {
			t.Errorf("EXECUTE with %v: got %q, want %q", from, got, want)
		}
		before := r.kept.Counts().Hits
		sessionRows(t, s, "EXECUTE p USING @a, @b")
		if i >= 2 && from != "'x'" && r.kept.Counts().Hits == before {
			t.Errorf("EXECUTE with %v has no plan that was kept", from)
		}
	}
}

// ROW_COUNT() and FOUND_ROWS() say the same after a statement whose plan was kept.
func TestKeptPlansCountRows(t *testing.T) {
	oneAtATime(t)
	p := newKeptPair(t)
	for n := range 5 {
		for _, q := range []string{
			"SELECT id FROM t WHERE id < %d ORDER BY v", "SELECT id FROM t WHERE id < %d LIMIT 2", "SELECT COUNT(*) FROM t WHERE id = %d", "SELECT v FROM t WHERE id = %d",
			"UPDATE t SET b = b + 1 WHERE id = %d", "UPDATE t SET b = 7 WHERE id = %d", "INSERT INTO u (a, b) VALUES (5, '%dx')", "REPLACE INTO u (a, b, w) VALUES (5, '%dx', 9)",
			"INSERT INTO u (a, b) VALUES (5, '%dx') ON DUPLICATE KEY UPDATE w = w + 1", "DELETE FROM t WHERE id = 3%d",
		} {
			q = fmt.Sprintf(q, 2+n)
			var said [2]string
			for i, s := range p.both {
				if strings.HasPrefix(q, "SELECT") {
					sessionRows(t, s, q)
				} else {
					mustRun(t, s, q)
				}
				said[i] = fmt.Sprint(sessionRows(t, s, "SELECT ROW_COUNT(), FOUND_ROWS()"))
			}
			if said[0] != said[1] {
				t.Errorf("after %s: %s, with a new plan %s", q, said[0], said[1])
			}
		}
	}
	if used := fmt.Sprint(sessionRows(t, p.both[0], "SELECT COUNT(*) >= 8 FROM performance_schema.plan_cache WHERE KIND = 'SHAPE' AND HITS > 1 AND SCHEMA_NAME = 'k'")); used != "[1]" {
		t.Errorf("8 plans or more were used: %s", used)
	}
}
