package engine

import (
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/sys"
)

// newSysDatabase makes the database sys with its views, its procedures and their settings.
func newSysDatabase(config *sysConfig) *memory.Database {
	d := memory.NewDatabase(sys.Schema)
	ctx := sql.NewEmptyContext()
	_ = d.SetCollation(ctx, sysCollation)
	for _, v := range sys.Views {
		if err := d.CreateView(ctx, v.Name, v.Select, v.Create()); err != nil {
			panic("sysschema: " + v.Name + ": " + err.Error())
		}
	}
	d.AddTable(config.Name(), config)
	for _, p := range sys.Procedures {
		err := d.SaveStoredProcedure(ctx, sql.StoredProcedureDetails{
			Name: p.Name, CreateStatement: p.Create, CreatedAt: config.created, ModifiedAt: config.created, SqlMode: config.mode,
		})
		if err != nil {
			panic("sysschema: " + p.Name + ": " + err.Error())
		}
	}
	return d
}
