package access

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/tables"
)

// Session is whose rights a statement has. The ProcessList of its context implements it.
type Session interface {
	// Access is what the session may do at the moment; nil is everything.
	Access() *accounts.Access
	// AccessIn is what it may do in a part of a statement, which may stand in a view.
	AccessIn(*sql.Context, ast.AuthInformation) *accounts.Access
	// SkipsGrants tells that it may do everything because nobody is asked who they are.
	SkipsGrants() bool
}

// Of is what the session of ctx may do; nil is everything.
func Of(ctx *sql.Context) *accounts.Access {
	if s, ok := ctx.ProcessList.(Session); ok {
		return s.Access()
	}
	return nil
}

// In is what the session of ctx may do in a part of a statement, which may stand in a view; nil is everything.
func In(ctx *sql.Context, part ast.AuthInformation) *accounts.Access {
	if s, ok := ctx.ProcessList.(Session); ok {
		return s.AccessIn(ctx, part)
	}
	return nil
}

// SkipsGrants tells that the session of ctx may do everything because nobody is asked who they are.
func SkipsGrants(ctx *sql.Context) bool {
	s, ok := ctx.ProcessList.(Session)
	return ok && s.SkipsGrants()
}

// May tells whether the session of ctx has one of these privileges for the whole server.
func May(ctx *sql.Context, anyOf ...accounts.Privilege) bool { return Of(ctx).HasAny(anyOf...) }

// Visible tells whether the session of ctx has any privilege on table, or may at least see
// that it is there; with table "" that is asked of the database.
func Visible(ctx *sql.Context, db, table string) bool {
	a := Of(ctx)
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

// ErrNeeds is for what needs one of these privileges.
func ErrNeeds(anyOf ...accounts.Privilege) error {
	names := make([]string, len(anyOf))
	for i, p := range anyOf {
		names[i] = p.String()
	}
	return accounts.ErrNeeds(strings.Join(names, " or "))
}

// TableRights is what may be done with a table, what everybody may do included.
func TableRights(may *accounts.Access, db, table string) accounts.Set {
	have := may.Table(db, table)
	if isOwn(db) {
		have = have.With(WorldRights(table))
	}
	return have
}

// WorldRights is what everybody may do with a table of performance_schema.
func WorldRights(table string) (have accounts.Set) {
	name := strings.ToLower(table)
	if worldReadable[name] {
		have = accounts.SetOf(accounts.Select)
	}
	if worldTruncatable[name] {
		have = have.With(accounts.SetOf(accounts.Drop))
	}
	return have
}

// ErrSchemaDenied is for what may not be done with a database.
func ErrSchemaDenied(ctx *sql.Context, db string) error {
	id := Account(ctx)
	return mysql.NewSQLError(1044, "42000", "Access denied for user '%s'@'%s' to database '%s'", id.User, id.Host, db)
}

// ErrRoutineDenied is for what may not be done with a procedure.
func ErrRoutineDenied(ctx *sql.Context, what, db, name string) error {
	id := Account(ctx)
	return mysql.NewSQLError(1370, "42000", "%s command denied to user '%s'@'%s' for routine '%s.%s'", what, id.User, id.Host, db, name)
}

// Account is the account of the session of ctx.
func Account(ctx *sql.Context) accounts.ID {
	if a := Of(ctx); a != nil {
		return a.Account.ID
	}
	c := ctx.Session.Client()
	return accounts.ID{User: c.User, Host: c.Address}
}
