package rights

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/infoschema"
	"pfsd/engine/mdl"
	"pfsd/engine/statements"
)

// Rights say what a session may do, and as which account. Owned by the connection's goroutine.
type Rights struct {
	Store     *accounts.Store // nil if the session may do everything
	Databases Databases       // the databases that the session may use; nil if Store is
	Skipped   bool            // the session may do everything, because the server runs with --skip-grant-tables
	Account   accounts.ID
	roles     []accounts.ID
	User      string // the name under which the client has logged in
	// Password reports whether the client has given a password.
	Password bool
	cached   *accounts.Access // the rights of the account, valid while their version is that of Store
	// definers are the rights of the definers of the running stored programs, the innermost program
	// last.
	definers []*accounts.Access
	// views are the views for which plans are being made, the innermost last. view is the
	// definition of the next view, and viewDB its database.
	views  []boundView
	view   *ast.ViewSpec
	viewDB string
	// columns is what AuthorizeColumns needs to know of the statement.
	columns ColumnState
	// Query is the text of the client's statement.
	Query string
}

// Access returns what the session may do at the moment; nil means everything.
func (r *Rights) Access() *accounts.Access {
	if r == nil || r.Store == nil {
		return nil
	}
	if n := len(r.definers); n > 0 {
		return r.definers[n-1]
	}
	return r.accountAccess()
}

// accountAccess returns what the account of the session may do.
func (r *Rights) accountAccess() *accounts.Access {
	if a := r.cached; a != nil && a.Version == r.Store.Version() {
		return a
	}
	if r.cached = r.Store.Access(r.Account, r.roles); r.cached == nil {
		r.cached = r.Store.NoAccess(r.Account) // the account was dropped
	}
	return r.cached
}

// As gives the session the rights of an account, until the returned function is called. If there is
// no such account, the session has no rights.
func (r *Rights) As(id accounts.ID) (back func()) {
	if r.Store == nil {
		return func() {}
	}
	n := len(r.definers)
	r.definers = append(r.definers, r.accessAs(id))
	return func() { r.definers = r.definers[:n] }
}

// accessAs returns what a definer may do: nothing if there is no such account.
func (r *Rights) accessAs(id accounts.ID) *accounts.Access {
	id = r.Store.Definer(id)
	if a := r.Store.Account(id); a != nil {
		if access := r.Store.Access(id, a.Defaults); access != nil {
			return access
		}
	}
	return r.Store.NoAccess(id)
}

// OnlyUser returns the session's user and true if the session may see only the processes of this
// user; false if it may see all.
func (r *Rights) OnlyUser() (user string, only bool) {
	if r.Store == nil || r.Access().Has(accounts.Process) {
		return "", false
	}
	return r.User, true
}

// SetRoles gives the session other roles.
func (r *Rights) SetRoles(roles []accounts.ID) { r.roles, r.cached = roles, nil }

// Reset gives the session the roles with which it began.
func (r *Rights) Reset() {
	if r.Store == nil {
		return
	}
	r.roles, r.cached = nil, nil
	if a := r.Store.Account(r.Account); a != nil {
		r.roles = a.Defaults
	}
}

// errExpired is the error of a session that may only set a new password.
var errExpired = mysql.NewSQLError(1820, "HY000", "You must reset your password using ALTER USER statement before executing this statement.")

// Expired returns the error of a session whose password has expired, for a statement that does not set a new one.
func (r *Rights) Expired(s ast.Statement) error {
	if r.Store == nil || !r.accountAccess().Account.Expired {
		return nil
	}
	if i, ok := s.(ast.InjectedStatement); ok {
		if own, ok := i.Statement.(statements.Accounts); ok {
			if kind := own.AccountStatement().Kind; kind == "alter_user" || kind == "set_password" {
				return nil
			}
		}
	}
	return errExpired
}

// Count counts a statement of the session's account, if that account may execute only some in an hour. kind returns the kind of the
// statement. It returns error 1226 if it is one too many.
func (r *Rights) Count(kind func() string) error {
	if r.Store == nil {
		return nil
	}
	a := r.accountAccess().Account
	if !a.CountsStatements() {
		return nil
	}
	return r.Store.CountStatement(a, statements.ChangesData(kind()))
}

// MustChangePassword returns the error of a session whose password has expired, for a command of the protocol that could not set a new one.
func (r *Rights) MustChangePassword() *mysql.SQLError {
	if r.Store == nil || !r.accountAccess().Account.Expired {
		return nil
	}
	return errExpired
}

// Databases are the databases that a statement names. Safe for concurrent use.
type Databases interface {
	Database(ctx *sql.Context, name string) (sql.Database, error)
	// Views returns the views of a database, or the one with a name.
	Views(ctx *sql.Context, db, name string) ([]infoschema.View, error)
	// Forbidden returns the privileges that cannot be granted on a database, and on a table of it.
	Forbidden(db, table string) (onSchema, onTable accounts.Set)
}

// Session is the session of a statement, which has rights. The ProcessList of the statement's
// context implements it.
type Session interface {
	// Rights returns the session's rights, nil for the server itself.
	Rights() *Rights
	// Hides reports whether a temporary table of the session hides the table.
	Hides(ctx *sql.Context, table mdl.Key) bool
}

// Of returns the rights of the session of ctx, nil for the server itself.
func Of(ctx *sql.Context) *Rights {
	if s, ok := ctx.ProcessList.(Session); ok {
		return s.Rights()
	}
	return nil
}

// hides reports whether a temporary table of the session of ctx hides the table.
func hides(ctx *sql.Context, table mdl.Key) bool {
	s, ok := ctx.ProcessList.(Session)
	return ok && s.Hides(ctx, table)
}

// New returns the rights of an account. databases are the databases that it may use.
func New(store *accounts.Store, databases Databases, account accounts.ID, roles []accounts.ID, user string) Rights {
	return Rights{Store: store, Databases: databases, Account: account, roles: roles, User: user}
}

// Everything returns the rights of a user who may do everything, because the server runs with
// --skip-grant-tables.
func Everything(user string) Rights { return Rights{User: user, Skipped: true} }
