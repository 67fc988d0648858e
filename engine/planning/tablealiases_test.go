package planning

import (
	"errors"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends/mendtest"
)

// A plan has no alias of an alias when its join order is chosen.
func TestTableAliases(t *testing.T) {
	provider := memory.NewDBProvider(memory.NewDatabase("d"))
	seen := errors.New("seen")
	nested := func(merged bool) (aliases int) {
		e := sqle.NewDefault(provider)
		defer func() { _ = e.Close() }()
		look := func(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
			transform.Inspect(n, func(n sql.Node) bool {
				if outer, ok := n.(*plan.TableAlias); ok {
					if _, ok := outer.Child.(*plan.TableAlias); ok {
						aliases++
					}
				}
				return true
			})
			return n, transform.SameTree, seen // before the choice that does not end
		}
		ctx := sql.NewContext(t.Context(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
		ctx.SetCurrentDatabase("d")
		_, rows, _, err := e.Query(ctx, "CREATE TABLE IF NOT EXISTS t (a INT, b INT)")
		if err == nil {
			_, err = sql.RowIterToRows(ctx, rows)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := ReplaceRule(e.Analyzer, "optimizeJoins", func(analyzer.Rule) (rules []analyzer.Rule) {
			if merged {
				rules = append(rules, analyzer.Rule{Id: -1001, Apply: TableAliases})
			}
			return append(rules, analyzer.Rule{Id: -1002, Apply: look})
		}); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := e.Query(ctx, "SELECT b FROM t WHERE EXISTS (SELECT 1 FROM t AS t WHERE t.a = 1)"); !errors.Is(err, seen) {
			t.Fatal(err)
		}
		return aliases
	}
	if n := nested(true); n > 0 {
		t.Errorf("%d aliases of aliases", n)
	}
	if nested(false) == 0 {
		mendtest.NoLongerNeeded(t, "tablealiases.go")
	}
}
