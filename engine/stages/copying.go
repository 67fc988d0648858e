package stages

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/executor"
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
		var convert func(ctx *sql.Context, row sql.Row, number int64) error
		if m, ok := n.(*plan.ModifyColumn); ok {
			convert = executor.ModifiedRows(m)
		}
		return d.WithDatabase(copiedDatabase{db, t, convert})
	}
	return n, nil
}

// copiedDatabase is a database whose tables are copied.
type copiedDatabase struct {
	usertables.Database
	tracker *Tracker
	convert func(ctx *sql.Context, row sql.Row, number int64) error // makes the rows of the new table; nil if they are as they were
}

// GetTableInsensitive implements sql.Database.
func (d copiedDatabase) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	t, ok, err := d.Database.GetTableInsensitive(ctx, name)
	if m := usertables.Stored(t); m != nil && err == nil {
		return &copiedTable{m, d.tracker, d.convert}, ok, nil
	}
	return t, ok, err
}

// copiedTable is a table whose rows are read to be copied.
type copiedTable struct {
	usertables.StoredTable
	tracker *Tracker
	convert func(ctx *sql.Context, row sql.Row, number int64) error
}

// PartitionRows implements sql.Table.
func (t *copiedTable) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	rows, err := t.StoredTable.PartitionRows(ctx, p)
	if err != nil {
		return nil, err
	}
	if t.convert != nil {
		rows = &converted{RowIter: rows, convert: t.convert, tracker: t.tracker}
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

// converted are rows, each of which is converted to the new definition of its table. Owned by one goroutine.
type converted struct {
	sql.RowIter
	convert func(ctx *sql.Context, row sql.Row, number int64) error
	tracker *Tracker
	number  int64
}

// Next implements sql.RowIter.
func (c *converted) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := c.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	c.number++
	c.tracker.Copied++
	row = row.Copy()
	return row, c.convert(ctx, row, c.number)
}
