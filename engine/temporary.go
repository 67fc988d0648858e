package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/mdl"
)

// temporaryTables are the temporary tables of a session, which nobody else sees and nothing
// instruments, as in MySQL. Those of a database are in a hidden database of their own. Owned by the
// connection's goroutine.
type temporaryTables map[string]*memory.Database

// temporarySuffix is what the name of a hidden database ends with. No database of users' has such a name.
const temporarySuffix = "\x00temporary"

// isTemporary tells whether a table is a temporary one.
func isTemporary(t *memory.Table) bool { return strings.HasSuffix(t.Database(), temporarySuffix) }

// find returns a temporary table by the names of its database and its own, whatever their letter case.
func (ts temporaryTables) find(ctx *sql.Context, db, name string) (*memory.Table, bool) {
	hidden := ts[strings.ToLower(db)]
	if hidden == nil {
		return nil, false
	}
	t, ok, err := hidden.GetTableInsensitive(ctx, name)
	m, is := t.(*memory.Table)
	return m, ok && is && err == nil
}

// has tells whether there is a temporary table that k means.
func (ts temporaryTables) has(ctx *sql.Context, k mdl.Key) bool {
	_, ok := ts.find(ctx, k.Schema, k.Name)
	return ok
}

// temporary are the temporary tables of the session of ctx, nil if it cannot have any.
func temporary(ctx *sql.Context) temporaryTables {
	if w := workOf(ctx); w != nil {
		return w.temporary
	}
	return nil
}

// hides tells whether what a statement calls k is a temporary table.
func (w *work) hides(ctx *sql.Context, k mdl.Key) bool {
	if k.Namespace != mdl.Table || len(w.temporary) == 0 || w.statement.lasting == k {
		return false
	}
	return w.temporary.has(ctx, k)
}

// temporaryTable is a temporary table as statements know it. Safe for concurrent use.
type temporaryTable struct{ usersTable }

var (
	_ sql.TemporaryTable        = temporaryTable{}
	_ sql.TemporaryTable        = usersTable{}
	_ sql.TemporaryTableCreator = usersDatabase{}
)

// IsTemporary implements sql.TemporaryTable.
func (temporaryTable) IsTemporary() bool { return true }

// IsTemporary implements sql.TemporaryTable.
func (usersTable) IsTemporary() bool { return false }

// CreateTemporaryTable implements sql.TemporaryTableCreator.
func (d usersDatabase) CreateTemporaryTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, collation sql.CollationID) error {
	w := workOf(ctx)
	if w == nil {
		return sql.ErrTemporaryTableNotSupported.New()
	}
	if _, exists := w.temporary.find(ctx, d.Name(), name); exists {
		return sql.ErrTableAlreadyExists.New(name)
	}
	if w.temporary == nil {
		w.temporary = temporaryTables{}
	}
	key := strings.ToLower(d.Name())
	if w.temporary[key] == nil {
		w.temporary[key] = memory.NewDatabase(key + temporarySuffix)
	}
	return w.temporary[key].CreateTable(ctx, name, schema, collation, "")
}

// temporaryTable returns the temporary table that a statement calls name, if there is one.
func (d usersDatabase) temporaryTable(ctx *sql.Context, name string) (sql.Table, bool) {
	w := workOf(ctx)
	if w == nil || !w.hides(ctx, tableKey(d.Name(), name)) {
		return nil, false
	}
	m, ok := w.temporary.find(ctx, d.Name(), name)
	return temporaryTable{usersTable{m}}, ok
}

// lasting notes that the statement makes a table called name, which is not a temporary one: from here
// on the name means that.
func (d usersDatabase) lasting(ctx *sql.Context, name string) {
	if w := workOf(ctx); w != nil {
		w.statement.lasting = tableKey(d.Name(), name)
	}
}
