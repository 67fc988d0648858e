package tableuse

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/usertables"
)

// changed is one of them.
type changed struct {
	db   sql.Database
	name string
}

// Changes are the tables that a statement makes, alters, renames or drops. Owned by one goroutine.
type Changes []changed

// Note notes that n changes tables.
func (all *Changes) Note(ctx *sql.Context, n sql.Node) {
	note := func(db sql.Database, names ...string) {
		if p, ok := db.(mysql_db.PrivilegedDatabase); ok {
			db = p.Unwrap()
		}
		for _, name := range names {
			*all = append(*all, changed{db, name})
		}
	}
	switch n := n.(type) {
	case *plan.CreateTable:
		note(n.Db, n.Name())
	case *plan.RenameTable:
		note(n.Db, n.OldNames...)
		note(n.Db, n.NewNames...)
	case *plan.DropTable:
		for _, t := range n.Tables {
			if t, ok := t.(*plan.ResolvedTable); ok {
				note(t.SqlDatabase, t.Name())
			}
		}
	case *plan.AlterIndex:
		noteTable(n.Table, note)
	case *plan.AlterPK:
		noteTable(n.Table, note)
	case *plan.AddColumn:
		noteTable(n.Table, note)
	case *plan.ModifyColumn:
		noteTable(n.Table, note)
	case *plan.DropColumn:
		noteTable(n.Table, note)
	case *plan.CreateForeignKey:
		if db, err := n.DbProvider.Database(ctx, n.FkDef.Database); err == nil {
			note(db, n.FkDef.Table)
		}
	}
}

func noteTable(n sql.Node, note func(db sql.Database, names ...string)) {
	if t, ok := n.(sql.TableNode); ok && t.Database() != nil {
		note(t.Database(), t.Name())
	}
}

// Settle has the registry know what has become of the tables, of which some may be among ts.
func (all *Changes) Settle(ctx *sql.Context, ts *Tables) {
	if *all == nil {
		return
	}
	for _, c := range *all {
		t, ok, err := c.db.GetTableInsensitive(ctx, c.name)
		switch m := usertables.Stored(t); {
		case err != nil:
		case ok && m != nil && usertables.IsTemporary(m):
		case ok && m != nil:
			ts.reg.NewTable(m.Database(), m.Name(), indexNames(ctx, m)...)
		case !ok:
			ts.reg.DropTable(c.db.Name(), c.name)
		}
	}
	*all = nil
	ts.closeDropped()
}
