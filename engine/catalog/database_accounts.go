package catalog

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
	"pfsd/engine/infoschema"
	"pfsd/engine/sys"
	"pfsd/engine/vtable"
)

// What statements about accounts ask about databases.

// Columns are the names of a table's columns; it reports false if there is no such table.
func (p *Provider) Columns(ctx *sql.Context, db, table string) (names []string, ok bool) {
	d, err := p.Database(ctx, db)
	if err != nil {
		return nil, false
	}
	t, ok, err := d.GetTableInsensitive(ctx, table)
	if err != nil || !ok {
		if v, isView := d.(sql.ViewDatabase); isView {
			_, exists, err := v.GetViewDefinition(ctx, table)
			return nil, err == nil && exists
		}
		return nil, false
	}
	for _, c := range t.Schema(ctx) {
		names = append(names, c.Name)
	}
	return names, true
}

// Privileges on performance_schema and history that nobody can be granted, root neither.
var (
	neverOnSchema = accounts.SetOf(accounts.Create, accounts.References, accounts.Index, accounts.Alter,
		accounts.CreateTemporaryTables, accounts.Execute, accounts.CreateView, accounts.ShowView, accounts.CreateRoutine,
		accounts.AlterRoutine, accounts.Event, accounts.Trigger)
)

// Forbidden are the privileges that nobody can be granted on a database and a table of it.
func (p *Provider) Forbidden(db, table string) (onSchema, onTable accounts.Set) {
	schema := p.Schema
	if p.IsHistory(db) {
		schema = p.History
	} else if !vtable.Is(db) {
		return onSchema, onTable
	}
	t, ok := schema.Tables[strings.ToLower(table)]
	if !ok {
		return neverOnSchema, onTable
	}
	for privilege, can := range map[accounts.Privilege]bool{
		accounts.Insert: t.Def.Insertable(), accounts.Update: t.Def.Updatable(),
		accounts.Delete: t.Def.Deletable(), accounts.Drop: t.Def.Truncatable(),
	} {
		if !can {
			onTable = onTable.With(accounts.SetOf(privilege))
		}
	}
	return neverOnSchema, onTable
}

// Views implements rights.Databases.
func (p *Provider) Views(ctx *sql.Context, db, name string) ([]infoschema.View, error) {
	return p.Info.Views(ctx, db, name)
}

// DefinedBy tells of what an account is the definer, "" if of nothing.
func (p *Provider) DefinedBy(ctx *sql.Context, id accounts.ID) string {
	is := func(name string) bool {
		return name != "" && accounts.ParseID(name) == id
	}
	for _, db := range p.AllDatabases(ctx) {
		if sys.Is(db.Name()) || vtable.Is(db.Name()) || p.IsHistory(db.Name()) {
			continue
		}
		if d, ok := db.(sql.ViewDatabase); ok {
			all, _ := d.AllViews(ctx)
			for _, v := range all {
				if spec := (infoschema.View{ViewDefinition: v, DB: db.Name()}).Spec(); spec != nil && is(spec.Definer) {
					return "a view"
				}
			}
		}
		if d, ok := db.(sql.TriggerDatabase); ok {
			all, _ := infoschema.TriggersOf(ctx, d)
			for _, t := range all {
				if is(t.DDL.TriggerSpec.Definer) {
					return "a trigger"
				}
			}
		}
		routines, _ := infoschema.StoredRoutines(ctx, db)
		for _, r := range routines {
			if is(r.Definer) {
				return "a stored routine"
			}
		}
		if d, ok := db.(sql.EventDatabase); ok {
			all, _, _ := d.GetEvents(ctx)
			for _, e := range all {
				if is(e.Definer) {
					return "an event"
				}
			}
		}
	}
	return ""
}
