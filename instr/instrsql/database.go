package instrsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pfsd/instr"
)

// database is the state that all connections of a driver share. Safe for concurrent use.
type database struct {
	options
	classes map[string]*atomic.Pointer[instr.StatementClass] // by the first word of a text; not changed
	pool    *instr.ConnPool
	// statements is how many statements have been prepared.
	statements atomic.Uint64

	mu     sync.Mutex // guards the rest
	made   *sql.DB    // whose Stats have the waits; nil if it is not known
	waits  int64      // the number of waits that are recorded
	waited time.Duration
}

// noteWaits records the waits for a connection since its last call, as waits of the calling goroutine, which has just got a
// connection. database/sql only reports the sum of all goroutines: if several have waited at the same time, the first of them
// gets the waits of all.
func (d *database) noteWaits() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made == nil {
		return
	}
	s := d.made.Stats()
	n, total := s.WaitCount-d.waits, s.WaitDuration-d.waited
	if n <= 0 || total <= 0 {
		return // WaitCount grows when a wait begins, WaitDuration when it ends
	}
	d.waits, d.waited = s.WaitCount, s.WaitDuration
	for range n {
		d.pool.Waited(total / time.Duration(n))
	}
}

// open is sql.OpenDB of this database.
func (d *database) open(c driver.Connector) *sql.DB {
	db := sql.OpenDB(c)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.made = db
	return db
}

// verbs are the first words of texts that have an instrument of their own, and the names of what a
// driver does without a text.
var verbs = strings.Fields(`connect ping prepare begin commit rollback
	select insert update delete replace merge with values table call execute exec do
	create alter drop truncate rename comment analyze explain describe show use set reset
	grant revoke lock unlock savepoint release start end copy load vacuum optimize pragma declare fetch close listen notify refresh kill`)

const otherVerb = "other"

func newDatabase(o options) *database {
	d := &database{
		options: o, classes: make(map[string]*atomic.Pointer[instr.StatementClass], len(verbs)+1),
		pool: o.registry.NewConnPool("db.client/pool", o.name, "database/sql.", reflect.TypeFor[database]().PkgPath()+"."),
	}
	for _, v := range append(verbs, otherVerb) {
		d.classes[v] = new(atomic.Pointer[instr.StatementClass])
	}
	return d
}

// class is the instrument for texts that begin with this word, in lower case. It is made when it is first needed, because there
// is not room for many.
func (d *database) class(verb []byte) *instr.StatementClass {
	p := d.classes[string(verb)]
	if p == nil {
		verb = []byte(otherVerb)
		p = d.classes[otherVerb]
	}
	c := p.Load()
	if c == nil {
		c = d.registry.NewStatementClass("db.client/" + string(verb))
		p.Store(c)
	}
	return c
}

// call is a call of the driver, as a statement.
type call struct {
	db        *database
	thread    *instr.Thread
	attached  bool
	statement instr.Statement
}

// begin begins a call that has no text; the zero call if it is not recorded.
func (d *database) begin(verb string) call { return d.beginText(d.class([]byte(verb)), "", "") }

// beginQuery begins a call that has a text; prepared is the statement that it executes, or nil.
func (d *database) beginQuery(text string, prepared *instr.PreparedStatement) call {
	var word [maxVerb]byte
	c := d.beginText(d.class(verbOf(word[:0], text)), text, text)
	if prepared != nil && c.statement != (instr.Statement{}) {
		c.thread.Execute(prepared)
	}
	return c
}

// beginText begins a call that has a text; its digest is that of another one.
func (d *database) beginText(class *instr.StatementClass, text, digested string) (c call) {
	if !class.Watched() {
		return call{}
	}
	c.db = d
	if c.thread = d.registry.Enter(); c.thread == nil {
		if instr.Current() != nil {
			return call{} // the thread belongs to another registry
		}
		c.thread, c.attached = d.registry.Attach("db/client"), true
	}
	c.statement = c.thread.StartStatement(class)
	if c.statement == (instr.Statement{}) {
		return c
	}
	if text == "" {
		c.statement.SetSchema(d.name)
		return c
	}
	c.statement.Identify(nil, d.name, text, d.registry.DigestOf(digested))
	return c
}

// end ends the call with the error of the driver, and with how many rows it has changed.
func (c *call) end(err error, affected int64) {
	if c.thread == nil {
		return
	}
	if errors.Is(err, driver.ErrSkip) {
		c.statement.Cancel()
	} else {
		r := resultOf(err)
		r.Counters[instr.RowsAffected] = uint64(max(0, affected))
		c.statement.Finish(&r)
	}
	c.leave()
}

// leave ends the call without its statement.
func (c *call) leave() {
	if c.attached {
		c.thread.Detach()
	}
	c.thread = nil
}

// abandon ends a call that has not ended because the driver panics.
func (c *call) abandon() {
	if c.thread != nil {
		c.statement.End()
		c.leave()
	}
}

// MySQL's errors for errors without a number.
const (
	errUnknown     = 1105
	errInterrupted = 1317 // ER_QUERY_INTERRUPTED
	errTimeout     = 3024 // ER_QUERY_TIMEOUT
	errConnLost    = 2013 // CR_SERVER_LOST
)

// resultOf returns what the tables show of an error; err is nil if there is none.
func resultOf(err error) instr.StatementResult {
	if err == nil {
		return instr.StatementResult{SQLState: "00000"}
	}
	r := instr.StatementResult{Errno: errUnknown, SQLState: "HY000", Message: err.Error()}
	switch {
	case errors.Is(err, context.Canceled):
		r.Errno = errInterrupted
	case errors.Is(err, context.DeadlineExceeded):
		r.Errno = errTimeout
	case errors.Is(err, driver.ErrBadConn):
		r.Errno = errConnLost
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		number, state := numberOf(e)
		if number != 0 {
			r.Errno = number
		}
		if len(state) == len("HY000") {
			r.SQLState = state
		}
		if number != 0 || state != "" {
			break
		}
	}
	return r
}

// numberOf is the number and the SQLSTATE of a driver's error, 0 and "" if it has none. The errors of pgx, lib/pq, go-mssqldb and
// SQLite have methods for them, those of go-sql-driver have fields.
func numberOf(err error) (number int, state string) {
	if e, ok := err.(interface{ SQLState() string }); ok {
		state = e.SQLState()
	}
	switch e := err.(type) {
	case interface{ SQLErrorNumber() int32 }:
		number = int(e.SQLErrorNumber())
	case interface{ Code() int }:
		number = e.Code()
	}
	v := reflect.Indirect(reflect.ValueOf(err))
	if number != 0 || state != "" || v.Kind() != reflect.Struct {
		return number, state
	}
	if f := v.FieldByName("Number"); f.IsValid() && f.CanUint() {
		number = int(f.Uint())
	}
	if f := v.FieldByName("SQLState"); number != 0 && f.IsValid() && f.Kind() == reflect.Array && f.Type().Elem().Kind() == reflect.Uint8 {
		for i := range f.Len() {
			state += string(rune(f.Index(i).Uint()))
		}
		state = strings.TrimRight(state, "\x00")
	}
	return number, state
}

// maxVerb is the length of the longest of verbs.
const maxVerb = len("savepoint")

// verbOf appends the first word of a text in lower case; blanks, comments and parentheses before it are skipped. Of a long word
// it appends maxVerb + 1 letters, and nothing if there is no word.
func verbOf(to []byte, text string) []byte {
	for {
		text = strings.TrimLeft(text, " \t\r\n\f\v(;")
		var end string
		switch {
		case strings.HasPrefix(text, "/*"):
			end = "*/"
		case strings.HasPrefix(text, "--"), strings.HasPrefix(text, "#"):
			end = "\n"
		default:
			for i := 0; i < len(text) && i <= maxVerb; i++ {
				c := text[i] | 0x20
				if c < 'a' || 'z' < c {
					break
				}
				to = append(to, c)
			}
			return to
		}
		_, rest, ok := strings.Cut(text, end)
		if !ok {
			return to
		}
		text = rest
	}
}
