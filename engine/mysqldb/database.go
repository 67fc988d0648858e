package mysqldb

import (
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// Name is the name of the database.
const Name = "mysql"

// Database is the database mysql. Safe for concurrent use.
type Database struct {
	tables map[string]*table // by lower-case name
	names  []string
}

// New returns the database of the accounts in store. local is a moment as the session of a context sees it.
func New(store *accounts.Store, local func(*sql.Context, time.Time) time.Time) *Database {
	d := &Database{tables: map[string]*table{}}
	for _, def := range slices.Concat([]definition{
		user, db, tablesPriv, columnsPriv, procsPriv, proxiesPriv, globalGrants, roleEdges, defaultRoles,
	}, empty) {
		d.tables[def.name] = newTable(def, store, local)
		d.names = append(d.names, def.name)
	}
	slices.Sort(d.names)
	return d
}

// Name implements sql.Database.
func (d *Database) Name() string { return Name }

// GetTableInsensitive implements sql.Database.
func (d *Database) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	t, ok := d.tables[strings.ToLower(name)]
	if !ok {
		return nil, false, nil
	}
	return t, true, nil
}

// GetTableNames implements sql.Database.
func (d *Database) GetTableNames(*sql.Context) ([]string, error) { return slices.Clone(d.names), nil }

// GetCollation implements sql.CollatedDatabase.
func (d *Database) GetCollation(*sql.Context) sql.CollationID {
	return sql.Collation_utf8mb4_0900_ai_ci
}

// SetCollation implements sql.CollatedDatabase: it cannot be set.
func (d *Database) SetCollation(*sql.Context, sql.CollationID) error { return ErrSchema() }
