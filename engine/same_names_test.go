package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSameNamesInside: a query whose subqueries name their tables as it names its own is planned, and yields what it yields with names
// that differ. {I} and {J} are the names inside.
func TestSameNamesInside(t *testing.T) {
	r := serve(t, Options{})
	r.exec(t, "CREATE DATABASE d")
	db := r.open(t, "")
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // of statements that never end
	defer cancel()
	rows := func(q string) (all []string) {
		t.Helper()
		found, err := c.QueryContext(ctx, q)
		if err != nil {
			t.Errorf("%s: %v", q, err)
			return nil
		}
		defer func() { _ = found.Close() }()
		for found.Next() {
			var cell *string
			if err := found.Scan(&cell); err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprint(cell == nil))
			if cell != nil {
				all[len(all)-1] = *cell
			}
		}
		if err := found.Err(); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		slices.Sort(all)
		return all
	}
	for _, q := range []string{
		"USE d", "CREATE TABLE t (x INT, db INT)", "INSERT INTO t VALUES (1, 10), (2, 20), (NULL, 30)",
		"CREATE TABLE w (x INT, db INT, o INT)", "INSERT INTO w VALUES (1, 1, 1), (2, 2, 5), (3, 3, NULL), (4, 4, 2)",
		"CREATE TABLE u (x INT PRIMARY KEY, y INT)", "INSERT INTO u VALUES (1, 1), (2, 7), (3, 3), (4, 4)",
	} {
		rows(q)
	}
	conditions := []string{
		"EXISTS (SELECT 1 FROM t AS {I} WHERE {I}.x = o)", "NOT EXISTS (SELECT 1 FROM t AS {I} WHERE {I}.x = o)",
		"EXISTS (SELECT 1 FROM t AS {I} WHERE {I}.x = 1)", "NOT EXISTS (SELECT 1 FROM t AS {I} WHERE {I}.x = 9)",
		"EXISTS (SELECT {I}.* FROM t AS {I} JOIN u AS {J} ON {J}.x = {I}.x WHERE {I}.x = o)",
		"o IN (SELECT {I}.x FROM t AS {I} WHERE {I}.db > o)", "o NOT IN (SELECT {I}.x FROM t AS {I} WHERE {I}.x IS NOT NULL)",
		"o = (SELECT MAX({I}.x) FROM t AS {I} WHERE {I}.x = o)", "o >= ANY (SELECT {I}.x FROM t AS {I})",
		"EXISTS (SELECT 1 FROM t AS {I} WHERE {I}.x = o AND EXISTS (SELECT 1 FROM t AS {J} WHERE {J}.x = o))",
		"EXISTS (SELECT 1 FROM t AS {I} WHERE {I}.x = o) AND EXISTS (SELECT 1 FROM t AS {I} WHERE {I}.x = o)",
		"EXISTS (SELECT 1 FROM (SELECT {I}.x FROM t AS {I}) AS {J} WHERE {J}.x = o)",
		"EXISTS (SELECT 1 FROM t AS {I} LEFT JOIN t AS {J} ON {J}.x = {I}.x WHERE {J}.x = o)",
		"EXISTS (SELECT {I}.x FROM t AS {I} WHERE {I}.x = o GROUP BY {I}.x HAVING COUNT(*) > 0)",
		"EXISTS (SELECT 1 FROM t AS {I} WHERE {I}.x = o UNION SELECT 1 FROM t AS {J} WHERE {J}.x = o)",
	}
	froms := []string{"w AS t", "w AS t JOIN u ON u.x = t.x", "u LEFT JOIN w AS t ON u.x = t.x"}
	uses := []string{"SELECT o FROM %s WHERE %s", "SELECT * FROM (SELECT o FROM %s WHERE %s) t", "WITH c AS (SELECT o FROM %s WHERE %s) SELECT o FROM c AS t", "SELECT COUNT(*) FROM %s WHERE NOT (%s)"}
	differ := strings.NewReplacer("{I}", "i", "{J}", "j")
	for _, where := range conditions {
		for _, inside := range [][2]string{{"t", "u"}, {"u", "t"}, {"t", "w"}} {
			same := strings.NewReplacer("{I}", inside[0], "{J}", inside[1]).Replace(where)
			for _, from := range froms {
				for _, use := range uses {
					q := fmt.Sprintf(use, from, same)
					if got, want := rows(q), rows(fmt.Sprintf(use, from, differ.Replace(where))); !slices.Equal(got, want) {
						t.Errorf("%s\n got %q\nwant %q", q, got, want)
					}
				}
			}
		}
	}
	rows("CREATE VIEW v AS SELECT db FROM t WHERE EXISTS (SELECT 1 FROM t AS t WHERE t.x = x)")
	for q, want := range map[string][]string{
		"SELECT db FROM v": {"10", "20", "30"},
		"SELECT db FROM t WHERE EXISTS (SELECT 1 FROM t AS t WHERE t.x = x)":                                                     {"10", "20", "30"},
		"SELECT db FROM t WHERE EXISTS (SELECT 1 FROM t WHERE t.x = x)":                                                          {"10", "20", "30"},
		"SELECT db FROM t WHERE NOT EXISTS (SELECT 1 FROM t AS t WHERE t.x = 9)":                                                 {"10", "20", "30"},
		"SELECT db FROM t WHERE EXISTS (SELECT 1 FROM t AS T WHERE t.x = x AND EXISTS (SELECT 1 FROM d.t AS t WHERE t.db = 30))": {"10", "20", "30"},
	} {
		if got := rows(q); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", q, got, want)
		}
	}
	rows("DELETE FROM w WHERE EXISTS (SELECT 1 FROM t AS w WHERE w.x = o) OR EXISTS (SELECT 1 FROM t AS t WHERE t.x = 9)")
	if got, want := rows("SELECT o FROM w"), []string{"5", "true"}; !slices.Equal(got, want) {
		t.Errorf("w has %q, want %q", got, want)
	}
}
