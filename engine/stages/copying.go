package stages

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/storage"
	"pfsd/engine/usertables"
)

// Copying makes n, which alters a table of a user's, tell how far it is with copying the rows, if
// it does.
func (t *Tracker) Copying(n sql.Node) (sql.Node, error) {
	d, ok := n.(sql.Databaser)
	if !ok {
		return n, nil
	}
	if db, ok := d.Database().(usertables.Database); ok {
		return d.WithDatabase(copiedDatabase{db, t})
	}
	return n, nil
}

// copiedDatabase is a database whose tables are copied.
type copiedDatabase struct {
	usertables.Database
	tracker *Tracker
}

// GetTableInsensitive implements sql.Database.
func (d copiedDatabase) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	t, ok, err := d.Database.GetTableInsensitive(ctx, name)
	if m := usertables.Stored(t); m != nil && err == nil {
		return &copiedTable{m, d.tracker}, ok, nil
	}
	return t, ok, err
}

// copiedTable is a table whose rows are read to be copied.
type copiedTable struct {
	usertables.StoredTable
	tracker *Tracker
}

// PartitionRows implements sql.Table.
func (t *copiedTable) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	rows, err := t.StoredTable.PartitionRows(ctx, p)
	if err != nil {
		return nil, err
	}
	copied := &Progress{RowIter: rows, tracker: t.tracker, stage: t.tracker.classes.copying, estimate: RowsOf(ctx, t.StoredTable)}
	copied.tell()
	return copied, nil
}

// CreateIndex implements sql.IndexAlterableTable.
func (t *copiedTable) CreateIndex(ctx *sql.Context, x sql.IndexDef) error {
	p := &Progress{tracker: t.tracker, stage: t.tracker.classes.copying, estimate: RowsOf(ctx, t.StoredTable)}
	p.tell()
	defer p.end()
	return t.StoredTable.CreateIndex(storage.WithRowsRead(ctx, p.count), x)
}
