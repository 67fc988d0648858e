package engine

import (
	"fmt"
	"strings"
	"testing"
)

// wideSelect selects n columns a0, a1 ...
func wideSelect(n int) string {
	var b strings.Builder
	b.WriteString("SELECT 0 AS a0")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, ",%d AS a%d", i, i)
	}
	return b.String()
}

// TestNestedColumns: many columns through many views or derived tables are refused before they are planned, some are not.
func TestNestedColumns(t *testing.T) {
	_, c := calls(t, "")
	exec := func(q string) error {
		_, err := c.ExecContext(t.Context(), q)
		return err
	}
	must := func(q string) {
		t.Helper()
		if err := exec(q); err != nil {
			t.Fatalf("%.200s: %v", q, err)
		}
	}
	refused := func(q string) {
		t.Helper()
		if err := exec(q); err == nil || !strings.HasPrefix(code(err), "1117 ") && !strings.HasPrefix(code(err), "1436 ") { // too deep, before the columns are counted
			t.Errorf("%.200s: %v", q, err)
		}
	}
	const columns, levels = 800, 12
	must("CREATE VIEW w0 AS SELECT 1 AS a0")
	for i := range levels {
		must(fmt.Sprintf("CREATE VIEW w%d AS SELECT * FROM w%d", i+1, i))
	}
	must("CREATE PROCEDURE wide() SELECT COUNT(*) FROM w12")
	must("CALL wide()")
	var definitions []string
	for i := range columns {
		definitions = append(definitions, fmt.Sprintf("a%d INT", i))
	}
	must("CREATE TABLE wide_table (" + strings.Join(definitions, ", ") + ")")
	const deep = 9 // more are too many queries in each other
	derived := func(inner string, n int) string {
		for i := range n {
			inner = fmt.Sprintf("SELECT * FROM (%s) x%d", inner, i)
		}
		return inner
	}
	for _, inner := range []string{wideSelect(columns), "SELECT * FROM wide_table"} {
		must("CREATE OR REPLACE VIEW w0 AS " + inner)
		must("SELECT * FROM w1")
		refused("SELECT * FROM w12")
		refused("SELECT a0 FROM w12")
		refused("CREATE VIEW w13 AS SELECT * FROM w12")
		refused("CREATE TABLE copy AS SELECT * FROM w12")
		refused("EXPLAIN SELECT * FROM w12")
		refused("CALL wide()")
		must(derived(inner, 1))
		refused(derived(inner, deep))
		refused("INSERT INTO t (a) SELECT 1 FROM (" + derived(inner, deep) + ") y")
	}
	must("SELECT * FROM sys.processlist, sys.metrics LIMIT 0")
}
