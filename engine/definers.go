package engine

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
	"pfsd/engine/infoschema"
	"pfsd/engine/sys"
	"pfsd/engine/vtable"
)

// Views and procedures do what they do with the rights of who has defined them, unless they say
// otherwise. The SQL engine does not keep who that was: the text that package usertables keeps says so.

// FindsView implements usertables.Observer. To make a plan of a view the SQL engine wants the
// session to have a current database, any: for so long one that has none has the view's.
func (w *work) FindsView(ctx *sql.Context, db string) {
	if w.record != nil && !sys.Is(db) {
		w.record.spoiled = true // it can be another one the next time
	}
	if ctx.GetCurrentDatabase() == "" {
		ctx.SetCurrentDatabase(db)
		w.lent = true
	}
}

// takeBack takes away the current database that the session has for the sake of a view.
func (w *work) takeBack(ctx *sql.Context) {
	if w.lent {
		ctx.SetCurrentDatabase("")
		w.lent = false
	}
}

// definedBy tells of what an account is the definer, "" if of nothing.
func (p *provider) definedBy(ctx *sql.Context, id accounts.ID) string {
	is := func(name string) bool {
		return name != "" && accounts.ParseID(name) == id
	}
	for _, db := range p.AllDatabases(ctx) {
		if sys.Is(db.Name()) || vtable.Is(db.Name()) {
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
		if d, ok := db.(sql.StoredProcedureDatabase); ok {
			all, _ := d.GetStoredProcedures(ctx)
			for _, s := range all {
				if is(infoschema.Procedure(s).Definer) {
					return "a stored routine"
				}
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
