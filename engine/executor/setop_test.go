package executor

import (
	"fmt"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends/mendtest"
)

func TestSortSetOp(t *testing.T) {
	provider := memory.NewDBProvider(memory.NewDatabase("d"))
	e := sqle.NewDefault(provider)
	defer func() { _ = e.Close() }()
	ctx := sql.NewContext(t.Context(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
	ctx.SetCurrentDatabase("d")
	rows := func(n sql.Node) string {
		t.Helper()
		it, err := e.Analyzer.ExecBuilder.Build(ctx, n, nil)
		if err != nil {
			t.Fatal(err)
		}
		all, err := sql.RowIterToRows(ctx, it)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(all)
	}
	setOp := func(q string) (found *plan.SetOp) {
		t.Helper()
		n, err := e.AnalyzeQuery(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		transform.Inspect(n, func(n sql.Node) bool {
			if s, ok := n.(*plan.SetOp); ok && found == nil {
				found = s
			}
			return true
		})
		return found
	}
	const q = "(SELECT 3 AS a) UNION (SELECT 1) UNION (SELECT 2) ORDER BY a LIMIT 2 OFFSET 1"
	if rows(setOp(q)) == "[[2] [3]]" {
		mendtest.NoLongerNeeded(t, "setop.go")
	}
	if got := rows(SortSetOp(ctx, setOp(q))); got != "[[2] [3]]" {
		t.Errorf("got %s", got)
	}
	if SortSetOp(ctx, setOp("SELECT 1 UNION SELECT 2")) != nil {
		t.Error("there is nothing to sort")
	}
}
