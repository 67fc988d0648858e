package rights

import (
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/mysqldb"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/privilege"
	"pfsd/engine/session"
	"pfsd/engine/vtable"
	"pfsd/tables"
)

// Writes reports whether a part of a statement writes rows; authType is the part's type.
func Writes(authType string) bool {
	switch authType {
	case ast.AuthType_INSERT, ast.AuthType_REPLACE, ast.AuthType_UPDATE, ast.AuthType_DELETE:
		return true
	}
	return false
}

// SelectInsert is the type of a part of a statement that maintains a table, such as CHECK TABLE.
const SelectInsert = "SELECT_INSERT"

// MayWriteAccounts reports whether the session may change every account by statements. Only then
// may it also write to the tables that store the accounts.
func MayWriteAccounts(ctx *sql.Context) bool {
	return access.May(ctx, accounts.CreateUser) && access.May(ctx, accounts.SystemUser)
}

// CheckMySQL returns the error for a change in the database mysql. Only sessions that may change
// every account may change rows there.
func CheckMySQL(ctx *sql.Context, info ast.AuthInformation) error {
	switch info.AuthType {
	case ast.AuthType_SELECT, ast.AuthType_SHOW, ast.AuthType_VISIBLE, ast.AuthType_IGNORE, ast.AuthType_LOCK, ast.AuthType_CALL, ast.AuthType_RELOAD, SelectInsert,
		ast.AuthType_SHOW_CREATE_PROCEDURE, "":
		return nil
	}
	switch info.TargetType {
	case ast.AuthTargetType_DatabaseIdentifiers:
		if slices.ContainsFunc(info.TargetNames, func(db string) bool { return mysqldb.Is(session.OrCurrent(ctx, db)) }) {
			return mysqldb.ErrSchema()
		}
	case ast.AuthTargetType_SingleTableIdentifier, ast.AuthTargetType_MultipleTableIdentifiers:
		truncates := info.AuthType == ast.AuthType_DROP && info.TargetType == ast.AuthTargetType_SingleTableIdentifier
		if (Writes(info.AuthType) || truncates) && MayWriteAccounts(ctx) {
			return nil
		}
		if truncates && isLogTable(ctx, info.TargetNames) {
			return nil
		}
		for i := 0; i+1 < len(info.TargetNames); i += 2 {
			if mysqldb.Is(session.OrCurrent(ctx, info.TargetNames[i])) {
				return mysqldb.ErrTable(info.TargetNames[i+1])
			}
		}
	}
	return nil
}

// isLogTable reports whether name, a database and a table, is a log table, which TRUNCATE may
// empty.
func isLogTable(ctx *sql.Context, name []string) bool {
	return len(name) == 2 && mysqldb.Is(session.OrCurrent(ctx, name[0])) && mysqldb.IsLog(name[1])
}

// CheckOwn returns the error if a part of a statement does what nobody may do with the tables of
// performance_schema or history. catalog has these tables.
func CheckOwn(ctx *sql.Context, catalog sql.Catalog, info ast.AuthInformation) error {
	switch info.TargetType {
	case ast.AuthTargetType_DatabaseIdentifiers:
		switch info.AuthType {
		case ast.AuthType_SELECT, ast.AuthType_SHOW, ast.AuthType_VISIBLE, ast.AuthType_IGNORE:
			return nil
		}
		for _, db := range info.TargetNames {
			if db = session.OrCurrent(ctx, db); isOwn(ctx, catalog, db) {
				return access.ErrSchemaDenied(ctx, strings.ToLower(db))
			}
		}
	case ast.AuthTargetType_SingleTableIdentifier, ast.AuthTargetType_MultipleTableIdentifiers:
		for i := 0; i+1 < len(info.TargetNames); i += 2 {
			db := session.OrCurrent(ctx, info.TargetNames[i])
			if !isOwn(ctx, catalog, db) {
				continue
			}
			if err := checkOwnTable(ctx, catalog, info, strings.ToLower(db), info.TargetNames[i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// isOwn reports whether a database is performance_schema or history, and not a database of this name that the users have.
func isOwn(ctx *sql.Context, catalog sql.Catalog, name string) bool {
	if !strings.EqualFold(name, tables.HistorySchema) {
		return vtable.Is(name)
	}
	db, err := catalog.Database(ctx, name)
	_, own := db.(vtable.Schema)
	return err == nil && own
}

func checkOwnTable(ctx *sql.Context, catalog sql.Catalog, info ast.AuthInformation, db, name string) error {
	var t *vtable.Table
	if schema, err := catalog.Database(ctx, db); err == nil {
		if found, ok, _ := schema.GetTableInsensitive(ctx, name); ok {
			t, _ = found.(*vtable.Table)
		}
	}
	deny := func(command string) error {
		if t == nil {
			return nil // no such table: error 1146 follows
		}
		return mysqlerr.TableDenied(ctx, command, name)
	}
	switch info.AuthType {
	case ast.AuthType_INSERT:
		if t == nil || !t.Def.Insertable() {
			return deny("INSERT")
		}
	case SelectInsert:
		if t == nil || !t.Def.Insertable() {
			return deny("SELECT, INSERT")
		}
	case ast.AuthType_DELETE:
		if t == nil || !t.Def.Deletable() {
			return deny("DELETE")
		}
	case ast.AuthType_REPLACE:
		if t == nil || !t.Def.Insertable() || !t.Def.Deletable() {
			return deny("INSERT, DELETE")
		}
	case ast.AuthType_UPDATE:
		if t != nil && !t.Def.Updatable() {
			return deny("UPDATE")
		}
	case ast.AuthType_LOCK:
		if t != nil && !t.Def.Updatable() {
			return deny("SELECT, LOCK TABLES")
		}
	case ast.AuthType_DROP:
		if info.TargetType == ast.AuthTargetType_MultipleTableIdentifiers { // DROP TABLE
			return deny("DROP")
		}
		if t != nil && !t.Def.Truncatable() {
			return deny("DROP")
		}
	case ast.AuthType_SELECT, ast.AuthType_SHOW, ast.AuthType_VISIBLE, ast.AuthType_IGNORE:
	default: // CREATE, ALTER, INDEX, TRIGGER, RENAME ...
		return access.ErrSchemaDenied(ctx, db)
	}
	return nil
}

// commandRules returns the rules for a command of the protocol, by its name; nil if the server must
// not execute the command.
func commandRules(name string) []privilege.Rule {
	return privilege.For(privilege.Command, strings.ReplaceAll(name, " ", "_"))
}

// AuthorizeCommand returns the error if the session may not execute a command of the protocol, nil
// if it may.
func AuthorizeCommand(ctx *sql.Context, name string) *mysql.SQLError {
	rules := commandRules(name)
	if len(rules) == 0 {
		return mysqlerr.NoCommand()
	}
	for i := range rules {
		if lacks := rules[i].Missing(access.Of(ctx), privilege.Object{}); lacks != "" {
			return accounts.ErrNeeds(lacks).(*mysql.SQLError)
		}
	}
	return nil
}
