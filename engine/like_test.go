package engine

import (
	"slices"
	"strings"
	"testing"

	"pfsd/tables"
)

// TestLikeOfAColumn asks for what begins with a text, which an index may find, in every way that there is to ask.
func TestLikeOfAColumn(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	words := []string{"s", "sa", "shop", "sys", "szz", "sÿ", "s😀", "s%", "S_x", "t", "r", "żs", ""}
	r.exec(t, "CREATE TABLE test.l (n INT PRIMARY KEY, ci VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, cs VARCHAR(20) COLLATE utf8mb4_0900_as_cs, bin VARCHAR(20) COLLATE utf8mb4_bin, old VARCHAR(20) COLLATE utf8mb4_general_ci, KEY (ci), KEY (cs), KEY (bin), KEY (old))")
	for i, w := range words {
		if _, err := r.db.Exec("INSERT INTO test.l VALUES (?, ?, ?, ?, ?)", i, w, w, w, w); err != nil {
			t.Fatal(err)
		}
	}
	fold := strings.NewReplacer("ÿ", "y", "ż", "z")
	for _, column := range []string{"ci", "cs", "bin", "old"} {
		for _, prefix := range []string{"s", "sy", "SY", "t", "ż"} {
			var want, wantNot []string
			for _, w := range words {
				text, begin := w, prefix
				if column == "ci" || column == "old" {
					text, begin = fold.Replace(strings.ToLower(w)), fold.Replace(strings.ToLower(prefix))
				}
				if strings.HasPrefix(text, begin) {
					want = append(want, w)
				} else {
					wantNot = append(wantNot, w)
				}
			}
			slices.Sort(want)
			slices.Sort(wantNot)
			for _, q := range []string{
				"SELECT w FROM (SELECT " + column + " AS w FROM test.l LIMIT 100) d WHERE w LIKE '" + prefix + "%'",
				"SELECT " + column + " FROM test.l WHERE " + column + " LIKE '" + prefix + "%'",
				"SELECT " + column + " FROM test.l IGNORE INDEX (" + column + ") WHERE " + column + " LIKE '" + prefix + "%'",
				"SELECT " + column + " FROM test.l WHERE " + column + " LIKE '" + prefix + "%' ESCAPE '!'",
				"SELECT " + column + " FROM test.l WHERE n IN (SELECT n FROM test.l WHERE " + column + " LIKE '" + prefix + "%')",
			} {
				got := r.query(t, q)
				if slices.Sort(got); !slices.Equal(got, want) {
					t.Errorf("%s: %q, not %q", q, got, want)
				}
			}
			got := r.query(t, "SELECT "+column+" FROM test.l WHERE "+column+" NOT LIKE '"+prefix+"%'")
			if slices.Sort(got); !slices.Equal(got, wantNot) {
				t.Errorf("%s NOT LIKE '%s%%': %q, not %q", column, prefix, got, wantNot)
			}
		}
	}
	r.want(t, `SELECT ci FROM test.l WHERE ci LIKE 's\%%'`, "s%")
	r.want(t, `SELECT ci FROM test.l WHERE ci LIKE 's\_%'`, "S_x")
	r.want(t, `SELECT LENGTH('\%_\_\n'), 'ab' LIKE 'a\_', 'a_' LIKE 'a\_', 'a%' LIKE "a\%", 'a\\' LIKE 'a\\\\'`, "6|0|1|1|1")
	r.exec(t, `CREATE VIEW test.v AS SELECT ci FROM test.l WHERE ci LIKE 's\_%'`)
	r.want(t, "SELECT * FROM test.v", "S_x")
	r.want(t, "SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_NAME = 'v'", `SELECT ci FROM test.l WHERE ci LIKE 's\_%'`)
	r.exec(t, `CREATE PROCEDURE test.p() BEGIN SELECT 'x' AS x; SELECT ci FROM test.l WHERE ci LIKE 's\_%'; END`)
	if results, err := called(t, r.session(t).conn, "CALL test.p()"); err != nil || len(results) != 2 || len(results[1]) != 2 || results[1][1] != "S_x" {
		t.Errorf("the procedure answers %q, %v", results, err)
	}
	var word string
	if err := r.db.QueryRow(`SELECT ci FROM test.l WHERE ci LIKE 's\_%' AND n > ?`, 0).Scan(&word); err != nil || word != "S_x" {
		t.Errorf("the prepared statement answers %q, %v", word, err)
	}
	r.want(t, "SELECT COUNT(*) FROM test.l WHERE ci LIKE 's_'", "4")
	r.want(t, "SELECT ci FROM test.l WHERE ci LIKE 'SHOP'", "shop")
	r.want(t, "SELECT w FROM (SELECT CONCAT('Ab', 'C') AS w) d WHERE w LIKE 'ab%' AND w LIKE '%bc' AND w LIKE 'a_c'", "AbC")
	r.want(t, "SHOW DATABASES LIKE 's%'", "sys")
	r.exec(t, "CREATE TABLE test.m (a VARCHAR(20))")
	for q, want := range map[string]string{
		"SELECT old FROM test.l WHERE old LIKE 's%'": "range scan on l using old over",
		"SELECT a FROM test.m WHERE a LIKE 's%'":     "(m.a like 's%')",
	} {
		if plan := r.query(t, "EXPLAIN FORMAT=TREE "+q)[0]; !strings.Contains(plan, want) {
			t.Errorf("%s: %s", q, plan)
		}
	}
}

// TestLikeOfBytes: where the column or the pattern is BINARY, letters are those that they are.
func TestLikeOfBytes(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.b (w VARCHAR(10))")
	r.exec(t, "INSERT INTO test.b VALUES ('a'), ('A'), ('Ab')")
	for pattern, want := range map[string]string{
		"w LIKE 'a%'": "A,a,Ab", "w LIKE BINARY 'A%'": "A,Ab", "w LIKE BINARY 'a%'": "a", "w LIKE CAST('A%' AS BINARY)": "A,Ab", "w NOT LIKE BINARY 'A%'": "a",
		"BINARY w LIKE 'A%'": "A,Ab", "w LIKE BINARY '%B'": "NULL", "w LIKE BINARY CONCAT('A', '%')": "A,Ab", "'A' LIKE BINARY w": "A",
	} {
		r.want(t, "SELECT GROUP_CONCAT(w ORDER BY LENGTH(w), BINARY w) FROM test.b WHERE "+pattern, want)
		r.want(t, "SELECT GROUP_CONCAT(IF("+pattern+", w, NULL) ORDER BY LENGTH(w), BINARY w) FROM test.b", want)
	}
	if got := r.query(t, "SELECT w FROM test.b WHERE w LIKE BINARY ?", "A_"); len(got) != 1 || got[0] != "Ab" {
		t.Errorf("prepared: %q", got)
	}
}
