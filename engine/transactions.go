package engine

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"pfsd/engine/infoschema"
	"pfsd/instr"
)

// openTransaction is what others may know of the transaction that a connection is in. Its
// connection writes it, start and end; anybody reads it: what how says is published last.
type openTransaction struct {
	// how is 0 for no transaction, else transactionOpen and what kind it is.
	how atomic.Uint32
	// since is when it began, nanoseconds since 1970; 0 is when the statement did, alone in it.
	since atomic.Int64
	// modified is how many rows it has written; the connection's own.
	modified uint64
	// written is the same at the end of its last statement.
	written atomic.Uint64
}

// start notes that a transaction begins; reads tells that its statement changes nothing.
func (t *openTransaction) start(o instr.TransactionOptions, reads bool) {
	how := uint32(transactionOpen)
	if o.ReadOnly {
		how |= transactionReadOnly
	}
	t.modified = 0
	t.written.Store(0)
	if o.Autocommit {
		if reads {
			how |= transactionReads
		}
		t.since.Store(0)
	} else {
		t.since.Store(time.Now().UnixNano())
	}
	for i, name := range isolationNames {
		if name == o.Isolation {
			how |= uint32(i) << isolationShift
		}
	}
	t.how.Store(how)
}

// tell publishes what a statement has written.
func (t *openTransaction) tell() {
	if t.how.Load() != 0 {
		t.written.Store(t.modified)
	}
}

// end notes that there is no transaction any more.
func (t *openTransaction) end() { t.how.Store(0) }

// What an openTransaction is, beside its isolation level, which stands in the bits from isolationShift.
const (
	transactionOpen = 1 << iota
	transactionReadOnly
	transactionReads // a statement that reads, alone in it
	isolationShift   = iota
)

// isolationNames are the levels as INNODB_TRX names them.
var isolationNames = [...]string{"READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}

// openTransactions are the transactions of all connections, the latest first.
func (l *clientList) openTransactions() (all []infoschema.Transaction) {
	l.mu.Lock()
	for id, c := range l.clients {
		if c.work == nil {
			continue
		}
		t := &c.work.trx
		how := t.how.Load()
		if how == 0 {
			continue
		}
		row := infoschema.Transaction{
			Connection: id, Isolation: isolationNames[how>>isolationShift&3], ReadOnly: how&transactionReadOnly != 0, Reads: how&transactionReads != 0,
			UniqueChecks: true, ForeignKeys: true, Started: c.since, Written: t.written.Load(), Query: c.query, User: c.user, Host: c.host,
		}
		if since := t.since.Load(); since != 0 {
			row.Started = time.Unix(0, since)
		}
		if v := c.variables.Load(); v != nil {
			row.UniqueChecks, row.ForeignKeys = isOn(v.Get("unique_checks")), isOn(v.Get("foreign_key_checks"))
		}
		if info, ok := c.thread.Snapshot(); ok {
			row.State = info.State
		}
		all = append(all, row)
	}
	l.mu.Unlock()
	slices.SortFunc(all, func(a, b infoschema.Transaction) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.Connection, a.Connection))
	})
	return all
}

// isOn tells whether a variable of two values is on.
func isOn(v any) bool {
	switch v := v.(type) {
	case int8:
		return v != 0
	case bool:
		return v
	case string:
		return strings.EqualFold(v, "ON") || v == "1"
	}
	return true
}
