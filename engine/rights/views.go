package rights

import (
	"context"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// boundView is a view in the statement for which a plan is being made.
type boundView struct {
	set    uintptr // identifies the set of privileges that the SQL engine makes for the view
	access *accounts.Access
}

// ViewDefiner notes the definition of the view whose text the SQL engine parses to make a plan of
// it. The definition names the view's definer.
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

// AccessIn returns the rights for a part of a statement, which may be in a view.
func (r *Rights) AccessIn(ctx *sql.Context, info ast.AuthInformation) *accounts.Access {
	if r == nil || r.Store == nil {
		return nil
	}
	privileges, _ := ctx.Session.GetPrivilegeSet()
	if privileges == nil {
		r.views = r.views[:0]
		return r.Access()
	}
	// While the SQL engine makes the plan of a view, it gives the session a separate set of
	// privileges. It begins as for a CREATE VIEW.
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

// AsInvoker reports whether a procedure runs with the rights of its caller.
func AsInvoker(p *ast.ProcedureSpec) bool {
	for _, c := range p.Characteristics {
		if c.Type == ast.CharacteristicValue_SqlSecurityInvoker {
			return true
		}
	}
	return false
}
