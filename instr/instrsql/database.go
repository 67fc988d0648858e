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

// database is what all connections of a driver share. Safe for concurrent use.
type database struct {
	options
	classes map[string]*atomic.Pointer[instr.StatementClass] // by the first word of a text; not changed
	pool    *instr.ConnPool
	// statements is how many statements have been prepared.
	statements atomic.Uint64

	mu     sync.Mutex // guards the rest
	made   *sql.DB    // that waits are asked of; nil if it is not known
	waits  int64      // that it had when it was asked last
	waited time.Duration
}

// noteWaits records what has been waited for a connection since it did so last, as waits of the calling goroutine, which has just got one. database/sql
// tells the sum of all goroutines alone: where several have waited at a time, the first one has the waits of all.
func (d *database) noteWaits() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made == nil {
		return
	}
	s := d.made.Stats()
	n, total := s.WaitCount-d.waits, s.WaitDuration-d.waited
	if n <= 0 || total <= 0 {
		return // a wait is counted as it begins, and its time when it has ended
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

// verbs are the first words that have an instrument of their own, and what a driver does besides.
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

// class is the instrument of what begins with this word, in lower case. It is made when it is first needed, as there is not room for many.
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
func (d *database) begin(verb string) call { return d.beginText(d.class([]byte(verb)), "") }

// query begins a call that has a text, and executes what has been prepared, if that is not nil.
func (d *database) query(text string, prepared *instr.PreparedStatement) call {
	var word [maxVerb]byte
	c := d.beginText(d.class(verbOf(word[:0], text)), text)
	if prepared != nil && c.statement != (instr.Statement{}) {
		c.thread.Execute(prepared)
	}
	return c
}

func (d *database) beginText(class *instr.StatementClass, text string) (c call) {
	if !class.Watched() {
		return call{}
	}
	c.db = d
	if c.thread = d.registry.Enter(); c.thread == nil {
		if instr.Current() != nil {
			return call{} // of another registry
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
	c.statement.Identify(nil, d.name, text, d.registry.DigestOf(text))
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

// leave ends the call but for its statement, which ends by itself if the driver has panicked.
func (c *call) leave() {
	if c.attached {
		c.thread.Detach()
	}
	c.thread = nil
}

// abandon ends a call that has not ended: the driver panics.
func (c *call) abandon() {
	if c.thread != nil {
		c.statement.End()
		c.leave()
	}
}

// MySQL's errors for what a driver does not number.
const (
	errUnknown     = 1105
	errInterrupted = 1317 // ER_QUERY_INTERRUPTED
	errTimeout     = 3024 // ER_QUERY_TIMEOUT
	errConnLost    = 2013 // CR_SERVER_LOST
)

// resultOf is what the tables show of an error, nil for none.
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

// numberOf is the number and the SQLSTATE that an error of a driver has, 0 and "" if it has none: by methods, as those of pgx, lib/pq,
// go-mssqldb and SQLite have, or by fields, as those of go-sql-driver have.
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

// maxVerb is how long the longest of verbs is.
const maxVerb = len("savepoint")

// verbOf appends the first word of a text in lower case, after blanks, comments and parentheses, or as much of it as the longest verb has and
// one letter; nothing if there is none.
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
