package usertables

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// table is a users' table as statements see it: writes of its rows are reported to the Observer.
// Safe for concurrent use.
type table struct{ StoredTable }

// indexedTable is a table whose rows an index finds.
type indexedTable struct{ StoredIndexedTable }

// temporaryTable is a temporary table as statements see it. Safe for concurrent use.
type temporaryTable struct{ table }

var (
	_ sql.ForeignKeyTable = table{}
	_ sql.TemporaryTable  = table{}
	_ sql.TemporaryTable  = temporaryTable{}
	_ sql.IndexedTable    = indexedTable{}
)

// Stored returns the stored table of a users' table, nil if t is not a users' table.
func Stored(t sql.Table) StoredTable {
	switch t := sql.GetUnderlyingTable(t).(type) {
	case table:
		return t.StoredTable
	case temporaryTable:
		return t.StoredTable
	case indexedTable:
		return t.StoredIndexedTable
	case StoredTable:
		return t
	}
	return nil
}

// NewTable returns a table of a storage as statements see it.
func NewTable(t StoredTable) sql.Table { return table{t} }

// IsTemporary tells whether a table is temporary.
func IsTemporary(t StoredTable) bool { return strings.HasSuffix(t.Database(), temporarySuffix) }

// LookUp returns the rows of n. It returns false if the table of n is not a users' table, or does
// not have everything that n returns. The iterator is that of the storage, where go-mysql-server's
// executor would put an iterator of partitions and one of tables around it.
func LookUp(ctx *sql.Context, n *plan.IndexedTableAccess, row sql.Row) (sql.RowIter, bool, error) {
	t, ok := n.Table.(indexedTable)
	if !ok {
		return nil, false, nil
	}
	lookup, found, err := n.GetLookup(ctx, row)
	if err != nil {
		return nil, true, err
	}
	if !found {
		return sql.RowsToRowIter(), true, nil
	}
	return t.LookupRows(ctx, lookup), true, nil
}

// DebugString implements sql.DebugStringer.
func (t table) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, t.StoredTable) }

// DebugString implements sql.DebugStringer.
func (t indexedTable) DebugString(ctx *sql.Context) string {
	return sql.DebugString(ctx, t.StoredIndexedTable)
}

// IsTemporary implements sql.TemporaryTable.
func (table) IsTemporary() bool { return false }

// IsTemporary implements sql.TemporaryTable.
func (temporaryTable) IsTemporary() bool { return true }

// Truncate implements sql.TruncateableTable.
func (t temporaryTable) Truncate(ctx *sql.Context) (int, error) {
	n, err := t.StoredTable.Truncate(ctx)
	if s := SessionOf(ctx); s != nil && err == nil {
		s.dropRows(t.StoredTable)
	}
	return n, err
}

// WithProjections implements sql.ProjectedTable.
func (t table) WithProjections(ctx *sql.Context, columns []string) (sql.Table, error) {
	narrow, err := t.StoredTable.WithProjections(ctx, columns)
	if s, ok := narrow.(StoredTable); ok && err == nil {
		return table{s}, nil
	}
	return narrow, err
}

// IndexedAccess implements sql.IndexAddressable.
func (t table) IndexedAccess(ctx *sql.Context, l sql.IndexLookup) sql.IndexedTable {
	found := t.StoredTable.IndexedAccess(ctx, l)
	if s, ok := found.(StoredIndexedTable); ok {
		return indexedTable{s}
	}
	return found
}

// Inserter implements sql.InsertableTable.
func (t table) Inserter(ctx *sql.Context) sql.RowInserter {
	return observed(ctx, t.StoredTable, t.StoredTable.Inserter(ctx))
}

// Replacer implements sql.ReplaceableTable.
func (t table) Replacer(ctx *sql.Context) sql.RowReplacer {
	return observed(ctx, t.StoredTable, t.StoredTable.Replacer(ctx))
}

// Updater implements sql.UpdatableTable.
func (t table) Updater(ctx *sql.Context) sql.RowUpdater {
	return observed(ctx, t.StoredTable, t.StoredTable.Updater(ctx))
}

// Deleter implements sql.DeletableTable.
func (t table) Deleter(ctx *sql.Context) sql.RowDeleter {
	return observed(ctx, t.StoredTable, t.StoredTable.Deleter(ctx))
}

// GetForeignKeyEditor implements sql.ForeignKeyTable.
func (t table) GetForeignKeyEditor(ctx *sql.Context) sql.ForeignKeyEditor {
	return observed(ctx, t.StoredTable, t.StoredTable.GetForeignKeyEditor(ctx))
}

// WithProjections implements sql.ProjectedTable.
func (t indexedTable) WithProjections(ctx *sql.Context, columns []string) (sql.Table, error) {
	narrow, err := t.StoredIndexedTable.WithProjections(ctx, columns)
	if s, ok := narrow.(StoredIndexedTable); ok && err == nil {
		return indexedTable{s}, nil
	}
	return narrow, err
}

// Inserter implements sql.InsertableTable.
func (t indexedTable) Inserter(ctx *sql.Context) sql.RowInserter {
	return observed(ctx, t.StoredIndexedTable, t.StoredIndexedTable.Inserter(ctx))
}

// Replacer implements sql.ReplaceableTable.
func (t indexedTable) Replacer(ctx *sql.Context) sql.RowReplacer {
	return observed(ctx, t.StoredIndexedTable, t.StoredIndexedTable.Replacer(ctx))
}

// Updater implements sql.UpdatableTable.
func (t indexedTable) Updater(ctx *sql.Context) sql.RowUpdater {
	return observed(ctx, t.StoredIndexedTable, t.StoredIndexedTable.Updater(ctx))
}

// Deleter implements sql.DeletableTable.
func (t indexedTable) Deleter(ctx *sql.Context) sql.RowDeleter {
	return observed(ctx, t.StoredIndexedTable, t.StoredIndexedTable.Deleter(ctx))
}
