package engine

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/compat"
	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/infoschema"
	"pfsd/engine/moment"
	"pfsd/engine/session"
	"pfsd/engine/vtable"
	"pfsd/tables"
)

type statement struct {
	query    string
	parsed   sqlparser.Statement // nil if query is still to be parsed
	bindings map[string]sqlparser.Expr
	more     bool // another statement of the same command follows
	binary   bool // the client expects rows in the binary protocol
	columns  bool // the client expects columns and no rows: COM_FIELD_LIST
	// key is what its plan is kept by, and keep tells that it is to be kept; kept is the plan that was.
	key  keptKey
	keep bool
	kept *keptPlan
	// values are those of a statement whose plan is to be kept to serve others, nil if it is not.
	values *keptValues
}

// execute runs s and sends what it yields.
func (h *handler) execute(ctx *sql.Context, c *mysql.Conn, s statement, send mysql.ResultSpoolFn) (err error) {
	w := clientOf(c).work
	begun := false
	defer func() {
		if !begun && s.kept != nil {
			h.kept.put(s.kept, false)
		}
	}()
	if e, ok := s.parsed.(*sqlparser.Execute); ok {
		s.keep, s.values = false, nil // its text does not say what it carries out
		if s.query, s.parsed, s.bindings, err = w.execution(ctx, e); err != nil {
			return err
		}
		h.bind(ctx, w, w.preparations.byName[strings.ToLower(e.Name)], &s)
	}
	w.rights.Query = s.query
	if err := w.rights.Expired(s.parsed); err != nil {
		return err
	}
	tree := w.statement.tree
	if tree == nil {
		tree = s.parsed // of a command that is no statement
	}
	if err := w.before(ctx, tree); err != nil {
		return err
	}
	back, err := session.InNamed(ctx, w.statement.tree)
	if err != nil {
		return err
	}
	defer back()
	defer w.limited(s.parsed)()
	w.diagnostics.Collect(ctx) // the SQL engine forgets them
	w.answers.start(s.binary)
	begun = true
	schema, rows, sent, err := h.rowsOf(ctx, w, &s)
	if err != nil {
		return err
	}
	out := &result{work: w, send: func(r *sqltypes.Result) error { return send(r, s.more) }}
	if !s.columns {
		out.to = newResultRows(w.answers, w.answers.status(ctx))
		if s.kept != nil {
			out.to.head = s.kept.columns
		}
	}
	defer func() {
		var columns []byte
		if out.to != nil {
			columns = out.to.head
		}
		sent(schema, columns, err)
	}()
	schema = compat.AlteredSchema(w.statement.tree, infoschema.ShowSchema(w.statement.tree, gmsplan.SchemaOf(schema)))
	out.limit, out.limited = w.answers.wanted(ctx, w.statement.tree)
	if err := h.guard(s.query, func() error { return out.rows(ctx, schema, rows) }); err != nil {
		return clientOf(c).interrupted(ctx, c, out, err)
	}
	w.diagnostics.Collect(ctx)
	w.thread.StartStage(w.stages.Freeing)
	c.StatusFlags = w.answers.status(ctx)
	if err := out.finish(); err != nil || !w.answers.open {
		return err
	}
	w.answers.late(s.more)
	return out.send(&sqltypes.Result{}) // the client does not see it
}

// errSend marks an error of the connection, as opposed to the statement.
var errSend = errors.New("engine: client cannot be written to")

// interrupted deals with an error of a statement, rows of which may have been sent.
func (cl *client) interrupted(ctx *sql.Context, c *mysql.Conn, out *result, err error) error {
	a := cl.work.answers
	open := a.open // a result past the protocol layer
	a.open = false
	switch {
	case errors.Is(err, errSend):
		a.Reset()
		_ = out.send(&sqltypes.Result{}) // so that the protocol layer ends the connection
		return err
	case !open || !a.Sent: // the client has nothing of it
		a.Reset()
		return err
	}
	if open {
		if err := a.Flush(); err != nil {
			return err
		}
	}
	if err := c.FlushBuffer(); err != nil {
		return err
	}
	if err := cl.wire.Fail(cl.work.raise(ctx, err)); err != nil || !open {
		return err
	}
	return out.send(&sqltypes.Result{}) // the client does not see it
}

// rowsBytes is how much room there is for a value before it is in its packet.
const rowsBytes = 16 << 10

// rowBuffers are *[]byte, empty and with room for rowsBytes.
var rowBuffers = sync.Pool{New: func() any { b := make([]byte, 0, rowsBytes); return &b }}

// result sends the rows of one statement. Owned by one goroutine.
type result struct {
	work  *work
	send  func(*sqltypes.Result) error
	batch sqltypes.Result // what is sent at the end of what has no rows
	to    *resultRows     // writes the rows; nil if nobody gets them, or if there turn out to be none
	// limit is how many rows the client wants, if limited.
	limit   int64
	limited bool
}

// endedRows is how many rows are sent between two moments at which the statement can be stopped.
const endedRows = 128

// rows sends what rows yields, and closes it; what it has kept goes to the client with the end of the result.
func (r *result) rows(ctx *sql.Context, schema sql.Schema, rows sql.RowIter) (err error) {
	to, all := r.to, rows
	r.to = nil
	defer func() {
		if e := r.work.closeRows(ctx, all, err); err == nil {
			err = e
		}
	}()
	if types.IsOkResultSchema(schema) {
		return r.ok(ctx, rows)
	}
	if len(schema) == 0 {
		r.work.statement.done = true // the answer is OK
	}
	if r.limited {
		rows = &iters.LimitIter{ChildIter: rows, Limit: r.limit}
	}
	if to == nil || len(schema) == 0 {
		r.batch.Fields = fieldsOf(ctx, schema)
	} else {
		if err := to.begin(ctx, schema); err != nil {
			return err
		}
		r.to = to
	}
	buf := rowBuffers.Get().(*[]byte)
	defer rowBuffers.Put(buf)
	r.work.thread.Alloc(r.work.memory.rows, rowsBytes)
	defer r.work.thread.Free(r.work.memory.rows, rowsBytes)
	if s, limit, bare := bareScan(rows); bare {
		return r.scan(ctx, s, limit, *buf)
	}
	for {
		if err := r.work.processor.Row(1); err != nil {
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
			if err := r.to.row(ctx, row, *buf); err != nil {
				return err
			}
		}
		if err := r.count(ctx); err != nil {
			return err
		}
	}
}

// count counts a row that has been sent. The error is why the statement ends.
func (r *result) count(ctx *sql.Context) error {
	if r.work.statement.sent++; r.work.statement.sent%endedRows == 0 {
		return ctx.Err()
	}
	return nil
}

// finish sends what has no rows.
func (r *result) finish() error {
	if r.to != nil {
		return nil
	}
	return r.send(&r.batch)
}

// infoMin is the length from which the protocol layer writes the text of an OK packet
// in a way that clients understand.
const infoMin = 35

func (r *result) ok(ctx *sql.Context, rows sql.RowIter) error {
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
		o := &r.work.statement
		o.done, o.affected = true, ok.RowsAffected
		r.batch = sqltypes.Result{RowsAffected: ok.RowsAffected, InsertID: ok.InsertID}
		if ok.Info != nil {
			o.message = ok.Info.String()
			if len(o.message) >= infoMin {
				r.batch.Info = o.message
			}
		}
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
func (r *result) scan(ctx *sql.Context, s *vtable.Scan, limit int64, scratch []byte) error {
	s.Open(ctx)
	if r.to != nil {
		r.to.beginScan(s)
	}
	found := int64(0)
	for ; found != limit; found++ {
		if ok, err := s.Advance(ctx); err != nil {
			return err
		} else if !ok {
			break
		}
		if r.to != nil {
			if err := r.to.values(s.Values, scratch); err != nil {
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

// fraction is how many digits of a value are printed behind the point.
func fraction(k *tables.Kind) int {
	switch k.Type {
	case tables.TypeDouble:
		return k.Decimals
	case tables.TypeDate:
		return moment.DateOnly
	}
	return k.Len
}

// appendPlain appends what is no text, with this many digits behind the point; zone is the
// session's.
func appendPlain(to []byte, v tables.Value, digits int, zone *time.Location) []byte {
	switch {
	case v.IsTime():
		return moment.Append(to, v.Time(), digits, zone)
	case v.IsSigned():
		return strconv.AppendInt(to, int64(v.Bits()), 10)
	case v.IsDouble():
		return strconv.AppendFloat(to, v.Float(), 'f', digits, 64)
	}
	return strconv.AppendUint(to, v.Bits(), 10)
}

// anyDecimals is what a client is told of a fraction that has as many digits as it needs.
const anyDecimals = 31

// fieldsOf is what a client is told of the columns of schema, nil if there are none.
func fieldsOf(ctx *sql.Context, schema sql.Schema) []*querypb.Field {
	results := ctx.GetCharacterSetResults()
	fields := make([]*querypb.Field, len(schema))
	for i, c := range schema {
		flags := querypb.MySqlFlag(0)
		for _, f := range []struct {
			on   bool
			flag querypb.MySqlFlag
		}{
			{!c.Nullable, querypb.MySqlFlag_NOT_NULL_FLAG},
			{c.AutoIncrement, querypb.MySqlFlag_AUTO_INCREMENT_FLAG},
			{c.PrimaryKey, querypb.MySqlFlag_PRI_KEY_FLAG},
			{types.IsUnsigned(c.Type), querypb.MySqlFlag_UNSIGNED_FLAG},
		} {
			if f.on {
				flags |= f.flag
			}
		}
		f := &querypb.Field{
			Name: c.Name, OrgName: c.Name, Table: c.Source, OrgTable: c.Source, Database: c.DatabaseSource,
			Type: fieldType(c.Type), Charset: charsetOf(c.Type, results), ColumnLength: c.Type.MaxTextResponseByteLength(ctx), Flags: uint32(flags),
		}
		switch t := c.Type.(type) {
		case *compat.Double:
			f.Decimals = uint32(t.Decimals())
		case sql.DecimalType:
			f.Decimals = uint32(t.Scale())
		case sql.DatetimeType:
			f.Decimals = uint32(t.Precision())
		case *compat.Time:
			f.Decimals = uint32(t.Digits())
		case sql.NumberType:
			if t.IsFloat() {
				f.Decimals = anyDecimals
			}
		}
		fields[i] = f
	}
	return fields
}

// fieldType is the type that a client is told of a column of type t.
func fieldType(t sql.Type) querypb.Type {
	if c, ok := t.(*compat.Choice); ok {
		return c.FieldType()
	}
	return t.Type()
}

// charsetOf is the collation under which values of a type go to a client that wants results in a character
// set: the binary one of bytes, numbers, times and JSON, and that of the characters of all other types.
func charsetOf(t sql.Type, results sql.CharacterSetID) uint32 {
	switch t.Type() {
	case sqltypes.Char, sqltypes.VarChar, sqltypes.Text, sqltypes.Enum, sqltypes.Set:
	default:
		return uint32(sql.Collation_binary)
	}
	own := sql.Collation_Default // of what the SQL engine makes, as system variables; not every client knows its number
	if c, ok := t.(sql.TypeWithCollation); ok {
		own = c.Collation()
	}
	switch {
	case own == sql.Collation_binary:
		return uint32(own)
	case results != sql.CharacterSet_Unspecified:
		return uint32(results.DefaultCollation())
	case own == sql.Collation_Default:
		return uint32(vtable.Collation)
	}
	return uint32(own)
}
