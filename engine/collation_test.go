package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pfsd/tables"
)

// TestCollations asks the same of a column whose collation tells neither case nor accents apart,
// and of one with the texts as that collation sees them, compared by their bytes.
func TestCollations(t *testing.T) {
	needGeneralFunctions(t)
	r := serve(t, Options{})
	r.exec(t, "CREATE DATABASE d")
	for _, table := range []string{"s", "t", "u"} {
		r.exec(t, "CREATE TABLE d."+table+" (n INT PRIMARY KEY, ci VARCHAR(20), k VARCHAR(20) COLLATE utf8mb4_bin, other VARCHAR(30) COLLATE utf8mb4_general_ci)")
	}
	spellings := strings.Split("a A á Á b B é É e E ab AB Ab aB x", " ")
	fold := strings.NewReplacer("á", "a", "é", "e")
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		word := spellings[random.IntN(len(spellings))]
		key := fold.Replace(strings.ToLower(word))
		for j, table := range []string{"s", "t", "u"} {
			if i%(j+2) == 0 {
				r.exec(t, fmt.Sprintf("INSERT INTO d.%s VALUES (%d, '%s', '%s', '%s')", table, i, word, key, word))
			}
		}
	}
	r.exec(t, "INSERT INTO d.t (n) VALUES (1000), (1001)")
	r.exec(t, "INSERT INTO d.u (n) VALUES (1002)")
	for _, q := range []string{
		"SELECT n FROM d.t WHERE c = 'a'",
		"SELECT n FROM d.t WHERE c <=> 'a'",
		"SELECT n FROM d.t WHERE c <=> NULL",
		"SELECT n, c <=> 'e' FROM d.t",
		"SELECT n FROM d.t WHERE NOT c <=> 'a'",
		"SELECT n FROM d.t WHERE c IN ('a')",
		"SELECT n FROM d.t WHERE c IN ('a', 'e')",
		"SELECT n FROM d.t WHERE c IN ('a', 'e', NULL)",
		"SELECT n FROM d.t WHERE c NOT IN ('a', 'e')",
		"SELECT COUNT(*) FROM d.t WHERE c NOT IN ('a', NULL)",
		"SELECT n FROM d.t WHERE c IN ('a', LOWER('E'))",
		"SELECT n, c IN ('a', 'b'), c NOT IN ('e', 'x', NULL) FROM d.t",
		"SELECT n FROM d.t WHERE (c, n % 3) IN (('a', 0), ('ab', 1), ('ab', 0))",
		"SELECT n FROM d.t WHERE c BETWEEN 'b' AND 'e'",
		"SELECT n FROM d.t WHERE c > 'ab'",
		"SELECT n FROM d.t WHERE c LIKE 'a%'",
		"SELECT n, CASE c WHEN 'a' THEN 1 WHEN 'e' THEN 2 ELSE 3 END FROM d.t",
		"SELECT n, NULLIF(c, 'a') IS NULL, STRCMP(c, 'b'), c = 'b', IF(c = 'ab', 1, 2) FROM d.t",
		"SELECT n, FIELD(c, 'x', 'e', 'a'), FIND_IN_SET(c, 'x,e,a'), LOCATE('b', c), INSTR(c, 'b'), POSITION('b' IN c) FROM d.t",
		"SELECT COUNT(*) FROM d.t GROUP BY c",
		"SELECT COUNT(*), SUM(n) FROM d.t GROUP BY c, n % 2",
		"SELECT COUNT(*) FROM d.t GROUP BY c HAVING c IN ('a', 'b')",
		"SELECT COUNT(*) FROM (SELECT DISTINCT c FROM d.t) q",
		"SELECT COUNT(*) FROM (SELECT DISTINCT c, n % 3 FROM d.t) q",
		"SELECT COUNT(DISTINCT c), COUNT(DISTINCT c, n % 2) FROM d.t",
		"SELECT n % 4, COUNT(DISTINCT c) FROM d.t GROUP BY n % 4",
		"SELECT LENGTH(GROUP_CONCAT(DISTINCT c)) - LENGTH(REPLACE(GROUP_CONCAT(DISTINCT c), ',', '')) FROM d.t",
		"SELECT LENGTH(GROUP_CONCAT(DISTINCT c ORDER BY n)) - LENGTH(REPLACE(GROUP_CONCAT(DISTINCT c ORDER BY n), ',', '')) FROM d.t GROUP BY n % 2",
		"SELECT COUNT(*) FROM (SELECT c FROM d.t UNION SELECT c FROM d.u) q",
		"SELECT COUNT(*) FROM (SELECT c FROM d.t UNION ALL SELECT c FROM d.u) q",
		"SELECT COUNT(*) FROM (SELECT c FROM d.t INTERSECT SELECT c FROM d.u) q",
		"SELECT COUNT(*) FROM (SELECT c FROM d.t INTERSECT ALL SELECT c FROM d.u) q",
		"SELECT COUNT(*) FROM (SELECT c FROM d.t EXCEPT SELECT c FROM d.u WHERE n > 20) q",
		"SELECT COUNT(*) FROM (SELECT c FROM d.t EXCEPT ALL SELECT c FROM d.u WHERE n > 20) q",
		"SELECT COUNT(*) FROM (SELECT c FROM d.t UNION SELECT c FROM d.u ORDER BY c LIMIT 3) q",
		"SELECT t.n, u.n FROM d.t JOIN d.u ON t.c = u.c",
		"SELECT t.n, u.n FROM d.t JOIN d.u ON t.c = u.c AND t.n < u.n",
		"SELECT t.n, u.n FROM d.t JOIN d.u ON t.c <=> u.c",
		"SELECT t.n, u.n FROM d.t JOIN d.u USING (c)",
		"SELECT t.n, u.n FROM d.t LEFT JOIN d.u ON t.c = u.c AND u.n > 30",
		"SELECT t.n, u.n FROM d.t RIGHT JOIN d.u ON t.c = u.c AND t.n > 30",
		"SELECT t.n, u.n, s.n FROM d.t JOIN d.u ON t.c = u.c JOIN d.s ON s.c = u.c AND s.n = t.n",
		"SELECT t.n, u.n FROM d.t JOIN d.u ON t.c = u.c AND t.n % 2 = u.n % 2",
		"SELECT t.n, u.n FROM d.t, d.u WHERE t.c = u.c AND t.c IN ('a', 'e')",
		"SELECT t.n, u.n FROM d.t JOIN d.u ON (t.c, t.n) = (u.c, u.n)",
		"SELECT t.n, q.z FROM d.t JOIN (SELECT c, COUNT(*) z FROM d.u GROUP BY c) q ON q.c = t.c",
		"SELECT t.n FROM d.t NATURAL JOIN (SELECT c, n FROM d.u) q",
		"SELECT n FROM d.t WHERE c IN (SELECT c FROM d.u WHERE n < 20)",
		"SELECT n FROM d.t WHERE c NOT IN (SELECT c FROM d.u WHERE n < 10)",
		"SELECT COUNT(*) FROM d.t WHERE c NOT IN (SELECT c FROM d.u)",
		"SELECT n FROM d.t WHERE c = ANY (SELECT c FROM d.u WHERE n < 20)",
		"SELECT n, c > ALL (SELECT c FROM d.u WHERE n < 20), c <= SOME (SELECT c FROM d.u WHERE u.n < t.n), c <> ANY (SELECT c FROM d.u) FROM d.t",
		"SELECT n FROM d.t WHERE (c, n) IN (SELECT c, n FROM d.u)",
		"SELECT n FROM d.t WHERE EXISTS (SELECT 1 FROM d.u WHERE u.c = t.c AND u.n <> t.n)",
		"SELECT n FROM d.t WHERE NOT EXISTS (SELECT 1 FROM d.u WHERE u.c = t.c AND u.n < 20)",
		"SELECT n, (SELECT COUNT(*) FROM d.u WHERE u.c = t.c) FROM d.t",
		"SELECT n, ROW_NUMBER() OVER (PARTITION BY c ORDER BY n), RANK() OVER (ORDER BY c) FROM d.t",
		"SELECT n, COUNT(*) OVER (PARTITION BY c) FROM d.t",
		"SELECT COUNT(*) FROM d.t GROUP BY CONCAT(c, 'x')",
		"SELECT COUNT(*) FROM d.t GROUP BY LEFT(c, 1)",
		"SELECT IF(n % 2, c, 'a') = 'b', COUNT(*) FROM d.t GROUP BY 1",
		"SELECT COUNT(*) FROM (SELECT DISTINCT CONCAT(c, 'x') FROM d.t) q",
		"SELECT COUNT(DISTINCT CONCAT(c, 'x')), COUNT(DISTINCT LEFT(c, 1)) FROM d.t",
		"SELECT COUNT(*) FROM (SELECT DISTINCT x FROM (SELECT CONCAT(c, 'x') AS x FROM d.t) q) r",
		"SELECT COUNT(*) FROM (SELECT CONCAT(c, 'x') FROM d.t UNION SELECT CONCAT(c, 'x') FROM d.u) q",
		"SELECT n FROM d.t WHERE CONCAT(c, 'x') = CONCAT('a', 'x')",
		"SELECT n FROM d.t WHERE CONCAT(c, 'x') > CONCAT('a', 'x')",
		"SELECT n FROM d.t WHERE CONCAT(c, 'x') IN (CONCAT('a', 'x'), 'ex')",
		"SELECT n FROM d.t WHERE CONCAT(c, 'x') IN ('ax', CONCAT(c, 'y'))",
		"SELECT COUNT(*) FROM (SELECT CONCAT(c, 'x') AS x FROM d.t GROUP BY x) q",
		"SELECT n FROM d.t WHERE CONCAT(c, 'x') <=> CONCAT('a', 'x')",
		"SELECT n FROM (SELECT n, CONCAT(c, 'x') AS x FROM d.t) q WHERE x = 'ax'",
		"SELECT t.n, u.n FROM d.t JOIN d.u ON CONCAT(t.c, 'x') = CONCAT(u.c, 'x')",
		"SELECT q.n, r.n FROM (SELECT n, CONCAT(c, 'x') AS x FROM d.t) q JOIN (SELECT n, CONCAT(c, 'x') AS x FROM d.u) r ON q.x = r.x",
		"SELECT n FROM d.t ORDER BY CONCAT(c, n % 2), c, n",
		"SELECT n FROM (SELECT n, CONCAT(c, 'x') AS x, c AS k FROM d.t) q ORDER BY x, n",
		"SELECT n FROM d.t ORDER BY c, n",
		"SELECT n FROM d.t ORDER BY c DESC, n LIMIT 7",
		"SELECT COUNT(*), MIN(n) FROM d.t GROUP BY c ORDER BY c",
		"WITH q AS (SELECT DISTINCT c FROM d.t) SELECT COUNT(*) FROM q JOIN d.u ON u.c = q.c",
		"WITH RECURSIVE q (c, i) AS (SELECT c, 0 FROM d.t WHERE n < 12 UNION SELECT c, i + 1 FROM q WHERE i < 2) SELECT COUNT(*) FROM q",
	} {
		ordered := strings.HasSuffix(q, ", n") || strings.Contains(q, "ORDER BY c DESC")
		ask := func(column string) []string {
			got := r.query(t, replaceColumn(q, column))
			if !ordered {
				slices.Sort(got)
			}
			return got
		}
		want := ask("k")
		for _, column := range []string{"ci", "other"} {
			if got := ask(column); len(got) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s: %s differs\n got %s\nwant %s", q, column, got, want)
			}
		}
	}
}

// replaceColumn is a query about c with column in its place.
func replaceColumn(q, column string) string {
	var b strings.Builder
	word := func(i int) bool {
		return i >= 0 && i < len(q) && (q[i] == '_' || q[i] >= '0' && q[i] <= '9' || q[i] >= 'a' && q[i] <= 'z' || q[i] >= 'A' && q[i] <= 'Z')
	}
	for i := range len(q) {
		if q[i] == 'c' && !word(i-1) && !word(i+1) {
			b.WriteString(column)
			continue
		}
		b.WriteByte(q[i])
	}
	return b.String()
}

// The collation of the current database, of a new table in it, and without one the server's.
func TestCollationOfDatabase(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	c, _ := r.conn(t)
	for _, q := range []string{"CREATE DATABASE d COLLATE utf8mb4_bin", "CREATE DATABASE e", "USE d", "CREATE TABLE x (a VARCHAR(5))", "DROP DATABASE e"} {
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	want := func(want string) {
		t.Helper()
		for _, q := range []string{
			"SELECT @@collation_database",
			"SELECT VARIABLE_VALUE FROM performance_schema.session_variables WHERE VARIABLE_NAME = 'collation_database'",
		} {
			var got string
			if err := c.QueryRowContext(t.Context(), q).Scan(&got); err != nil || got != want {
				t.Errorf("%s: %s, %v, want %s", q, got, err, want)
			}
		}
		var name, got string
		if err := c.QueryRowContext(t.Context(), "SHOW VARIABLES LIKE 'collation_database'").Scan(&name, &got); err != nil || got != want {
			t.Errorf("SHOW VARIABLES: %s, %v, want %s", got, err, want)
		}
	}
	want("utf8mb4_bin")
	r.want(t, "SELECT COLLATION_NAME FROM information_schema.columns WHERE TABLE_SCHEMA = 'd'", "utf8mb4_bin")
	if _, err := c.ExecContext(t.Context(), "DROP DATABASE d"); err != nil {
		t.Fatal(err)
	}
	want("utf8mb4_0900_ai_ci")
}

// Keys are unique by the collation of their columns.
func TestUniqueTexts(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	db := r.open(t, "")
	for _, q := range []struct{ sql, want string }{
		{"CREATE DATABASE d", ""},
		{"CREATE TABLE d.k (a VARCHAR(10) PRIMARY KEY, n INT)", ""},
		{"INSERT INTO d.k VALUES ('a', 1), ('b', 2)", ""},
		{"INSERT INTO d.k VALUES ('A', 3)", "1062 23000 Duplicate entry 'A' for key 'k.PRIMARY'"},
		{"INSERT INTO d.k VALUES ('c', 3), ('Ç', 4)", "1062 23000 Duplicate entry 'Ç' for key 'k.PRIMARY'"},
		{"INSERT IGNORE INTO d.k VALUES ('á', 3), ('e', 4)", ""},
		{"INSERT INTO d.k VALUES ('A', 10) ON DUPLICATE KEY UPDATE n = n + 100", ""},
		{"REPLACE INTO d.k VALUES ('B', 20)", ""},
		{"UPDATE d.k SET a = 'E' WHERE a = 'e'", ""},
		{"UPDATE d.k SET a = 'A' WHERE a = 'e'", "1062 23000 Duplicate entry 'A' for key 'k.PRIMARY'"},
		{"CREATE TABLE d.u (n INT, a VARCHAR(10), b VARCHAR(10) COLLATE utf8mb4_bin, UNIQUE (a, n), UNIQUE KEY bb (b))", ""},
		{"INSERT INTO d.u VALUES (1, 'a', 'a'), (2, 'a', 'A'), (NULL, 'a', NULL), (NULL, 'A', NULL)", ""},
		{"INSERT INTO d.u VALUES (1, 'A', 'x')", "1062 23000 Duplicate entry 'A-1' for key 'u.a'"},
		{"INSERT INTO d.u VALUES (3, 'A', 'A')", "1062 23000 Duplicate entry 'A' for key 'u.bb'"},
		{"DELETE FROM d.u WHERE n = 1", ""},
		{"INSERT INTO d.u VALUES (1, 'A', 'x')", ""},
	} {
		_, err := db.Exec(q.sql)
		got := ""
		if err != nil {
			got = code(err)
		}
		if got != q.want {
			t.Errorf("%s: %s, want %s", q.sql, got, q.want)
		}
	}
	r.want(t, "SELECT * FROM d.k ORDER BY a", "a|101", "B|20", "E|4")
}

// UPDATE writes a text whose bytes differ from those of an equal one, however the row is found.
func TestEqualTextsAreUpdated(t *testing.T) {
	r := serve(t, Options{})
	for _, q := range []string{
		"CREATE TABLE test.%s (id INT, c VARCHAR(10))", "CREATE TABLE test.%s (id INT PRIMARY KEY, c VARCHAR(10))",
		"CREATE TABLE test.%s (id INT, c VARCHAR(10), KEY (id))", "CREATE TEMPORARY TABLE test.%s (id INT, c VARCHAR(10))",
	} {
		for _, where := range []string{"", " WHERE id = 1", " WHERE id + 0 = 1", " WHERE c = 'a'", " ORDER BY id LIMIT 1"} {
			s := r.session(t)
			s.do(fmt.Sprintf(q, "equal"), "INSERT INTO test.equal VALUES (1, 'a')", "UPDATE test.equal SET c = 'A'"+where)
			if got := s.column("SELECT c FROM test.equal"); got != "A" {
				t.Errorf("%s, UPDATE%s: %q", q, where, got)
			}
			s.do("DROP TABLE test.equal")
		}
	}
}
