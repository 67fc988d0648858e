package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
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

// temporaryRows are what the rows of the session's temporary tables take, by table. What a statement writes is charged to the connection until
// the row is deleted or the table is emptied or dropped, also if it is rolled back. Owned by the connection's goroutine.
type temporaryRows map[tableName]*budget.Hold

func nameOf(t *memory.Table) tableName {
	return tableName{strings.ToLower(t.Database()), strings.ToLower(t.Name())}
}

// chargeRow charges a row that is written to a temporary table, or gives back what one took that is deleted from it; either may be nil.
func (w *work) chargeRow(t *memory.Table, written, deleted sql.Row) error {
	if !isTemporary(t) {
		return nil
	}
	name := nameOf(t)
	hold := w.temporaryRows[name]
	if hold == nil {
		if w.temporaryRows == nil {
			w.temporaryRows = temporaryRows{}
		}
		hold = w.account.NewHold(nil)
		w.temporaryRows[name] = hold
	}
	if deleted != nil {
		hold.Discharge(min(charge.RowSize(deleted), hold.Used()))
	}
	if written == nil {
		return nil
	}
	return hold.Charge(charge.RowSize(written))
}

// dropRows gives back what the rows of a temporary table took.
func (w *work) dropRows(t *memory.Table) {
	if hold := w.temporaryRows[nameOf(t)]; hold != nil {
		hold.Drop()
		delete(w.temporaryRows, nameOf(t))
	}
}

// dropTemporary drops all temporary tables of the session.
func (w *work) dropTemporary() {
	for _, hold := range w.temporaryRows {
		hold.Drop()
	}
	w.temporary, w.temporaryRows = nil, nil
}

// Truncate implements sql.TruncateableTable.
func (t temporaryTable) Truncate(ctx *sql.Context) (int, error) {
	n, err := t.Table.Truncate(ctx)
	if w := workOf(ctx); w != nil && err == nil {
		w.dropRows(t.Table)
	}
	return n, err
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
