package engine

import "github.com/dolthub/go-mysql-server/sql"

// A reader is the statement that reads or writes tables. The ProcessList of its context implements it.
type reader interface {
	Counts() *storageCounts
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

// storageCounts count what a statement reads and writes. Owned by one goroutine.
type storageCounts struct {
	examined uint64 // rows read from tables
	asked    handlerCounts
	sorted   uint64 // rows
}

// countsOf are the counts of the statement of ctx, one that nobody reads if it is nobody's.
func countsOf(ctx *sql.Context) *storageCounts {
	if r := readerOf(ctx); r != nil {
		return r.Counts()
	}
	return new(storageCounts)
}

// ask counts n times what is asked of the storage.
func (t *storageCounts) ask(what int, n uint64) { t.asked[what] += n }

// handlerCounts are what a statement asks of the storage.
type handlerCounts [handlerCount]uint64

// What is asked of the storage.
const (
	readFirst   = iota // the first row of an index
	readKey            // the first row of a value or a range of an index
	readLast           // the last row of an index
	readNext           // the next row of an index
	readPrev           // the previous row of an index
	readRndNext        // the next row of a table
	handlerWrite
	handlerUpdate
	handlerDelete
	handlerCount
)

var handlerNames = [handlerCount]string{
	"Handler_read_first", "Handler_read_key", "Handler_read_last", "Handler_read_next", "Handler_read_prev", "Handler_read_rnd_next",
	"Handler_write", "Handler_update", "Handler_delete",
}

// asks is how rows are asked for.
type asks struct {
	first int    // what the first request is
	times uint64 // how often it is made: once for each range of an index
	next  int    // what the others are
	// single tells that there are no others: an index has one row for a value.
	single bool
}

// wholeTable is how rows are asked for one after the other.
var wholeTable = asks{readRndNext, 1, readRndNext, false}

// count counts n more requests; asked is whether there have been any.
func (a *asks) count(t *storageCounts, asked *bool, n uint64) {
	if n == 0 {
		return
	}
	if !*asked {
		*asked = true
		t.ask(a.first, a.times)
		n--
	}
	if !a.single {
		t.ask(a.next, n)
	}
}
