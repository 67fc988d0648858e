package executor

import (
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends/mendtest"
)

func TestHashesSubquery(t *testing.T) {
	provider := memory.NewDBProvider(memory.NewDatabase("d"))
	e := sqle.NewDefault(provider)
	defer func() { _ = e.Close() }()
	ctx := sql.NewContext(t.Context(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
	ctx.SetCurrentDatabase("d")
	query := func(q string) []sql.Row {
		t.Helper()
		_, it, _, err := e.Query(ctx, q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		rows, err := sql.RowIterToRows(ctx, it)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		return rows
	}
	for _, q := range []string{
		"CREATE TABLE a (i INT, m INT)", "INSERT INTO a VALUES (1, 10), (2, 20)",
		"CREATE TABLE b (i INT, m INT)", "INSERT INTO b VALUES (1, 10), (2, 20)",
	} {
		query(q)
	}
	const join = "SELECT /*+ JOIN_ORDER(b, a) HASH_JOIN(b, a) */ a.i FROM a JOIN b ON a.i = b.i AND "
	if len(query(join+"b.m = (SELECT MAX(m) FROM a n WHERE n.i = b.i)")) == 2 {
		mendtest.NoLongerNeeded(t, "hashlookup.go")
	}
	for condition, want := range map[string]bool{"b.m = (SELECT MAX(m) FROM a n WHERE n.i = b.i)": true, "b.m = a.m": false} {
		n, err := e.AnalyzeQuery(ctx, join+condition)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		transform.Inspect(n, func(n sql.Node) bool {
			if l, ok := n.(*plan.HashLookup); ok {
				found = true
				if got := HashesSubquery(ctx, l); got != want {
					t.Errorf("%s: %t, want %t", condition, got, want)
				}
			}
			return true
		})
		if !found {
			t.Errorf("%s: no hash is looked up", condition)
		}
	}
}
