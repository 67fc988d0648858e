package sysschema

import (
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/sys"
)

// NewDatabase makes the database sys with its views, its procedures and their settings.
func NewDatabase(config *Config) *memory.Database {
	d := memory.NewDatabase(sys.Schema)
	ctx := sql.NewEmptyContext()
	_ = d.SetCollation(ctx, collation)
	for _, v := range sys.Views {
		if err := d.CreateView(ctx, v.Name, v.Select, v.Create()); err != nil {
			panic("sysschema: " + v.Name + ": " + err.Error())
		}
	}
	d.AddTable(config.Name(), config)
	for _, p := range sys.Procedures {
		err := d.SaveStoredProcedure(ctx, sql.StoredProcedureDetails{
			Name: p.Name, CreateStatement: p.Create, CreatedAt: config.Created, ModifiedAt: config.Created, SqlMode: config.Mode,
		})
		if err != nil {
			panic("sysschema: " + p.Name + ": " + err.Error())
		}
	}
	return d
}
