package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// joinTables makes the tables of the tests below in the database d.
func joinTables(t *testing.T) *running {
	t.Helper()
	r := serve(t, Options{})
	for _, q := range []string{
		"CREATE DATABASE d",
		"CREATE TABLE d.a (id INT PRIMARY KEY, d INT, en INT, KEY (d))",
		"CREATE TABLE d.b (id INT PRIMARY KEY, d INT, en INT, KEY (d))",
		"CREATE TABLE d.c (id INT PRIMARY KEY, d INT, en INT, KEY (en))",
		"INSERT INTO d.a VALUES (1, 1, 1), (2, 2, 1), (3, 3, 2), (4, NULL, 2), (5, 3, NULL)",
		"INSERT INTO d.b VALUES (1, 1, 1), (2, 3, 1), (3, 3, 3), (4, NULL, NULL)",
		"INSERT INTO d.c VALUES (1, 1, 1), (2, 2, 2), (3, NULL, 1), (4, 4, NULL)",
		"CREATE TABLE d.item (id INT PRIMARY KEY, v INT)",
		"INSERT INTO d.item VALUES (1, 1), (2, 1), (3, 2), (4, 2)",
		"CREATE TABLE d.dd (id INT PRIMARY KEY)",
		"INSERT INTO d.dd VALUES (1), (2), (3), (4)",
	} {
		r.exec(t, q)
	}
	return r
}

// TestOuterJoinConditions: a condition around an outer join is tested in every place where it can stand.
func TestOuterJoinConditions(t *testing.T) {
	r := joinTables(t)
	for q, want := range map[string]string{
		"SELECT a.id FROM d.a LEFT JOIN d.b ON a.d = b.d JOIN d.c ON a.en = c.en WHERE b.d = 3":                                     "3,3",
		"SELECT a.id FROM d.a LEFT JOIN d.b ON a.d = b.d JOIN d.c ON a.en = c.en AND b.d = 3":                                       "3,3",
		"SELECT a.id FROM d.a LEFT JOIN d.b ON a.d = b.d JOIN d.c ON a.en = c.en WHERE b.d IS NULL":                                 "2,2,4",
		"SELECT a.id FROM d.a LEFT JOIN d.b ON a.d = b.d, d.c WHERE c.id = a.id AND b.id IS NULL":                                   "2,4",
		"SELECT a.id FROM d.c, d.a LEFT JOIN d.b ON a.d = b.d WHERE c.id = a.id AND b.id IS NULL":                                   "2,4",
		"SELECT a.id FROM d.b RIGHT JOIN d.a ON a.d = b.d CROSS JOIN d.c WHERE c.id = a.id AND b.id IS NULL":                        "2,4",
		"SELECT a.id FROM d.a LEFT JOIN d.b USING (d) JOIN d.c ON a.en = c.en WHERE b.id = 2":                                       "3",
		"SELECT a.id FROM d.a NATURAL LEFT JOIN d.b JOIN d.c ON a.en = c.en WHERE b.id IS NULL":                                     "2,2,3,4",
		"SELECT a.id FROM d.a LEFT JOIN (d.b CROSS JOIN d.c) ON a.d = b.d AND c.id = a.id WHERE c.d <=> NULL":                       "2,3,3,4,5",
		"SELECT a.id FROM d.a LEFT JOIN (d.b CROSS JOIN d.c) ON a.d = b.d AND c.id = a.id WHERE b.id <= c.id":                       "1,3,3",
		"SELECT a.id FROM d.a JOIN d.c ON a.en = c.en LEFT JOIN d.b ON a.d = b.d WHERE b.d = 3 OR b.d IS NULL":                      "2,2,3,3,4",
		"SELECT id FROM (SELECT a.id, b.d FROM d.a LEFT JOIN d.b ON a.d = b.d JOIN d.c ON a.en = c.en) v WHERE d = 3":               "3,3",
		"SELECT id FROM d.dd WHERE EXISTS (SELECT 1 FROM d.a LEFT JOIN d.b ON a.d = b.d JOIN d.c ON a.en = c.en WHERE b.d = dd.id)": "1,3",
		"SELECT /*+ JOIN_ORDER(t1, t0) */ t1.id FROM d.b t0 JOIN d.c t1 ON t1.id BETWEEN t0.id AND t0.d WHERE t1.d = 2":             "2",
	} {
		wantNumbers(t, r, q, want)
	}
	r.exec(t, "CREATE VIEW d.v AS SELECT a.id, b.d bd, c.d cd FROM d.a LEFT JOIN d.b ON a.d = b.d JOIN d.c ON a.en = c.en")
	wantNumbers(t, r, "SELECT id FROM d.v WHERE bd = 3", "3,3")
	prepared := r.query(t, "SELECT a.id FROM d.a LEFT JOIN d.b ON a.d = b.d JOIN d.c ON a.en = c.en WHERE b.d = ?", 3)
	if got := strings.Join(prepared, ","); got != "3,3" {
		t.Errorf("prepared: %s", got)
	}
	r.exec(t, "UPDATE d.a LEFT JOIN d.b ON a.d = b.d JOIN d.c ON a.en = c.en SET a.en = 7 WHERE b.d = 3")
	wantNumbers(t, r, "SELECT id FROM d.a WHERE en = 7", "3")
	r.exec(t, "UPDATE d.a SET en = 2 WHERE id = 3")
	r.exec(t, "DELETE a FROM d.a LEFT JOIN d.b ON a.d = b.d JOIN d.c ON a.en = c.en WHERE b.d = 3")
	wantNumbers(t, r, "SELECT id FROM d.a", "1,2,4,5")
}

// TestRecursiveJoins: what a common table expression has found so far is joined with tables as they are.
func TestRecursiveJoins(t *testing.T) {
	r := joinTables(t)
	r.exec(t, "CREATE TABLE d.tree (id INT PRIMARY KEY, up INT)")
	r.exec(t, "INSERT INTO d.tree VALUES (1, NULL), (2, 1), (3, 1), (4, 3), (5, 9)")
	const roots = "WITH RECURSIVE o (n, id) AS (SELECT 1, t.id FROM d.tree t LEFT JOIN d.tree u ON t.up = u.id AND u.id = u.id WHERE u.id IS NULL UNION ALL "
	for q, want := range map[string]string{
		roots + "SELECT c.n + 1, t.id FROM o c JOIN d.tree t ON t.up = c.id AND c.n < 9) SELECT id FROM o ORDER BY id":                                      "1,2,3,4,5",
		roots + "SELECT n + 1, t.id FROM o, d.tree t WHERE t.up = o.id) SELECT id FROM o WHERE n = 2":                                                       "2,3",
		roots + "SELECT n + 1, t.id FROM d.tree t JOIN o ON t.up = o.id LEFT JOIN d.tree u ON u.up = t.id WHERE u.id IS NULL) SELECT id FROM o ORDER BY id": "1,2,5",
	} {
		wantNumbers(t, r, q, want)
	}
}

// TestDerivedConditions: a condition on a derived table, a view or a common table expression changes none of its rows.
func TestDerivedConditions(t *testing.T) {
	r := joinTables(t)
	for q, want := range map[string]string{
		"SELECT dd.id FROM d.dd WHERE EXISTS (SELECT 1 FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) rn FROM d.item) w WHERE w.id = dd.id AND w.rn <= 1)": "1",
		"SELECT dd.id FROM d.dd WHERE EXISTS (SELECT 1 FROM (SELECT id FROM d.item ORDER BY id LIMIT 1 OFFSET 2) w WHERE w.id = dd.id)":                      "3",
		"SELECT id FROM (SELECT id FROM d.item ORDER BY id LIMIT 2) x WHERE id > 1":                                                                          "2",
		"SELECT n FROM (SELECT id, COUNT(*) OVER (PARTITION BY v) n FROM d.item) x WHERE id = 1":                                                             "2",
		"SELECT n FROM (SELECT v, SUM(id) OVER (PARTITION BY v ORDER BY id) n FROM d.item) x WHERE v = 2":                                                    "3,7",
		"SELECT n FROM (SELECT v, COUNT(*) n FROM d.item GROUP BY v WITH ROLLUP) x WHERE v = 1":                                                              "2",
		"SELECT n FROM (SELECT SUM(id) n FROM d.item) x WHERE n > 100":                                                                                       "",
		"SELECT n FROM (SELECT v, SUM(id) n FROM d.item GROUP BY v) x WHERE n > 3 AND v > 0":                                                                 "7",
		"WITH x AS (SELECT id, LAG(id) OVER (ORDER BY id) n FROM d.item) SELECT n FROM x WHERE id = 3":                                                       "2",
		"SELECT id FROM (SELECT id FROM d.item UNION ALL SELECT id + 10 FROM d.item ORDER BY 1 LIMIT 3) x WHERE id > 2":                                      "3",
		"SELECT n FROM (SELECT id, @n := @n + 1 n FROM d.item, (SELECT @n := 0) z) x WHERE id = 3":                                                           "3",
		"SELECT id FROM (SELECT DISTINCT v id, 1 z FROM d.item) x WHERE id = 1 AND id = 2":                                                                   "",
		"SELECT id FROM d.dd WHERE NOT EXISTS (SELECT 1 FROM (SELECT MAX(id) id FROM d.item) w WHERE w.id = dd.id)":                                          "1,2,3",
	} {
		wantNumbers(t, r, q, want)
	}
	r.exec(t, "CREATE VIEW d.w AS SELECT id, ROW_NUMBER() OVER (ORDER BY id DESC) rn FROM d.item")
	wantNumbers(t, r, "SELECT rn FROM d.w WHERE id = 1", "4")
	r.exec(t, "DELETE FROM d.dd WHERE EXISTS (SELECT 1 FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) rn FROM d.item) w WHERE w.id = dd.id AND w.rn <= 1)")
	wantNumbers(t, r, "SELECT id FROM d.dd", "2,3,4")
}

// TestSubqueryConditions: EXISTS, IN and comparisons with a subquery let through the same rows, whether they become joins or not.
func TestSubqueryConditions(t *testing.T) {
	r := joinTables(t)
	for q, want := range map[string]string{
		"SELECT id FROM d.a WHERE d NOT IN (SELECT d FROM d.b)":                                                            "",
		"SELECT id FROM d.a WHERE d NOT IN (SELECT d FROM d.b WHERE d IS NOT NULL)":                                        "2",
		"SELECT id FROM d.a WHERE id NOT IN (SELECT id FROM d.b)":                                                          "5",
		"SELECT id FROM d.a WHERE (id, d) NOT IN (SELECT id, d FROM d.b)":                                                  "2,5",
		"SELECT id FROM d.a WHERE (id, d) IN (SELECT id, d FROM d.b)":                                                      "1,3",
		"SELECT id FROM d.a WHERE EXISTS (SELECT COUNT(*) FROM d.b WHERE b.d = a.d)":                                       "1,2,3,4,5",
		"SELECT id FROM d.a WHERE EXISTS (SELECT 1 FROM d.b WHERE b.d = a.d LIMIT 0)":                                      "",
		"SELECT id FROM d.a WHERE EXISTS (SELECT 1 FROM d.b WHERE b.d = a.d LIMIT 1)":                                      "1,3,5",
		"SELECT id FROM d.a WHERE EXISTS (SELECT b.d FROM d.b WHERE b.d = a.d GROUP BY b.d)":                               "1,3,5",
		"SELECT id FROM d.a WHERE NOT (d > (SELECT MAX(d) FROM d.b WHERE d > 100))":                                        "",
		"SELECT id FROM d.a WHERE d = (SELECT MAX(d) FROM d.b)":                                                            "3,5",
		"SELECT id FROM d.a WHERE EXISTS (SELECT 1 FROM d.b) AND EXISTS (SELECT 1 FROM d.c WHERE c.d = a.d)":               "1,2",
		"SELECT id FROM d.a WHERE EXISTS ((SELECT 1 FROM d.b WHERE b.id = 9) UNION (SELECT 2 FROM d.c WHERE c.id = a.id))": "1,2,3,4",
	} {
		wantNumbers(t, r, q, want)
	}
	if got := errorNumber(r.db.QueryRow("SELECT id FROM d.a WHERE d = (SELECT d FROM d.b)").Scan(new(int))); got != "1242" {
		t.Errorf("a scalar subquery of several rows: %s", got)
	}
}

// wantNumbers compares the numbers that q selects, in order, with a list of them.
func wantNumbers(t *testing.T, r *running, q, want string) {
	t.Helper()
	got := r.query(t, q)
	slices.Sort(got)
	if s := strings.Join(got, ","); s != want {
		t.Errorf("%s\n got %s\nwant %s", q, s, want)
	}
}

// TestJoinedTypes: values of each pair of types are joined if they are equal, whatever the way of the join and whatever keys there are, and
// so they are in IN, EXISTS, UPDATE and DELETE.
func TestJoinedTypes(t *testing.T) {
	r := serve(t, Options{})
	r.exec(t, "CREATE DATABASE d")
	columns := map[string]string{
		"INT":                                    "1, 2, 3, NULL, 20240101",
		"BIGINT UNSIGNED":                        "1, 2, 18446744073709551615, NULL",
		"TINYINT":                                "1, 2, -1, NULL",
		"DECIMAL(10,2)":                          "1.50, 2.00, 1.00, NULL",
		"DECIMAL(20,0)":                          "2, 18446744073709551615, NULL",
		"DOUBLE":                                 "1.5, 2, 0.1, NULL",
		"FLOAT":                                  "1.5, 2, 0.1, NULL",
		"VARCHAR(10) COLLATE utf8mb4_0900_ai_ci": "'a', 'A', 'b', '1', '1.5', '2', 'é', NULL",
		"VARCHAR(10) COLLATE utf8mb4_bin":        "'a', 'A', 'B', '1', '1.50', 'é', NULL",
		"CHAR(10) COLLATE utf8mb4_general_ci":    "'a', 'B', 'E', NULL",
		"VARBINARY(10)":                          "'a', 'b', '1', NULL",
		"DATE":                                   "'2024-01-01', '2024-01-02', NULL",
		"DATETIME(3)":                            "'2024-01-01 00:00:00', '2024-01-02 10:00:00.5', NULL",
		"TIME":                                   "'10:00:00', '00:00:01', NULL",
		"YEAR":                                   "2001, 2002, NULL",
		"ENUM('a','b','1')":                      "'a', 'b', '1', NULL",
		"BIT(8)":                                 "1, 2, NULL",
	}
	var names []string
	for _, typ := range slices.Sorted(func(yield func(string) bool) {
		for typ := range columns {
			if !yield(typ) {
				return
			}
		}
	}) {
		n := len(names)
		for i, key := range []string{"", ", KEY (v)"} {
			name := fmt.Sprintf("d.t%d%c", n, 'a'+i)
			r.exec(t, fmt.Sprintf("CREATE TABLE %s (id INT PRIMARY KEY AUTO_INCREMENT, v %s%s)", name, typ, key))
			for _, v := range strings.Split(columns[typ], ", ") {
				r.exec(t, fmt.Sprintf("INSERT INTO %s (v) VALUES (%s)", name, v))
			}
		}
		names = append(names, typ)
	}
	c, _ := r.conn(t)
	for l := range names {
		for k := range names {
			left, right := fmt.Sprintf("d.t%da", l), fmt.Sprintf("d.t%da", k)
			pairs, ids := []string{}, map[string]bool{}
			compared, err := sortedRows(t.Context(), c, fmt.Sprintf("SELECT l.id, r.id, l.v = r.v FROM %s l, %s r", left, right))
			if err != nil {
				continue // a text that is no date
			}
			for _, row := range compared {
				f := strings.Split(row, "|")
				if f[2] == "1" {
					pairs, ids[f[0]] = append(pairs, f[0]+"|"+f[1]), true
				}
			}
			slices.Sort(pairs)
			var in []string
			for id := range ids {
				in = append(in, id)
			}
			slices.Sort(in)
			check := func(q string, want []string) {
				got := r.query(t, q)
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("%s with %s\n%s\n got %q\nwant %q", names[l], names[k], q, got, want)
				}
			}
			for _, keys := range []string{"aa", "ab", "ba", "bb"} {
				from := fmt.Sprintf("d.t%d%c l", l, keys[0])
				other := fmt.Sprintf("d.t%d%c r", k, keys[1])
				for _, hint := range []string{"", "/*+ JOIN_ORDER(l, r) LOOKUP_JOIN(l, r) */", "/*+ JOIN_ORDER(r, l) HASH_JOIN(l, r) */", "/*+ MERGE_JOIN(l, r) */"} {
					check(fmt.Sprintf("SELECT %s l.id, r.id FROM %s JOIN %s ON l.v = r.v", hint, from, other), pairs)
				}
				check(fmt.Sprintf("SELECT id FROM %s WHERE v IN (SELECT v FROM %s)", from, other), in)
				check(fmt.Sprintf("SELECT id FROM %s WHERE EXISTS (SELECT 1 FROM %s WHERE r.v = l.v)", from, other), in)
			}
		}
	}
}
