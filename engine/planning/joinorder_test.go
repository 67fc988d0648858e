package planning

import (
	"fmt"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"pfsd/engine/mends/mendtest"
)

// The rule does not let go-mysql-server try all orders of many tables.
func TestJoinOrder(t *testing.T) {
	provider := memory.NewDBProvider(memory.NewDatabase("d"))
	const few = 8 << 20
	query := "SELECT 1 FROM t t0"
	for i := range 9 {
		query += fmt.Sprintf(" JOIN t t%d ON t%d.a = t%d.a", i+1, i, i+1)
	}
	planned := func(ordered bool) uint64 {
		e := sqle.NewDefault(provider)
		defer func() { _ = e.Close() }()
		if ordered {
			if err := ReplaceRule(e.Analyzer, "optimizeJoins", func(r analyzer.Rule) []analyzer.Rule {
				return []analyzer.Rule{{Id: r.Id, Apply: JoinOrder(r.Apply)}}
			}); err != nil {
				t.Fatal(err)
			}
		}
		ctx := sql.NewContext(t.Context(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
		ctx.SetCurrentDatabase("d")
		_, rows, _, err := e.Query(ctx, "CREATE TABLE IF NOT EXISTS t (a INT PRIMARY KEY)")
		if err == nil {
			_, err = sql.RowIterToRows(ctx, rows)
		}
		if err != nil {
			t.Fatal(err)
		}
		return mendtest.Allocated(func() {
			if _, err := e.AnalyzeQuery(ctx, query); err != nil {
				t.Error(err)
			}
		})
	}
	if planned(false) < few {
		mendtest.NoLongerNeeded(t, "joinorder.go")
	}
	if n := planned(true); n >= few {
		t.Errorf("a join of ten tables takes %d bytes to plan", n)
	}
}
