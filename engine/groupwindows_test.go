package engine

import (
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"

	"pfsd/tables"
)

// TestWindowsOverGroups: windows are over the rows that grouping leaves. What they are of is compared with the same from a
// derived table that groups first.
func TestWindowsOverGroups(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	db := r.open(t, "")
	db.SetMaxOpenConns(1)
	for _, q := range []string{
		"USE test", "CREATE TABLE sold (shop INT, word VARCHAR(10), n INT, price DECIMAL(8,2))",
		"INSERT INTO sold VALUES (1,'a',3,1.5), (1,'b',1,2.5), (2,'a',7,0.5), (2,'c',NULL,4), (3,'b',4,1), (3,'c',2,NULL), (3,'a',2,3)",
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	asRows := func(q string, prepared bool) string {
		t.Helper()
		query := func() (*sql.Rows, error) { return db.Query(q) }
		if prepared {
			st, err := db.Prepare(q)
			if err != nil {
				return code(err)
			}
			defer func() { _ = st.Close() }()
			query = func() (*sql.Rows, error) { return st.Query() }
		}
		rows, err := query()
		if err != nil {
			return code(err)
		}
		defer func() { _ = rows.Close() }()
		columns, err := rows.Columns()
		out := strings.Join(columns, "|")
		cells, to := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			to[i] = &cells[i]
		}
		for rows.Next() && err == nil {
			err = rows.Scan(to...)
			out += "\n"
			for _, c := range cells {
				out += c.String + "|"
			}
		}
		if err := errors.Join(err, rows.Err()); err != nil {
			return code(err)
		}
		return out
	}
	const grouped = "(SELECT shop, SUM(n) AS s, COUNT(*) AS c, MAX(price) AS m FROM sold GROUP BY shop) AS g"
	for _, c := range []struct{ q, same string }{
		{"SELECT shop, RANK() OVER (ORDER BY SUM(n)) AS r FROM sold GROUP BY shop ORDER BY 1", "SELECT shop, RANK() OVER (ORDER BY s) AS r FROM " + grouped + " ORDER BY 1"},
		{"SELECT shop, SUM(COUNT(*)) OVER () AS r FROM sold GROUP BY shop ORDER BY shop", "SELECT shop, SUM(c) OVER () AS r FROM " + grouped + " ORDER BY shop"},
		{"SELECT shop, SUM(n) AS s, SUM(n) / SUM(SUM(n)) OVER () AS share FROM sold GROUP BY shop ORDER BY share DESC LIMIT 2", "SELECT shop, s, s / SUM(s) OVER () AS share FROM " + grouped + " ORDER BY share DESC LIMIT 2"},
		{"SELECT shop, SUM(SUM(n)) OVER (ORDER BY shop) AS r FROM sold GROUP BY 1 ORDER BY 1", "SELECT shop, SUM(s) OVER (ORDER BY shop) AS r FROM " + grouped + " ORDER BY 1"},
		{"SELECT LAG(SUM(n), 1, -1) OVER w AS r, FIRST_VALUE(MAX(price)) OVER w AS f FROM sold GROUP BY shop WINDOW w AS (ORDER BY COUNT(*), shop)",
			"SELECT LAG(s, 1, -1) OVER w AS r, FIRST_VALUE(m) OVER w AS f FROM " + grouped + " WINDOW w AS (ORDER BY c, shop)"},
		{"SELECT shop, RANK() OVER (ORDER BY s) AS r, SUM(n) AS s FROM sold GROUP BY shop HAVING s > 4 ORDER BY shop", "SELECT shop, RANK() OVER (ORDER BY s) AS r, s FROM " + grouped + " WHERE s > 4 ORDER BY shop"},
		{"SELECT shop FROM sold GROUP BY shop ORDER BY RANK() OVER (ORDER BY SUM(n) DESC)", "SELECT shop FROM " + grouped + " ORDER BY s DESC"},
		{"SELECT shop, RANK() OVER (ORDER BY SUM(n)) AS r FROM sold GROUP BY shop ORDER BY r + 0 DESC, SUM(n)", "SELECT shop, RANK() OVER (ORDER BY s) AS r FROM " + grouped + " ORDER BY r + 0 DESC, s"},
		{"SELECT * FROM (SELECT shop, DENSE_RANK() OVER (ORDER BY SUM(n) DESC) AS r FROM sold GROUP BY shop) AS d WHERE r = 1", "SELECT shop, 1 AS r FROM " + grouped + " ORDER BY s DESC LIMIT 1"},
		{"WITH q AS (SELECT shop, ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, shop) AS r FROM sold GROUP BY shop) SELECT * FROM q ORDER BY r", "SELECT shop, ROW_NUMBER() OVER (ORDER BY c DESC, shop) AS r FROM " + grouped + " ORDER BY r"},
		{"SELECT UPPER(word) AS u, COUNT(DISTINCT shop) AS c, NTILE(2) OVER (PARTITION BY UPPER(word) = 'A' ORDER BY COUNT(*), u) AS r FROM sold GROUP BY u ORDER BY u",
			"SELECT u, c, NTILE(2) OVER (PARTITION BY u = 'A' ORDER BY n, u) AS r FROM (SELECT UPPER(word) AS u, COUNT(DISTINCT shop) AS c, COUNT(*) AS n FROM sold GROUP BY UPPER(word)) AS g ORDER BY u"},
		{"SELECT IF(RANK() OVER (ORDER BY SUM(n)) IN (1, 2), CONCAT('low ', shop), CASE WHEN SUM(n) > 5 THEN 'high' ELSE 'none' END) AS r FROM sold GROUP BY shop ORDER BY r",
			"SELECT IF(RANK() OVER (ORDER BY s) IN (1, 2), CONCAT('low ', shop), CASE WHEN s > 5 THEN 'high' ELSE 'none' END) AS r FROM " + grouped + " ORDER BY r"},
		{"SELECT COUNT(*), RANK() OVER () AS r FROM sold", "SELECT 7 AS `COUNT(*)`, 1 AS r"},
		{"SELECT RANK() OVER (ORDER BY SUM(n)) AS r FROM sold", "SELECT 1 AS r"},
		{"SELECT SUM(GROUPING(shop)) OVER () AS g, shop, RANK() OVER (ORDER BY COUNT(*) DESC) AS r FROM sold GROUP BY shop WITH ROLLUP ORDER BY r, shop",
			"SELECT 1 AS g, shop, RANK() OVER (ORDER BY c DESC) AS r FROM (SELECT shop, COUNT(*) AS c FROM sold GROUP BY shop UNION ALL SELECT NULL, COUNT(*) FROM sold) AS d ORDER BY r, shop"},
		{"SELECT DISTINCT COUNT(*) OVER () AS c FROM sold GROUP BY shop", "SELECT 3 AS c"},
		{"SELECT (SELECT MAX(r) FROM (SELECT RANK() OVER (ORDER BY SUM(n)) AS r FROM sold GROUP BY shop) AS i) AS x, s.shop FROM sold AS s GROUP BY s.shop ORDER BY 2", "SELECT 3 AS x, shop FROM " + grouped + " ORDER BY 2"},
		{"SELECT shop, RANK() OVER (ORDER BY SUM(n)) AS r FROM sold GROUP BY shop UNION ALL SELECT 0, SUM(COUNT(*)) OVER () FROM sold ORDER BY shop", "SELECT shop, RANK() OVER (ORDER BY s) AS r FROM " + grouped + " UNION ALL SELECT 0, 7 ORDER BY shop"},
		{"SELECT g.shop, SUM(s.n), RANK() OVER (PARTITION BY g.shop > 1 ORDER BY SUM(s.n) DESC) FROM sold AS s JOIN (SELECT DISTINCT shop FROM sold) AS g USING (shop) GROUP BY g.shop ORDER BY g.shop",
			"SELECT shop, s AS `SUM(s.n)`, RANK() OVER (PARTITION BY shop > 1 ORDER BY s DESC) AS `RANK() OVER (PARTITION BY g.shop > 1 ORDER BY SUM(s.n) DESC)` FROM " + grouped + " ORDER BY shop"},
	} {
		want := asRows(c.same, false)
		for _, prepared := range []bool{false, true} {
			if got := asRows(c.q, prepared); got != want {
				t.Errorf("%s\n got %s\nwant %s", c.q, got, want)
			}
		}
	}
	for q, want := range map[string]string{
		"SELECT shop, MAX(RANK() OVER (ORDER BY shop)) FROM sold GROUP BY shop":            "3593 HY000 You cannot use the window function 'rank' in this context.'",
		"SELECT SUM(SUM(n) OVER ()) OVER () FROM sold":                                     "3593 HY000 You cannot use the window function 'sum' in this context.'",
		"SELECT COUNT(*) FROM sold GROUP BY shop HAVING RANK() OVER (ORDER BY SUM(n)) = 1": "3593 HY000 You cannot use the window function 'rank' in this context.'",
		"SELECT SUM(n) AS s, RANK() OVER (ORDER BY shop) FROM sold GROUP BY 1":             "1056 42000 Can't group on 's'",
		"SELECT shop, word, RANK() OVER (ORDER BY SUM(n)) FROM sold GROUP BY shop":         "1055 42000 Expression #2 of SELECT list is not in GROUP BY clause and contains nonaggregated column 'test.sold.word' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by",
		"SELECT COUNT(*), word, RANK() OVER () FROM sold":                                  "1140 42000 In aggregated query without GROUP BY, expression #2 of SELECT list contains nonaggregated column 'test.sold.word'; this is incompatible with sql_mode=only_full_group_by",
	} {
		if got := asRows(q, false); got != want {
			t.Errorf("%s\n got %s\nwant %s", q, got, want)
		}
	}
	r.exec(t, "CREATE VIEW test.ranked AS SELECT shop, RANK() OVER (ORDER BY SUM(n)) AS r FROM test.sold GROUP BY shop")
	r.exec(t, "CREATE PROCEDURE test.ranks() SELECT shop, RANK() OVER (ORDER BY SUM(n)) AS r FROM test.sold GROUP BY shop ORDER BY shop")
	want := []string{"1|1", "2|2", "3|3"}
	for _, q := range []string{"SELECT * FROM test.ranked ORDER BY shop", "CALL test.ranks()"} {
		if got := r.query(t, q); !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", q, got, want)
		}
	}
}
