package results

import (
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"

	"pfsd/engine/charge"
	"pfsd/engine/processor"
	"pfsd/engine/vtable"
	"pfsd/instr"
)

// RowsBytes is how much room there is for a value before it is in its packet.
const RowsBytes = 16 << 10

// rowBuffers are *[]byte, empty and with room for RowsBytes.
var rowBuffers = sync.Pool{New: func() any { b := make([]byte, 0, RowsBytes); return &b }}

// Outcome is what a statement has done, for its event and its client.
type Outcome struct {
	Sent, Affected uint64 // rows
	InsertID       uint64 // the first AUTO_INCREMENT value; 0 if there is none
	Done           bool   // the answer is OK, and no rows
	Message        string // with it
}

// Note notes the answer OK of a statement.
func (o *Outcome) Note(ok types.OkResult) {
	o.Done, o.Affected, o.InsertID = true, ok.RowsAffected, ok.InsertID
	if ok.Info != nil {
		o.Message = infoText(ok.Info)
	}
}

// Found returns the answer to a statement as the client wants it: with the rows that UPDATE has found where it asks for them.
//
// go-mysql-server: tells of the rows that an UPDATE of one table has found, and of no warnings. MySQL: of both, and of an UPDATE of a join, too.
func Found(ctx *sql.Context, ok types.OkResult) types.OkResult {
	u, is := ok.Info.(plan.UpdateInfo)
	if !is {
		return ok
	}
	u.Warnings = int(ctx.Session.WarningCount())
	ok.Info = u
	if ctx.Client().Capabilities&mysql.CapabilityClientFoundRows != 0 {
		ok.RowsAffected = uint64(u.Matched)
		ctx.GetLastQueryInfo().RowCount.Store(int64(u.Matched))
	}
	return ok
}

// infoText returns the text that a statement sends with its answer.
func infoText(info fmt.Stringer) string {
	u, ok := info.(plan.UpdateInfo)
	if !ok {
		return info.String()
	}
	b := make([]byte, 0, 64) // its own String costs as much as finding a row
	b = strconv.AppendInt(append(b, "Rows matched: "...), int64(u.Matched), 10)
	b = strconv.AppendInt(append(b, "  Changed: "...), int64(u.Updated), 10)
	return string(strconv.AppendInt(append(b, "  Warnings: "...), int64(u.Warnings), 10))
}

// Statement is what sending rows needs of the statement that a connection carries out. Owned by the connection's goroutine.
type Statement struct {
	*Outcome  // of the statement that runs
	Thread    *instr.Thread
	Memory    *instr.MemoryClass // of rows that are not sent yet
	Processor *processor.Meter   // nil if there is no limit
	// Close closes the rows of a statement, which has failed with failure, nil if it has not.
	Close func(ctx *sql.Context, rows sql.RowIter, failure error) error
}

// Result sends the rows of one statement. Owned by one goroutine.
type Result struct {
	*Statement
	batch sqltypes.Result // what is sent at the end of what has no rows
	to    *Rows           // writes the rows; nil if nobody gets them, or if there turn out to be none
	// limit is how many rows the client wants, if limited.
	limit   int64
	limited bool
}

// endedRows is how many rows are sent between two moments at which the statement can be stopped.
const endedRows = 128

// Rows sends what rows yields, and closes it; what it has kept goes to the client with the end of the result.
func (r *Result) Rows(ctx *sql.Context, schema sql.Schema, rows sql.RowIter) (err error) {
	to, all := r.to, rows
	r.to = nil
	defer func() {
		if e := r.Close(ctx, all, err); err == nil {
			err = e
		}
	}()
	if types.IsOkResultSchema(schema) {
		return r.ok(ctx, rows)
	}
	if len(schema) == 0 {
		r.Done = true // the answer is OK
	}
	if r.limited {
		rows = &iters.LimitIter{ChildIter: rows, Limit: r.limit}
	}
	if to == nil || len(schema) == 0 {
		r.batch.Fields = FieldsOf(ctx, schema)
	} else {
		if err := to.BeginRows(ctx, schema); err != nil {
			return err
		}
		r.to = to
	}
	buf := rowBuffers.Get().(*[]byte)
	defer rowBuffers.Put(buf)
	r.Thread.Alloc(r.Memory, RowsBytes)
	defer r.Thread.Free(r.Memory, RowsBytes)
	if s, limit, bare := bareScan(rows); bare {
		return r.scan(ctx, s, limit, *buf)
	}
	if r.to != nil { // which keeps nothing of a row
		charge.ReuseRows(rows)
	}
	for {
		if err := r.Processor.Row(1); err != nil {
			return err
		}
		row, err := rows.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(schema) == 0 {
			continue
		}
		if r.to != nil {
			if err := r.to.Row(ctx, row, *buf); err != nil {
				return err
			}
		}
		if err := r.count(ctx); err != nil {
			return err
		}
	}
}

// count counts a row that has been sent. The error is why the statement ends.
func (r *Result) count(ctx *sql.Context) error {
	if r.Sent++; r.Sent%endedRows == 0 {
		return ctx.Err()
	}
	return nil
}

// HasRows tells whether the result has rows, which have been sent.
func (r *Result) HasRows() bool { return r.to != nil }

// Batch is what is sent of a result that has no rows.
func (r *Result) Batch() *sqltypes.Result { return &r.batch }

// Columns are what the client has been told of the columns, as packets; nil if it has not been told, or there are none.
func (r *Result) Columns() []byte {
	if r.to == nil {
		return nil
	}
	return r.to.Head
}

func (r *Result) ok(ctx *sql.Context, rows sql.RowIter) error {
	for {
		row, err := rows.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		ok, is := row[0].(types.OkResult)
		if !is {
			continue
		}
		ok = Found(ctx, ok)
		r.Note(ok)
		r.batch = sqltypes.Result{RowsAffected: ok.RowsAffected, InsertID: ok.InsertID, Info: r.Message}
	}
}

// bareScan returns the scan that rows is at its heart, and how many of its rows are
// wanted, if nothing happens to them on the way.
func bareScan(rows sql.RowIter) (s *vtable.Scan, limit int64, ok bool) {
	limit = -1
	for {
		switch it := rows.(type) {
		case *vtable.Scan:
			return it, limit, true
		case *plan.TrackedRowIter:
			rows = it.GetIter()
		case *rowexec.TransactionCommittingIter:
			rows = it.GetIter()
		case *rowexec.ExprCloserIter:
			rows = it.GetIter()
		case *iters.LimitIter:
			if it.CalcFoundRows {
				return nil, 0, false
			}
			if limit < 0 || it.Limit < limit {
				limit = it.Limit
			}
			rows = it.ChildIter
		default:
			return nil, 0, false
		}
	}
}

// scan sends what s yields without making rows of it.
func (r *Result) scan(ctx *sql.Context, s *vtable.Scan, limit int64, scratch []byte) error {
	s.Open(ctx)
	if r.to != nil {
		r.to.BeginScan(s)
	}
	found := int64(0)
	for ; found != limit; found++ {
		if ok, err := s.Advance(ctx); err != nil {
			return err
		} else if !ok {
			break
		}
		if r.to != nil {
			if err := r.to.Values(s.Values, scratch); err != nil {
				return err
			}
		}
		if err := r.count(ctx); err != nil {
			return err
		}
	}
	ctx.GetLastQueryInfo().FoundRows.Store(found)
	return nil
}
