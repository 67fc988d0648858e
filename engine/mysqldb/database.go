package mysqldb

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// databaseName is the name of the database.
const databaseName = "mysql"

// Is reports whether a database is mysql.
func Is(db string) bool { return strings.EqualFold(db, databaseName) }

// Database is the database mysql. Safe for concurrent use.
type Database struct {
	tables map[string]*table // by lower-case name
	names  []string
	store  *accounts.Store
	edits  *edits
}

// grantTables are the tables about accounts, in the order in which FLUSH PRIVILEGES reads them,
// each with the function that reads a row. proxies_priv is not read: its rows follow from the
// others.
var grantTables = []struct {
	definition
	take func(*loader, sql.Row)
}{
	{user, loadUser}, {db, loadDatabaseGrant}, {tablesPriv, loadTableGrant}, {columnsPriv, loadColumnGrant}, {procsPriv, loadRoutineGrant},
	{globalGrants, loadDynamicPrivilege}, {roleEdges, loadRoleEdge}, {defaultRoles, loadDefaultRole}, {proxiesPriv, func(*loader, sql.Row) {}},
}

// New returns the database of the accounts in store.
func New(store *accounts.Store, clock Clock) *Database {
	d := &Database{tables: map[string]*table{}, store: store, edits: &edits{rows: map[string][]sql.Row{}, dropped: map[string]bool{}}}
	all := slices.Clone(emptyTables)
	for _, g := range grantTables {
		all = append(all, g.definition)
	}
	for _, def := range all {
		d.tables[def.name] = newTable(def, store, clock, d.edits)
		d.names = append(d.names, def.name)
	}
	slices.Sort(d.names)
	return d
}

// Name implements sql.Database.
func (d *Database) Name() string { return databaseName }

// GetTableInsensitive implements sql.Database.
func (d *Database) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	t, ok := d.tables[strings.ToLower(name)]
	if !ok || d.isDropped(t.name) {
		return nil, false, nil
	}
	return t, true, nil
}

// GetTableNames implements sql.Database.
func (d *Database) GetTableNames(*sql.Context) ([]string, error) {
	return slices.DeleteFunc(slices.Clone(d.names), d.isDropped), nil
}

// GetCollation implements sql.CollatedDatabase.
func (d *Database) GetCollation(*sql.Context) sql.CollationID {
	return sql.Collation_utf8mb4_0900_ai_ci
}

// SetCollation implements sql.CollatedDatabase: it cannot be set.
func (d *Database) SetCollation(*sql.Context, sql.CollationID) error { return ErrSchema() }
