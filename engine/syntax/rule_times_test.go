package syntax

import (
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// TestTimes checks that literals of dates and times become calls, and that nothing else does.
func TestTimes(t *testing.T) {
	rewrites(t, map[string]string{
		"SELECT DATE '2024-01-31', time'10:00'":        "SELECT `typed literal`('DATE', '2024-01-31'), `typed literal`('TIME','10:00')",
		"SELECT timestamp \"2024-01-31 10:00:00\" + 1": "SELECT `typed literal`('TIMESTAMP', \"2024-01-31 10:00:00\") + 1",
		"SELECT date/* why */'2024-01-31'":             "SELECT `typed literal`('DATE',/* why */'2024-01-31')",
	})
	keeps(t, "SELECT a AS date, 'x', DATE('2024-01-31')", "SELECT 'date''x', /* date */ 'y', `date` 'z' FROM t", "SELECT t.time 'x' FROM t")
	s, err := Default.ParseSimple("SELECT 1 , DATE '2024-01-31'")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.(*ast.Select).SelectExprs[1].(*ast.AliasedExpr).InputExpression; got != "DATE '2024-01-31'" {
		t.Errorf("the heading is %q", got)
	}
	if s, err := ast.Parse("SELECT DATE '2024-01-31'"); err != nil || !strings.Contains(ast.String(s), "select '2024-01-31'") {
		t.Errorf("vitess keeps the type of a literal (%v): rule_times.go can go", err)
	}
}
