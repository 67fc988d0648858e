package engine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/infoschema"
	"pfsd/engine/mdl"
)

// rights are what a session may do, and as whom. Owned by the connection's goroutine.
type rights struct {
	store     *accounts.Store // nil if the session may do everything
	databases rightsDatabases // what the session may use; nil if store is
	skipped   bool            // it may do everything, because nobody is asked who they are
	account   accounts.ID
	roles     []accounts.ID
	user      string // the name under which the client has logged in
	// password tells that the client has given one.
	password bool
	cached   *accounts.Access // for the version that it has
	// definers are those on whose behalf the session works, the innermost last: what a program
	// may do that is carried out with the rights of who made it.
	definers []*accounts.Access
	// views are the views whose plans are being made, the innermost last, and view is what the
	// next one says of itself.
	views []boundView
	view  *ast.ViewSpec
	// columns tells that the statement reads or writes a table of which not all columns may be
	// read or written.
	columns bool
	// query is the text of the client's statement.
	query string
}

// access is what the session may do at the moment; nil is everything.
func (r *rights) access() *accounts.Access {
	if r == nil || r.store == nil {
		return nil
	}
	if n := len(r.definers); n > 0 {
		return r.definers[n-1]
	}
	return r.own()
}

// own is what the account of the session may do.
func (r *rights) own() *accounts.Access {
	if a := r.cached; a != nil && a.Version == r.store.Version() {
		return a
	}
	if r.cached = r.store.Access(r.account, r.roles); r.cached == nil {
		r.cached = r.store.NoAccess(r.account) // it has been dropped
	}
	return r.cached
}

// as has the session work on behalf of an account, until the returned function is called. If
// there is no such account, it may do nothing meanwhile.
func (r *rights) as(id accounts.ID) (back func()) {
	if r.store == nil {
		return func() {}
	}
	n := len(r.definers)
	r.definers = append(r.definers, r.accessAs(id))
	return func() { r.definers = r.definers[:n] }
}

// accessAs is what a definer may do; nothing if there is no such account.
func (r *rights) accessAs(id accounts.ID) *accounts.Access {
	id = r.store.Definer(id)
	if a := r.store.Account(id); a != nil {
		if access := r.store.Access(id, a.Defaults); access != nil {
			return access
		}
	}
	return r.store.NoAccess(id)
}

// onlyUser tells whose processes alone the session may see; it reports false if it may see all.
func (r *rights) onlyUser() (user string, only bool) {
	if r.store == nil || r.access().Has(accounts.Process) {
		return "", false
	}
	return r.user, true
}

// reset takes on the roles again that the session has had at first.
func (r *rights) reset() {
	if r.store == nil {
		return
	}
	r.roles, r.cached = nil, nil
	if a := r.store.Account(r.account); a != nil {
		r.roles = a.Defaults
	}
}

// errExpired is for a session that may do nothing but set a new password.
var errExpired = mysql.NewSQLError(1820, "HY000", "You must reset your password using ALTER USER statement before executing this statement.")

// expired tells why the session may not carry out a statement: its password has expired.
func (r *rights) expired(s ast.Statement) error {
	if r.store == nil || !r.own().Account.Expired {
		return nil
	}
	if i, ok := s.(ast.InjectedStatement); ok {
		if own, ok := i.Statement.(accountsOwn); ok {
			if kind := own.AccountStatement().Kind; kind == "alter_user" || kind == "set_password" {
				return nil
			}
		}
	}
	return errExpired
}

// rightsDatabases are the databases that a statement names. Safe for concurrent use.
type rightsDatabases interface {
	Database(ctx *sql.Context, name string) (sql.Database, error)
	// Views are the views of a database, or the one with a name.
	Views(ctx *sql.Context, db, name string) ([]infoschema.View, error)
	// Forbidden are the privileges that nobody can be granted on a database and a table of it.
	Forbidden(db, table string) (onSchema, onTable accounts.Set)
}

// rightsSession is the session of a statement, which has rights. The ProcessList of the statement's context implements it.
type rightsSession interface {
	// Rights are the session's, nil if it is the server itself that works.
	Rights() *rights
	// Hides tells whether the session has a temporary table that hides the one of a name.
	Hides(ctx *sql.Context, table mdl.Key) bool
}

// rightsOf are those of the session of ctx; nil if it is the server itself that works.
func rightsOf(ctx *sql.Context) *rights {
	if s, ok := ctx.ProcessList.(rightsSession); ok {
		return s.Rights()
	}
	return nil
}

// hides tells whether the session of ctx has a temporary table that hides the one of a name.
func hides(ctx *sql.Context, table mdl.Key) bool {
	s, ok := ctx.ProcessList.(rightsSession)
	return ok && s.Hides(ctx, table)
}

// newRights are those of an account; databases are what it may use.
func newRights(store *accounts.Store, databases rightsDatabases, account accounts.ID, roles []accounts.ID, user string) rights {
	return rights{store: store, databases: databases, account: account, roles: roles, user: user}
}

// mayEverything are the rights of a user who may do everything, because nobody is asked who they are.
func mayEverything(user string) rights { return rights{user: user, skipped: true} }
