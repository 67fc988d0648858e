package vtable

import "github.com/dolthub/go-mysql-server/sql"

// A reader is the statement that reads or writes tables. The ProcessList of its context implements it.
type reader interface {
	Counts() *Counts
	// Pace has the statement be held back after so much work.
	Pace(n uint) error
	// Sorts notes that the statement sorts rows, and returns what notes that it has done so.
	Sorts() (sorted func())
}

// readerOf is the statement of ctx, nil if it is nobody's.
func readerOf(ctx *sql.Context) reader {
	r, _ := ctx.ProcessList.(reader)
	return r
}

// Counts count what a statement reads and writes. Owned by one goroutine.
type Counts struct {
	Examined uint64 // rows read from tables
	Handler  HandlerCounts
	Sorted   uint64 // rows
}

// countsOf are the counts of the statement of ctx, one that nobody reads if it is nobody's.
func countsOf(ctx *sql.Context) *Counts {
	if r := readerOf(ctx); r != nil {
		return r.Counts()
	}
	return new(Counts)
}

// Add counts n times what is asked of the storage.
func (t *Counts) Add(what int, n uint64) { t.Handler[what] += n }

// HandlerCounts are what a statement asks of the storage.
type HandlerCounts [HandlerCount]uint64

// What is asked of the storage.
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

// Requests is how rows are asked for.
type Requests struct {
	First int    // what the first request is
	Times uint64 // how often it is made: once for each range of an index
	Next  int    // what the others are
	// Single tells that there are no others: an index has one row for a value.
	Single bool
}

// WholeTable is how rows are asked for one after the other.
var WholeTable = Requests{readRndNext, 1, readRndNext, false}

// Count counts n more requests; asked is whether there have been any.
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
