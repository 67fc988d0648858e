package engine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/storage"
	"pfsd/engine/usertables"
	"pfsd/instr"
)

const (
	// longRows is how many rows there have to be, or to have been, for a statement to be in a
	// stage that tells how far it is.
	longRows = 10_000
	// progressRows is how many rows go by before a stage tells how far it is.
	progressRows = 1024
)

// longScan is a node of a plan that reads a table of many rows, once.
type longScan struct {
	node sql.Node
	rows uint64 // of the table, which is at least as many as are read
}

// rowsOf is how many rows a user's table has, 0 if that is not known.
func rowsOf(ctx *sql.Context, t sql.Table) uint64 {
	m := usertables.Stored(t)
	if m == nil {
		return 0
	}
	n, _, _ := m.RowCount(ctx)
	return n
}

// progressing counts the rows that come through it and tells how far the statement is with
// them. It costs an increment for each row. Owned by one goroutine.
type progressing struct {
	sql.RowIter
	work     *work
	stage    *instr.StageClass // if the statement is not in one that tells its progress
	from     uint64            // rows, from how many on it is worth a stage
	rows     uint64            // so far
	estimate uint64            // rows, 0 if not known
	begun    bool
}

// Next implements sql.RowIter.
func (p *progressing) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := p.RowIter.Next(ctx)
	if err != nil {
		p.end()
		return row, err
	}
	p.count()
	return row, nil
}

// count counts a row.
func (p *progressing) count() {
	if p.rows++; p.rows%progressRows == 0 {
		p.tell()
	}
}

// Close implements sql.RowIter.
func (p *progressing) Close(ctx *sql.Context) error {
	p.end()
	return p.RowIter.Close(ctx)
}

// tell tells how far the statement is, in a stage that begins if need be.
func (p *progressing) tell() {
	o := &p.work.statement
	if !p.begun {
		if o.progress != nil || max(p.rows, p.estimate) < p.from {
			return
		}
		p.begun, o.progress, o.told = true, p, true
		if o.stage != p.work.stages.sorting {
			o.stage = p.stage
			p.work.thread.StartStage(p.stage)
		}
		p.work.thread.SetWorkEstimated(p.estimate)
	}
	p.work.thread.SetWorkCompleted(p.rows)
}

// end says how much was done, and ends the stage if it is p's.
func (p *progressing) end() {
	if !p.begun {
		return
	}
	p.begun = false
	o, t := &p.work.statement, p.work.thread
	t.SetWorkCompleted(p.rows)
	o.progress = nil
	if o.stage == p.stage {
		o.stage = o.execution
		t.StartStage(o.stage)
	}
}

// goOn makes the statement, which has waited, be again in the stage in which it was before.
func (w *work) goOn() {
	o := &w.statement
	if o.stage == nil {
		w.thread.StartStage(w.stages.optimizing) // constants are worked out
		return
	}
	w.thread.StartStage(o.stage)
	if p := o.progress; p != nil {
		w.thread.SetWorkEstimated(p.estimate)
		w.thread.SetWorkCompleted(p.rows)
	}
}

// copies makes n, which alters a table of a user's, tell how far it is with copying the rows, if
// it does.
func (w *work) copies(n sql.Node) (sql.Node, error) {
	d, ok := n.(sql.Databaser)
	if !ok {
		return n, nil
	}
	if db, ok := d.Database().(usertables.Database); ok {
		return d.WithDatabase(copiedDatabase{db, w})
	}
	return n, nil
}

// copiedDatabase is a database whose tables are copied.
type copiedDatabase struct {
	usertables.Database
	work *work
}

// GetTableInsensitive implements sql.Database.
func (d copiedDatabase) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	t, ok, err := d.Database.GetTableInsensitive(ctx, name)
	if m := usertables.Stored(t); m != nil && err == nil {
		return &copiedTable{m, d.work}, ok, nil
	}
	return t, ok, err
}

// copiedTable is a table whose rows are read to be copied.
type copiedTable struct {
	usertables.StoredTable
	work *work
}

// PartitionRows implements sql.Table.
func (t *copiedTable) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	rows, err := t.StoredTable.PartitionRows(ctx, p)
	if err != nil {
		return nil, err
	}
	w := t.work
	copied := &progressing{RowIter: rows, work: w, stage: w.stages.copying, estimate: rowsOf(ctx, t.StoredTable)}
	copied.tell()
	return copied, nil
}

// CreateIndex implements sql.IndexAlterableTable.
func (t *copiedTable) CreateIndex(ctx *sql.Context, x sql.IndexDef) error {
	p := &progressing{work: t.work, stage: t.work.stages.copying, estimate: rowsOf(ctx, t.StoredTable)}
	p.tell()
	defer p.end()
	return t.StoredTable.CreateIndex(storage.WithRowsRead(ctx, p.count), x)
}

// load builds n, which yields many rows to be put into a table, and tells how far that is.
func (b *builder) load(ctx *sql.Context, w *work, n *plan.Values, row sql.Row) (sql.RowIter, error) {
	rows, err := b.plain.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	many := uint64(len(n.ExpressionTuples))
	return &progressing{RowIter: rows, work: w, stage: w.stages.writing, from: longRows, estimate: many}, nil
}

// longScanOf is what is known of a node that reads many rows.
func (p *planScans) longScanOf(n sql.Node) (longScan, bool) {
	for _, s := range p.long {
		if s.node == n {
			return s, true
		}
	}
	return longScan{}, false
}
