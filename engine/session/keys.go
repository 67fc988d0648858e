package session

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mdl"
	"pfsd/engine/vtable"
)

func OrCurrent(ctx *sql.Context, db string) string {
	if db == "" {
		return ctx.GetCurrentDatabase()
	}
	return db
}

// TableKey is a table's or a view's name as it is locked: letter case does not matter in it.
func TableKey(db, name string) mdl.Key {
	return mdl.Key{Namespace: mdl.Table, Schema: strings.ToLower(db), Name: strings.ToLower(name)}
}

// KeyOf is TableKey of a name in a statement.
func KeyOf(ctx *sql.Context, n ast.TableName) mdl.Key {
	return TableKey(OrCurrent(ctx, n.DbQualifier.String()), n.Name.String())
}

// IsVirtual tells whether the engine of a key's table is performance_schema's or information_schema's,
// whose tables nothing changes.
func IsVirtual(k mdl.Key) bool {
	return k.Schema == vtable.Database || k.Schema == "information_schema"
}

var globalKey, backupKey, commitKey = mdl.Key{Namespace: mdl.Global}, mdl.Key{Namespace: mdl.BackupLock}, mdl.Key{Namespace: mdl.Commit}
