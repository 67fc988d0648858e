package tableuse

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/instr"
)

// fetching reads rows of a table, and counts them. All that it reads before the connection does
// something else with a table is one operation, as in MySQL. It costs little more for each row
// than an increment. Owned by one goroutine.
type fetching struct {
	sql.RowIter
	tables   *Tables
	examined *uint64 // rows, by the statement
	handle   *instr.TableHandle
	index    int // by which rows are found
	unique   bool
	wait     instr.TableWait
	found    int  // rows in this operation
	done     bool // there are no more
}

// Fetch returns rows of table u, which is one of ts; examined is how many rows the statement has examined.
func (ts *Tables) Fetch(u *Table, rows sql.RowIter, examined *uint64) sql.RowIter {
	return &fetching{RowIter: rows, tables: ts, examined: examined, handle: u.handle, index: u.index, unique: u.unique}
}

// StartWrite notes that a row of the table is about to be written.
func (u *Table) StartWrite(op instr.TableOp) instr.TableWait {
	index := u.index
	if op == instr.TableInsert {
		index = instr.NoIndex
	}
	return u.handle.StartIO(op, index)
}

// Next implements sql.RowIter.
func (f *fetching) Next(ctx *sql.Context) (sql.Row, error) {
	ts := f.tables
	if ts.fetch != f && !f.done {
		ts.EndFetch()
		f.wait, f.found = f.handle.StartIO(instr.TableFetch, f.index), 0
		ts.fetch = f
	}
	row, err := f.RowIter.Next(ctx)
	if err != nil {
		f.end()
		return row, err
	}
	f.found++
	*f.examined++
	f.done = f.unique
	return row, nil
}

// Passes implements charge.Passer.
func (f *fetching) Passes() sql.RowIter { return f.RowIter }

// end ends the operation. The look-up of what is not there counts as one row, if at most one
// can be.
func (f *fetching) end() {
	if ts := f.tables; ts.fetch == f {
		if f.unique && !f.done {
			f.found = 1
		}
		ts.EndFetch()
	}
	f.done = true
}

// Close implements sql.RowIter.
func (f *fetching) Close(ctx *sql.Context) error {
	f.end()
	return f.RowIter.Close(ctx)
}
