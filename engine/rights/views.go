package rights

import (
	"context"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// boundView is a view that is part of the statement whose plan is made.
type boundView struct {
	set    uintptr // of privileges, which the SQL engine makes for the view
	access *accounts.Access
}

// ViewDefiner notes who has defined the view whose text the SQL engine parses, to make a plan of it.
func ViewDefiner(ctx context.Context, s ast.Statement) {
	sc, ok := ctx.(*sql.Context)
	if !ok {
		return
	}
	ddl, ok := s.(*ast.DDL)
	if r := Of(sc); ok && ddl.ViewSpec != nil && r != nil {
		r.view = ddl.ViewSpec
	}
}

// AccessIn is access for a part of a statement, which may stand in a view.
func (r *Rights) AccessIn(ctx *sql.Context, info ast.AuthInformation) *accounts.Access {
	if r == nil || r.Store == nil {
		return nil
	}
	privileges, _ := ctx.Session.GetPrivilegeSet()
	if privileges == nil {
		r.views = r.views[:0]
		return r.Access()
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
		v := boundView{set, r.Access()}
		if n := len(r.views); n > 0 {
			v.access = r.views[n-1].access
		}
		if r.view.Definer != "" && !strings.EqualFold(r.view.Security, "invoker") {
			v.access = r.accessAs(accounts.ParseID(r.view.Definer))
		}
		r.views = append(r.views, v)
		return v.access
	}
	return r.Access()
}

// AsInvoker tells whether a procedure has the rights of who calls it.
func AsInvoker(p *ast.ProcedureSpec) bool {
	for _, c := range p.Characteristics {
		if c.Type == ast.CharacteristicValue_SqlSecurityInvoker {
			return true
		}
	}
	return false
}
