package compat

import (
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
)

// TestGroupNamesIsNeeded tells when it no longer is.
func TestGroupNamesIsNeeded(t *testing.T) {
	provider := memory.NewDBProvider(memory.NewDatabase("d"))
	e := sqle.NewDefault(provider)
	defer func() { _ = e.Close() }()
	ctx := sql.NewContext(t.Context(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
	ctx.SetCurrentDatabase("d")
	query := func(q string) error {
		_, it, _, err := e.Query(ctx, q)
		if err == nil {
			_, err = sql.RowIterToRows(ctx, it)
		}
		return err
	}
	for _, q := range []string{"CREATE TABLE g (n VARCHAR(30), c INT)", "SELECT SUBSTRING(n, 1, 2) AS k, SUM(c) AS t FROM g GROUP BY SUBSTRING(n, 1, 2) ORDER BY t"} {
		if err := query(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	if err := query("SELECT SUBSTRING(n, 1, 2), SUM(c) AS t FROM g GROUP BY SUBSTRING(n, 1, 2) ORDER BY t"); err == nil {
		noLongerNeeded(t, "groupnames.go")
	}
}
