package planning

import (
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"pfsd/engine/mends/mendtest"
)

func TestCommitByDefinitions(t *testing.T) {
	// commits reports whether a transaction ends when it reads a view.
	commits := func(rules ...analyzer.Rule) bool {
		t.Helper()
		provider := memory.NewDBProvider(memory.NewDatabase("d"))
		b := analyzer.NewBuilder(provider)
		for _, r := range rules {
			b.AddPreAnalyzeRule(r.Id, r.Apply)
		}
		e := sqle.New(b.Build(), nil)
		ctx := sql.NewContext(t.Context(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
		ctx.SetCurrentDatabase("d")
		for _, q := range []string{"CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT a FROM t", "START TRANSACTION", "SELECT a FROM v"} {
			_, it, _, err := e.Query(ctx, q)
			if err == nil {
				_, err = sql.RowIterToRows(ctx, it)
			}
			if err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
		return ctx.GetTransaction() == nil
	}
	if !commits() {
		mendtest.NoLongerNeeded(t, "viewcommit.go")
	}
	if commits(analyzer.Rule{Id: -1, Apply: CommitByDefinitions}) {
		t.Error("reading a view ends the transaction")
	}
}
