package rights

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/session"
)

// boundView is a view in the statement for which a plan is being made.
type boundView struct {
	set    uintptr          // identifies the set of privileges that the SQL engine makes for the view
	made   sql.PrivilegeSet // that set, so that no other one gets its address
	db     string           // the view's database, "" if that is not known
	access *accounts.Access
	// definer is the account whose rights the view has: its definer, or that of the view around it.
	// It is nil if the view has the rights of its reader.
	definer *accounts.ID
}

// FindsView notes the database of the view whose text the SQL engine parses next.
func (r *Rights) FindsView(db string) { r.viewDB = db }

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
		r.readsView(sc, ddl)
	}
}

// readView is a view that a statement reads.
type readView struct {
	text   string // of its query; its bytes are those of this view alone
	schema string
	spec   *ast.ViewSpec
}

// readsView notes that the statement reads a view with this definition.
func (r *Rights) readsView(ctx *sql.Context, d *ast.DDL) {
	if r.Store == nil || d.SubStatementStr == "" {
		return
	}
	d.SubStatementStr = strings.Clone(d.SubStatementStr) // by which viewOf knows the view
	schema := cmp.Or(r.viewDB, session.OrCurrent(ctx, d.ViewSpec.ViewName.DbQualifier.String()))
	r.columns.views = append(r.columns.views, readView{d.SubStatementStr, schema, d.ViewSpec})
}

// viewOf returns the view that node n of a plan stands for, nil if n is a derived table of the statement. Both are nodes of the same
// type, and both can have any name and text. So a view is known by where its text is in memory.
func (r *Rights) viewOf(n *plan.SubqueryAlias) *readView {
	for i := range r.columns.views {
		if v := &r.columns.views[i]; len(n.TextDefinition) == len(v.text) && unsafe.StringData(n.TextDefinition) == unsafe.StringData(v.text) {
			return v
		}
	}
	return nil
}

// ReadsByDefiner reports whether the privileges of the definer of a view decide on a part of the statement.
func (r *Rights) ReadsByDefiner() bool {
	return slices.ContainsFunc(r.columns.views, func(v readView) bool { return r.byDefiner(v.spec) })
}

// byDefiner reports whether the text of a view is executed with the rights of its definer.
func (r *Rights) byDefiner(v *ast.ViewSpec) bool {
	return r.Store != nil && v.Definer != "" && !strings.EqualFold(v.Security, "invoker")
}

// definerOf returns the account with whose rights the text of a view is executed, nil if that is its reader.
func (r *Rights) definerOf(v *ast.ViewSpec) *accounts.ID {
	if !r.byDefiner(v) {
		return nil
	}
	id := accounts.ParseID(v.Definer)
	return &id
}

// accessOf returns with whose rights the text of a view is executed: those of its definer, or else outer, with whose rights the view is
// read.
func (r *Rights) accessOf(v *ast.ViewSpec, outer *accounts.Access) *accounts.Access {
	if id := r.definerOf(v); id != nil {
		return r.accessAs(*id)
	}
	return outer
}

// viewIn returns the view that a part of a statement is in, nil if it is in none.
func (r *Rights) viewIn(ctx *sql.Context, info ast.AuthInformation) *boundView {
	privileges, _ := ctx.Session.GetPrivilegeSet()
	if privileges == nil {
		r.views = r.views[:0]
		return nil
	}
	// While the SQL engine makes the plan of a view, it gives the session a separate set of
	// privileges. It begins as for a CREATE VIEW.
	set := reflect.ValueOf(privileges).Field(0).Pointer()
	begins := info.AuthType == ast.AuthType_CREATE_VIEW && r.view != nil
	for n := len(r.views); n > 0 && !begins; n-- {
		if r.views[n-1].set == set {
			r.views = r.views[:n]
			return &r.views[n-1]
		}
	}
	if !begins {
		return nil
	}
	view := r.view
	v := boundView{set: set, made: privileges, db: r.viewDB, access: r.Access()}
	r.view, r.viewDB = nil, ""
	if n := len(r.views); n > 0 {
		v.access, v.definer = r.views[n-1].access, r.views[n-1].definer
	}
	if id := r.definerOf(view); id != nil {
		v.access, v.definer = r.accessAs(*id), id
	}
	r.views = append(r.views, v)
	return &r.views[len(r.views)-1]
}

// AccessIn returns the rights for a part of a statement, which may be in a view.
func (r *Rights) AccessIn(ctx *sql.Context, info ast.AuthInformation) *accounts.Access {
	if r == nil || r.Store == nil {
		return nil
	}
	if v := r.viewIn(ctx, info); v != nil {
		return v.access
	}
	return r.Access()
}

// Definer returns the account whose rights the part of a statement has for which a plan is being
// made, if that part is in a view that has the rights of its definer; otherwise nil.
func (r *Rights) Definer(ctx *sql.Context) *accounts.ID {
	if r == nil || r.Store == nil {
		return nil
	}
	if v := r.viewIn(ctx, ast.AuthInformation{}); v != nil {
		return v.definer
	}
	return nil
}

// ViewDatabase returns the database of the view that the part of a statement is in for which a plan
// is being made, "" if it is in none.
func (r *Rights) ViewDatabase(ctx *sql.Context) string {
	if r == nil {
		return ""
	}
	if v := r.viewIn(ctx, ast.AuthInformation{}); v != nil {
		return v.db
	}
	return ""
}

// InView returns a part of a statement with the database of the view that it is in before each
// table without a database. The current database is another one, perhaps.
func InView(ctx *sql.Context, info ast.AuthInformation) ast.AuthInformation {
	step := 2
	switch info.TargetType {
	case ast.AuthTargetType_SingleTableIdentifier, ast.AuthTargetType_MultipleTableIdentifiers:
	case ast.AuthTargetType_TableColumn:
		step = 3
	default:
		return info
	}
	r := Of(ctx)
	if r == nil || info.AuthType == ast.AuthType_CREATE_VIEW {
		return info
	}
	v := r.viewIn(ctx, info)
	if v == nil || v.db == "" {
		return info
	}
	names := slices.Clone(info.TargetNames)
	for i := 0; i+1 < len(names); i += step {
		if names[i] == "" && !strings.EqualFold(names[i+1], "dual") {
			names[i] = v.db
		}
	}
	info.TargetNames = names
	return info
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
