package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/tables"
)

// accessSession is whose rights a statement has. The ProcessList of its context implements it.
type accessSession interface {
	// Access is what the session may do at the moment; nil is everything.
	Access() *accounts.Access
	// AccessIn is what it may do in a part of a statement, which may stand in a view.
	AccessIn(*sql.Context, ast.AuthInformation) *accounts.Access
	// SkipsGrants tells that it may do everything because nobody is asked who they are.
	SkipsGrants() bool
}

// accessOf is what the session of ctx may do; nil is everything.
func accessOf(ctx *sql.Context) *accounts.Access {
	if s, ok := ctx.ProcessList.(accessSession); ok {
		return s.Access()
	}
	return nil
}

// accessIn is what the session of ctx may do in a part of a statement, which may stand in a view; nil is everything.
func accessIn(ctx *sql.Context, part ast.AuthInformation) *accounts.Access {
	if s, ok := ctx.ProcessList.(accessSession); ok {
		return s.AccessIn(ctx, part)
	}
	return nil
}

// skipsGrants tells that the session of ctx may do everything because nobody is asked who they are.
func skipsGrants(ctx *sql.Context) bool {
	s, ok := ctx.ProcessList.(accessSession)
	return ok && s.SkipsGrants()
}

// may tells whether the session of ctx has one of these privileges for the whole server.
func may(ctx *sql.Context, anyOf ...accounts.Privilege) bool { return accessOf(ctx).HasAny(anyOf...) }

// visible tells whether the session of ctx has any privilege on table, or may at least see
// that it is there; with table "" that is asked of the database.
func visible(ctx *sql.Context, db, table string) bool {
	a := accessOf(ctx)
	switch {
	case a == nil, strings.EqualFold(db, sql.InformationSchemaDatabaseName):
		return true
	case table == "":
		return isOwn(db) || a.SeesSchema(db)
	case isOwn(db) && worldReadable[strings.ToLower(table)]:
		return true
	}
	return a.SeesTable(db, table)
}

// isOwn tells whether a database is performance_schema, of which everybody sees what there is.
func isOwn(db string) bool { return strings.EqualFold(db, tables.Schema) }

// worldReadable are the tables of performance_schema that everybody may read.
var worldReadable = map[string]bool{
	"global_status": true, "global_variable_attributes": true, "global_variables": true, "persisted_variables": true,
	"processlist": true, "session_account_connect_attrs": true, "session_status": true, "session_variables": true,
	"variables_info": true, "variables_metadata": true,
}

// worldTruncatable are those that everybody may truncate.
var worldTruncatable = map[string]bool{"global_status": true}

// errNeeds is for what needs one of these privileges.
func errNeeds(anyOf ...accounts.Privilege) error {
	names := make([]string, len(anyOf))
	for i, p := range anyOf {
		names[i] = p.String()
	}
	return accounts.ErrNeeds(strings.Join(names, " or "))
}

// tableRights is what may be done with a table, what everybody may do included.
func tableRights(may *accounts.Access, db, table string) accounts.Set {
	have := may.Table(db, table)
	if isOwn(db) {
		have = have.With(worldRights(table))
	}
	return have
}

// worldRights is what everybody may do with a table of performance_schema.
func worldRights(table string) (have accounts.Set) {
	name := strings.ToLower(table)
	if worldReadable[name] {
		have = accounts.SetOf(accounts.Select)
	}
	if worldTruncatable[name] {
		have = have.With(accounts.SetOf(accounts.Drop))
	}
	return have
}

// errSchemaDenied is for what may not be done with a database.
func errSchemaDenied(ctx *sql.Context, db string) error {
	id := accountOf(ctx)
	return mysql.NewSQLError(1044, "42000", "Access denied for user '%s'@'%s' to database '%s'", id.User, id.Host, db)
}

// errRoutineDenied is for what may not be done with a procedure.
func errRoutineDenied(ctx *sql.Context, what, db, name string) error {
	id := accountOf(ctx)
	return mysql.NewSQLError(1370, "42000", "%s command denied to user '%s'@'%s' for routine '%s.%s'", what, id.User, id.Host, db, name)
}

// accountOf is the account of the session of ctx.
func accountOf(ctx *sql.Context) accounts.ID {
	if a := accessOf(ctx); a != nil {
		return a.Account.ID
	}
	c := ctx.Session.Client()
	return accounts.ID{User: c.User, Host: c.Address}
}
