package rights

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/session"
)

// ColumnState is what the check of columns needs to know of the statement that is being planned. The zero value is that of a
// statement which uses no columns yet.
type ColumnState struct {
	// partial are the tables of which an account may use only some columns, or which it may use in some ways only. The columns
	// that the statement uses decide whether it may do what it does.
	partial []partialTable
	// views are the views that the statement reads.
	views []readView
	// authorized reports whether the columns of the statement have been checked. What is planned later belongs to the statement's
	// triggers, which are checked when they run.
	authorized bool
	// private reports whether a plan is made only to find out which columns are used. No privileges are checked for it.
	private bool
	// statement is the statement.
	statement ast.Statement
}

// partialTable is a table, and the account that may not use all of it.
type partialTable struct {
	schema, table string
	may           *accounts.Access
}

// BeginStatement notes that s is going to be planned.
func (r *Rights) BeginStatement(s ast.Statement) { r.columns = ColumnState{statement: s} }

// LeaveStatement returns what is known of the statement that is being planned or executed. Another statement, which is part of it,
// may begin then.
func (r *Rights) LeaveStatement() ColumnState {
	s := r.columns
	r.columns = ColumnState{}
	return s
}

// ReturnTo returns to the statement that was left with this state.
func (r *Rights) ReturnTo(s ColumnState) { r.columns = s }

// Partial reports whether the statement uses tables on which AuthorizeColumns, or AuthorizeUses, has to decide.
func (r *Rights) Partial() bool { return r != nil && len(r.columns.partial) > 0 }

// Private reports whether the plan that is being made serves only to find the columns that it uses.
func (r *Rights) Private() bool { return r != nil && r.columns.private }

// usesPartly notes that the statement uses a table on which it depends on the columns what the account may do.
func (r *Rights) usesPartly(may *accounts.Access, schema, table string) {
	if c := &r.columns; !c.authorized && !c.private {
		c.partial = append(c.partial, partialTable{schema, table, may})
	}
}

// ColumnUse is what a statement does with a column of a table.
type ColumnUse struct {
	Schema, Table string
	// Column is "" for the table as a whole.
	Column string
	Needs  accounts.Privilege
	// whole reports whether the statement uses all columns of the table, without naming them; mentioned, that it only names the
	// table.
	whole, mentioned bool
	// may is the account whose privileges the statement needs; nil for the account that executes the statement. It is another
	// account in a view.
	may *accounts.Access
}

// AuthorizeColumns returns the error if the session may not read or write a column that its statement uses. n is the statement's plan
// before it is optimised, since an optimised plan does not have all columns. Call it once for each statement, before anything else is
// done with the plan: no other plan is made for the check. It does nothing if the session may use all columns of all tables.
func (r *Rights) AuthorizeColumns(ctx *sql.Context, n sql.Node) error {
	if r.columns.authorized {
		return nil
	}
	if r.Partial() {
		if err := r.AuthorizeUses(ctx, r.ColumnUses(ctx, n, r.columns.statement)); err != nil {
			return err
		}
	}
	r.columns.authorized = true
	return nil
}

// AuthorizeUses is AuthorizeColumns for a statement that uses these columns. It also returns an error if a table that was noted for
// the check is not among them.
func (r *Rights) AuthorizeUses(ctx *sql.Context, uses []ColumnUse) error {
	for i := range uses {
		if err := r.authorizeUse(ctx, &uses[i]); err != nil {
			return err
		}
	}
	for _, p := range r.columns.partial {
		if err := r.authorizeTableUse(ctx, p, uses); err != nil {
			return err
		}
	}
	r.columns.partial, r.columns.authorized = nil, true
	return nil
}

// authorizeUse returns the error if the account may not use a column.
func (r *Rights) authorizeUse(ctx *sql.Context, u *ColumnUse) error {
	may := u.may
	if may == nil {
		may = r.Access()
	}
	if u.mentioned || access.TableRights(may, u.Schema, u.Table).Has(u.Needs) || hides(ctx, session.TableKey(u.Schema, u.Table)) {
		return nil
	}
	if u.Column == "" {
		return mysqlerr.TableDenied(ctx, u.Needs.String(), u.Table)
	}
	if may.Column(u.Schema, u.Table, u.Column).Has(u.Needs) {
		return nil
	}
	if u.whole || u.Needs != accounts.Select && !may.AnyColumn(u.Schema, u.Table).Has(u.Needs) {
		return mysqlerr.TableDenied(ctx, u.Needs.String(), u.Table)
	}
	return errColumn(ctx, u.Needs, u.Table, u.Column)
}

// authorizeTableUse checks a table that was noted for the check of columns. If no column of it is written, the account needs SELECT on
// the table or on one column. If the plan does not have the table, nothing is known of what happens to it.
func (r *Rights) authorizeTableUse(ctx *sql.Context, p partialTable, uses []ColumnUse) error {
	found, written := false, false
	for i := range uses {
		u := &uses[i]
		if strings.EqualFold(u.Schema, p.schema) && strings.EqualFold(u.Table, p.table) && (u.may == nil || u.may.Account.ID == p.may.Account.ID) {
			found = true
			written = written || u.Needs != accounts.Select
		}
	}
	may := access.TableRights(p.may, p.schema, p.table).With(p.may.AnyColumn(p.schema, p.table))
	if !found || !written && !may.Has(accounts.Select) {
		return mysqlerr.TableDenied(ctx, accounts.Select.String(), p.table)
	}
	return nil
}

// errColumn is error 1143: no access to a column.
func errColumn(ctx *sql.Context, p accounts.Privilege, table, column string) error {
	c := ctx.Session.Client()
	return mysql.NewSQLError(1143, "42000", "%s command denied to user '%s'@'%s' for column '%s' in table '%s'",
		p, c.User, c.Address, column, strings.ToLower(table))
}
