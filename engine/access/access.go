package access

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/tables"
)

// Session is the session of a statement, whose rights the statement has. The ProcessList of the statement's context implements it.
type Session interface {
	// Access returns what the session may do at the moment; nil means everything.
	Access() *accounts.Access
	// AccessIn returns what it may do in a part of a statement, which may be inside a view and then has the rights of
	// the view's definer; nil means everything.
	AccessIn(*sql.Context, ast.AuthInformation) *accounts.Access
	// Definer returns the definer of the view for which a plan is being made, nil if that is no view or one with the rights
	// of its reader.
	Definer(*sql.Context) *accounts.ID
	// ViewDatabase returns the database of the view for which a plan is being made, "" if that is no view.
	ViewDatabase(*sql.Context) string
	// SkipsGrants reports whether the server runs with --skip-grant-tables: nobody signs in, everybody may do everything.
	SkipsGrants() bool
}

// Of returns what the session of ctx may do; nil means everything.
func Of(ctx *sql.Context) *accounts.Access {
	if s, ok := ctx.ProcessList.(Session); ok {
		return s.Access()
	}
	return nil
}

// In returns what the session of ctx may do in a part of a statement, which may be inside a view; nil means everything.
func In(ctx *sql.Context, part ast.AuthInformation) *accounts.Access {
	if s, ok := ctx.ProcessList.(Session); ok {
		return s.AccessIn(ctx, part)
	}
	return nil
}

// Definer returns the account as which a function runs that is bound to the plan of a statement now and has the rights of
// its invoker: the definer of the view that calls it. It is nil if there is no such view.
func Definer(ctx *sql.Context) *accounts.ID {
	if s, ok := ctx.ProcessList.(Session); ok {
		return s.Definer(ctx)
	}
	return nil
}

// CurrentDatabase returns the database of a name without one in the part of a statement for which a plan is being made.
func CurrentDatabase(ctx *sql.Context) string {
	if s, ok := ctx.ProcessList.(Session); ok {
		if db := s.ViewDatabase(ctx); db != "" {
			return db
		}
	}
	return ctx.GetCurrentDatabase()
}

// SkipsGrants reports whether the server of ctx runs with --skip-grant-tables.
func SkipsGrants(ctx *sql.Context) bool {
	s, ok := ctx.ProcessList.(Session)
	return ok && s.SkipsGrants()
}

// May reports whether the session of ctx has one of these privileges for the whole server.
func May(ctx *sql.Context, anyOf ...accounts.Privilege) bool { return Of(ctx).HasAny(anyOf...) }

// Visible reports whether the session of ctx may know that table exists; with table "", that the database exists.
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

// isOwn reports whether a database is performance_schema, whose tables everybody may know of.
func isOwn(db string) bool { return strings.EqualFold(db, tables.Schema) }

// worldReadable are the tables of performance_schema that everybody may read.
var worldReadable = map[string]bool{
	"global_status": true, "global_variable_attributes": true, "global_variables": true, "persisted_variables": true,
	"processlist": true, "session_account_connect_attrs": true, "session_status": true, "session_variables": true,
	"variables_info": true, "variables_metadata": true,
}

// worldTruncatable are the tables of performance_schema that everybody may truncate.
var worldTruncatable = map[string]bool{"global_status": true}

// ErrNeeds is the error for an account that has none of these privileges.
func ErrNeeds(anyOf ...accounts.Privilege) error {
	names := make([]string, len(anyOf))
	for i, p := range anyOf {
		names[i] = p.String()
	}
	return accounts.ErrNeeds(strings.Join(names, " or "))
}

// TableRights returns the privileges that may has on a table, including those that everybody has.
func TableRights(may *accounts.Access, db, table string) accounts.Set {
	have := may.Table(db, table)
	if isOwn(db) {
		have = have.With(WorldRights(table))
	}
	return have
}

// WorldRights returns the privileges that everybody has on a table of performance_schema.
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

// ErrSchemaDenied is error 1044: no access to a database.
func ErrSchemaDenied(ctx *sql.Context, db string) error {
	id := Account(ctx)
	return mysql.NewSQLError(1044, "42000", "Access denied for user '%s'@'%s' to database '%s'", id.User, id.Host, db)
}

// ErrRoutineDenied is error 1370: no access to a procedure.
func ErrRoutineDenied(ctx *sql.Context, what, db, name string) error {
	id := Account(ctx)
	return mysql.NewSQLError(1370, "42000", "%s command denied to user '%s'@'%s' for routine '%s.%s'", what, id.User, id.Host, db, name)
}

// Account returns the account of the session of ctx.
func Account(ctx *sql.Context) accounts.ID {
	if a := Of(ctx); a != nil {
		return a.Account.ID
	}
	c := ctx.Session.Client()
	return accounts.ID{User: c.User, Host: c.Address}
}

// ErrOwnSchema is the error for no access to performance_schema.
func ErrOwnSchema(ctx *sql.Context) error { return ErrSchemaDenied(ctx, tables.Schema) }
