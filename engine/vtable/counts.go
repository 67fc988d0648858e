package vtable

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/tables"
)

// A statement is the statement that reads or writes tables. The ProcessList of the context implements it.
type statement interface {
	Counts() *Counts
	// Pace is called after n units of work. It may make the statement wait.
	Pace(n uint) error
	// Sorts is called when a sort begins. The function that it returns is called when the sort
	// ends.
	Sorts() (sorted func())
}

// statementOf returns the statement of ctx, nil if there is none.
func statementOf(ctx *sql.Context) statement {
	r, _ := ctx.ProcessList.(statement)
	return r
}

// Counts count what a statement reads and writes. Owned by one goroutine.
type Counts struct {
	Examined uint64 // rows read from tables
	Handler  HandlerCounts
	Sorted   uint64 // rows
	// What the statement reads of a model, and the model.
	reading, of tables.Model
}

// readingOf is the model that the statement reads: see tables.ReadingOf.
func (t *Counts) readingOf(m tables.Model) tables.Model {
	if !tables.MayFail(m) {
		return m
	}
	if t.of != m {
		t.reading, t.of = tables.ReadingOf(m), m
	}
	return t.reading
}

// Forget forgets what the statement has read of a model, which may be large: the statement has ended.
func (t *Counts) Forget() { t.reading, t.of = nil, nil }

// countsOf returns the counts of the statement of ctx; if there is none, counts that are not used.
func countsOf(ctx *sql.Context) *Counts {
	if r := statementOf(ctx); r != nil {
		return r.Counts()
	}
	return new(Counts)
}

// Add counts n requests of a kind.
func (t *Counts) Add(what int, n uint64) { t.Handler[what] += n }

// HandlerCounts counts the requests of a statement to the storage, the status variables Handler_*.
type HandlerCounts [HandlerCount]uint64

// Kinds of requests to the storage.
const (
	ReadFirst   = iota // the first row of an index
	ReadKey            // the first row of a value or a range of an index
	ReadLast           // the last row of an index
	ReadNext           // the next row of an index
	ReadPrev           // the previous row of an index
	readRndNext        // the next row of a table
	HandlerWrite
	HandlerUpdate
	HandlerDelete
	HandlerCount
)

var HandlerNames = [HandlerCount]string{
	"Handler_read_first", "Handler_read_key", "Handler_read_last", "Handler_read_next", "Handler_read_prev", "Handler_read_rnd_next",
	"Handler_write", "Handler_update", "Handler_delete",
}

// Requests describes the requests of a scan.
type Requests struct {
	First int    // kind of the first request
	Times uint64 // number of first requests: one for each range of an index
	Next  int    // kind of the other requests
	// Single is true if there are no others: a unique key has one row for a value.
	Single bool
}

// WholeTable are the requests of a full scan.
var WholeTable = Requests{readRndNext, 1, readRndNext, false}

// Count counts n requests. asked records whether the first request has been counted.
func (a *Requests) Count(t *Counts, asked *bool, n uint64) {
	if n == 0 {
		return
	}
	if !*asked {
		*asked = true
		t.Add(a.First, a.Times)
		n--
	}
	if !a.Single {
		t.Add(a.Next, n)
	}
}
