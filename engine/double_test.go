package engine

import (
	"database/sql"
	"fmt"
	"slices"
	"testing"

	"pfsd/tables"
)

// TestDoubles: a quantile arrives in each of the ways that rows go to a client, with six
// decimals in text, and is a number in expressions.
func TestDoubles(t *testing.T) {
	quantiles := &valueTable{readOnlyTable: readOnlyTable{name: "quantiles", columns: []tables.ColumnInfo{
		{Name: "ID", Kind: tables.Kind{Type: tables.TypeBigIntUnsigned}},
		{Name: "QUANTILE", Kind: tables.Kind{Type: tables.TypeDouble, Len: 7, Decimals: 6, Nullable: true}},
	}}}
	const rows = 1000
	var all []string
	for i := range rows {
		v, text := tables.Double(float64(i)/rows), fmt.Sprintf("%.6f", float64(i)/rows)
		if i%10 == 9 {
			v, text = tables.Null, "NULL"
		}
		quantiles.rows = append(quantiles.rows, []tables.Value{tables.Uint(uint64(i)), v})
		all = append(all, text)
	}
	r := serve(t, Options{}, quantiles)
	text := func(query string, args ...any) (out []string) {
		t.Helper()
		q, err := r.db.Query(query, args...)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		defer func() { _ = q.Close() }()
		columns, err := q.ColumnTypes()
		if err != nil {
			t.Fatal(err)
		}
		if _, scale, ok := columns[0].DecimalSize(); !ok || scale != 6 || columns[0].DatabaseTypeName() != "DOUBLE" {
			t.Errorf("%s: a client is told %s, %d decimals", query, columns[0].DatabaseTypeName(), scale)
		}
		for q.Next() {
			var v sql.NullFloat64
			if err := q.Scan(&v); err != nil {
				t.Fatal(err)
			}
			if v.Valid {
				out = append(out, fmt.Sprintf("%.6f", v.Float64))
			} else {
				out = append(out, "NULL")
			}
		}
		if err := q.Err(); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, q := range []struct {
		text string
		args []any
	}{
		{"SELECT QUANTILE FROM quantiles", nil},                                 // past the protocol layer, but for the first rows
		{"SELECT QUANTILE FROM quantiles WHERE ID >= 0", nil},                   // rows of values
		{"SELECT q FROM (SELECT QUANTILE q FROM quantiles ORDER BY ID) s", nil}, // from a subquery
		{"SELECT QUANTILE FROM quantiles WHERE ID >= ?", []any{0}},              // the binary protocol
		{"SELECT QUANTILE FROM quantiles WHERE ? = 1 ORDER BY ID, QUANTILE", []any{1}},
	} {
		if got := text(q.text, q.args...); !slices.Equal(got, all) {
			t.Errorf("%s: got %q", q.text, got[:20])
		}
	}
	if got := text("SELECT MAX(QUANTILE) FROM quantiles"); !slices.Equal(got, []string{"0.998000"}) {
		t.Errorf("the greatest is %q", got)
	}
	for q, want := range map[string]string{
		"SELECT COUNT(*) FROM quantiles WHERE QUANTILE > 0.5":                                         "449",
		"SELECT COUNT(*) FROM quantiles WHERE QUANTILE = 0.25":                                        "1",
		"SELECT ID FROM quantiles WHERE QUANTILE = '0.250'":                                           "250",
		"SELECT ID + 0 FROM quantiles WHERE QUANTILE > '9.97e-1'":                                     "998",
		"SELECT COUNT(*) FROM quantiles WHERE QUANTILE = '0.25'":                                      "1",
		"SELECT COUNT(*) FROM quantiles WHERE QUANTILE IN (0.25, 5e-1, '0.75')":                       "3",
		"SELECT COUNT(*) FROM quantiles WHERE QUANTILE BETWEEN 0.1 AND 0.2":                           "91",
		"SELECT COUNT(*) FROM quantiles WHERE QUANTILE IS NULL":                                       "100",
		"SELECT ID FROM quantiles WHERE QUANTILE >= 0.95 ORDER BY QUANTILE LIMIT 1":                   "950",
		"SELECT QUANTILE * 2, QUANTILE + ID, QUANTILE / 4 FROM quantiles WHERE ID = 500":              "1|500.5|0.125",
		"SELECT ROUND(QUANTILE * 100), FLOOR(QUANTILE), -QUANTILE FROM quantiles WHERE ID = 250":      "25|0|-0.25",
		"SELECT QUANTILE > 0.9, IF(QUANTILE > 0.9, 'slow', 'fast') FROM quantiles WHERE ID = 998":     "1|slow",
		"SELECT COALESCE(QUANTILE, 0.5), IFNULL(QUANTILE, 1) FROM quantiles WHERE ID = 999":           "0.5|1",
		"SELECT SUM(QUANTILE) BETWEEN 448 AND 450, AVG(QUANTILE) BETWEEN 0.49 AND 0.5 FROM quantiles": "1|1",
		"SELECT q * 2 FROM (SELECT QUANTILE q FROM quantiles WHERE ID = 500) s":                       "1",
		"SELECT a.ID FROM quantiles a JOIN quantiles b ON a.QUANTILE = b.QUANTILE * 2 WHERE b.ID = 7": "14",
		"SELECT COUNT(*) FROM quantiles GROUP BY QUANTILE > 0.5 HAVING MAX(QUANTILE) > 0.9":           "449",
		"SELECT (SELECT MAX(QUANTILE) FROM quantiles) + 1":                                            "1.998",
		"SELECT CONCAT(QUANTILE * 1, '') FROM quantiles WHERE ID = 500":                               "0.5",
	} {
		if got := r.query(t, q); len(got) != 1 || got[0] != want {
			t.Errorf("%s\n got %q\nwant %q", q, got, want)
		}
	}
	r.want(t, "SELECT COLUMN_TYPE, DATA_TYPE, COLUMN_DEFAULT FROM information_schema.COLUMNS WHERE TABLE_NAME = 'quantiles' AND COLUMN_NAME = 'QUANTILE'", "double(7,6)|double|NULL")
	r.want(t, "DESCRIBE quantiles", "ID|bigint unsigned|NO||NULL|", "QUANTILE|double(7,6)|YES||NULL|")
}
