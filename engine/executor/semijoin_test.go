package executor

import (
	"slices"
	"strings"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"pfsd/engine/mends/mendtest"
)

func TestKeepSemiJoins(t *testing.T) {
	query := func(a *analyzer.Analyzer, provider sql.DatabaseProvider, q string) []sql.Row {
		t.Helper()
		e := sqle.New(a, nil)
		ctx := sql.NewContext(t.Context(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
		ctx.SetCurrentDatabase("d")
		var rows []sql.Row
		for _, q := range []string{
			"CREATE TABLE few (u VARCHAR(20))", "INSERT INTO few VALUES ('1'), ('1.0')",
			"CREATE TABLE many (n INT, KEY (n))", "INSERT INTO many VALUES (1), (" + strings.Repeat("2), (", 99) + "3)", q,
		} {
			_, it, _, err := e.Query(ctx, q)
			if err != nil {
				t.Fatalf("%s: %v", q, err)
			}
			if rows, err = sql.RowIterToRows(ctx, it); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
		return rows
	}
	const q = "SELECT n FROM many WHERE EXISTS (SELECT 1 FROM few WHERE few.u = many.n)"
	provider := memory.NewDBProvider(memory.NewDatabase("d"))
	if len(query(analyzer.NewDefault(provider), provider, q)) == 1 {
		mendtest.NoLongerNeeded(t, "semijoin.go")
	}
	provider = memory.NewDBProvider(memory.NewDatabase("d"))
	mended := analyzer.NewDefault(provider)
	for _, b := range mended.Batches {
		for i, r := range b.Rules {
			if r.Id.String() == "optimizeJoins" {
				b.Rules = slices.Insert(slices.Clone(b.Rules), i, analyzer.Rule{Id: -1, Apply: KeepSemiJoins})
				break
			}
		}
	}
	if rows := query(mended, provider, q); len(rows) != 1 {
		t.Errorf("got %v", rows)
	}
}
