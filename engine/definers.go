package engine

import (
	"context"
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/infoschema"
	"pfsd/engine/sys"
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
		if sys.Is(db.Name()) || isSchema(db.Name()) {
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

// boundView is a view that is part of the statement whose plan is made.
type boundView struct {
	set    uintptr // of privileges, which the SQL engine makes for the view
	access *accounts.Access
}

// viewDefiner notes who has defined the view whose text the SQL engine parses, to make a plan of it.
func viewDefiner(ctx context.Context, s ast.Statement) {
	sc, ok := ctx.(*sql.Context)
	if !ok {
		return
	}
	ddl, ok := s.(*ast.DDL)
	if r := rightsOf(sc); ok && ddl.ViewSpec != nil && r != nil {
		r.view = ddl.ViewSpec
	}
}

// accessIn is access for a part of a statement, which may stand in a view.
func (r *rights) accessIn(ctx *sql.Context, info ast.AuthInformation) *accounts.Access {
	if r == nil || r.store == nil {
		return nil
	}
	privileges, _ := ctx.Session.GetPrivilegeSet()
	if privileges == nil {
		r.views = r.views[:0]
		return r.access()
	}
	// The SQL engine gives the session a set of privileges of its own while it makes the plan
	// of a view, which it begins as if the view was made.
	set := reflect.ValueOf(privileges).Field(0).Pointer()
	for n := len(r.views); n > 0; n-- {
		if r.views[n-1].set == set {
			r.views = r.views[:n]
			return r.views[n-1].access
		}
	}
	if info.AuthType == ast.AuthType_CREATE_VIEW && r.view != nil {
		v := boundView{set, r.access()}
		if n := len(r.views); n > 0 {
			v.access = r.views[n-1].access
		}
		if r.view.Definer != "" && !strings.EqualFold(r.view.Security, "invoker") {
			v.access = r.accessAs(accounts.ParseID(r.view.Definer))
		}
		r.views = append(r.views, v)
		return v.access
	}
	return r.access()
}

// asInvoker tells whether a procedure has the rights of who calls it.
func asInvoker(p *ast.ProcedureSpec) bool {
	for _, c := range p.Characteristics {
		if c.Type == ast.CharacteristicValue_SqlSecurityInvoker {
			return true
		}
	}
	return false
}
