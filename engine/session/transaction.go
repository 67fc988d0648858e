package session

import (
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/infoschema"
	"pfsd/engine/sysvar"
	"pfsd/instr"
)

// Transaction is the transaction that a session is in, if it is in one, for the thread's events, the counters, and others to
// read. The connection's goroutine writes it; anybody reads it: what the field how says is published last.
type Transaction struct {
	thread             *instr.Thread
	commits, rollbacks *instr.StatusVariable
	open, alone        bool // the connection's own
	// how is 0 for no transaction, else transactionOpen and what kind it is.
	how atomic.Uint32
	// since is when it began, nanoseconds since 1970; 0 is when the statement did, alone in it.
	since atomic.Int64
	// modified is how many rows it has written; the connection's own.
	modified uint64
	// written is the same at the end of its last statement.
	written atomic.Uint64
	asked   settings // the connection's own
}

// settings are what the variables of a session say of its transactions.
type settings struct {
	state                uint64 // of the variables, as [sysvar.StateNumber] has it; 0 if nothing is known
	autocommit, readOnly bool
	isolation            string // as MySQL's tables name it
}

// settings are those of the session, which most statements find as they were.
func (t *Transaction) settings(ctx *sql.Context) *settings {
	a := &t.asked
	state := sysvar.StateNumber(ctx)
	if state != 0 && state == a.state {
		return a
	}
	autocommit, err := plan.IsSessionAutocommit(ctx)
	*a = settings{state: state, autocommit: err == nil && autocommit}
	if v, err := ctx.GetSessionVariable(ctx, "transaction_isolation"); err == nil {
		if name, ok := v.(string); ok {
			a.isolation = isolationLevels[name]
		}
	}
	if v, err := ctx.GetSessionVariable(ctx, "transaction_read_only"); err == nil {
		a.readOnly = v != int8(0)
	}
	return a
}

// Autocommit tells whether each statement of the session is a transaction of its own where none has been begun.
func (t *Transaction) Autocommit(ctx *sql.Context) bool { return t.settings(ctx).autocommit }

// NewTransaction makes the transaction of a thread's session, which is in none, with the counters of how transactions end.
func NewTransaction(t *instr.Thread, commits, rollbacks *instr.StatusVariable) *Transaction {
	return &Transaction{thread: t, commits: commits, rollbacks: rollbacks}
}

// Open tells whether there is a transaction.
func (t *Transaction) Open() bool { return t.open }

// Alone tells whether there is a transaction that the statement is alone in.
func (t *Transaction) Alone() bool { return t.open && t.alone }

// Use notes that the statement is about to use a transactional table. It changes nothing if reads.
func (t *Transaction) Use(ctx *sql.Context, reads bool) {
	if !t.open {
		t.Start(ctx, sql.ReadWrite, t.Autocommit(ctx) && !ctx.GetIgnoreAutoCommit(), reads)
	}
}

// Start notes that a transaction has begun; alone tells that the statement is alone in it, and reads that the statement changes nothing.
func (t *Transaction) Start(ctx *sql.Context, mode sql.TransactionCharacteristic, alone, reads bool) {
	s := t.settings(ctx)
	o := instr.TransactionOptions{ReadOnly: mode == sql.ReadOnly || s.readOnly, Autocommit: alone, Isolation: s.isolation}
	t.thread.StartTransaction(o)
	t.open, t.alone = true, alone
	t.publish(o, reads)
}

// publish tells others of a transaction that begins.
func (t *Transaction) publish(o instr.TransactionOptions, reads bool) {
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

// End notes that the transaction has ended, if there is one.
func (t *Transaction) End(committed bool) {
	if !t.open {
		return
	}
	if committed {
		t.commits.AddTo(t.thread, 1)
	} else {
		t.rollbacks.AddTo(t.thread, 1)
	}
	t.thread.EndTransaction(committed)
	t.open, t.alone = false, false
	t.how.Store(0)
}

// EndAlone ends the transaction, if it is that of the statement that ends. A statement that ends
// a transaction by the way, as DDL does, has committed it.
func (t *Transaction) EndAlone(ctx *sql.Context, failed bool) {
	if t.open && (t.alone || ctx.GetTransaction() == nil) {
		t.End(!t.alone || !failed)
	}
}

// Wrote notes that a row is written.
func (t *Transaction) Wrote() { t.modified++ }

// Row is what others may know of the transaction, false if there is none. Safe for concurrent use. When it started is the zero
// time if its statement, which is alone in it, has started it.
func (t *Transaction) Row() (row infoschema.Transaction, open bool) {
	how := t.how.Load()
	if how == 0 {
		return row, false
	}
	row = infoschema.Transaction{
		Isolation: isolationNames[how>>isolationShift&3], ReadOnly: how&transactionReadOnly != 0, AutocommitRead: how&transactionReads != 0, RowsWritten: t.written.Load(),
	}
	if since := t.since.Load(); since != 0 {
		row.Started = time.Unix(0, since)
	}
	return row, true
}

// Tell publishes what a statement has written.
func (t *Transaction) Tell() {
	if t.how.Load() != 0 {
		t.written.Store(t.modified)
	}
}

// What a Transaction is, beside its isolation level, which stands in the bits from isolationShift.
const (
	transactionOpen = 1 << iota
	transactionReadOnly
	transactionReads // a statement that reads, alone in it
	isolationShift   = iota
)

// isolationNames are the levels as INNODB_TRX names them.
var isolationNames = [...]string{"READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}

// isolationLevels are the names of the levels, by the values of the variable.
var isolationLevels = map[string]string{
	"READ-UNCOMMITTED": "READ UNCOMMITTED", "READ-COMMITTED": "READ COMMITTED",
	"REPEATABLE-READ": "REPEATABLE READ", "SERIALIZABLE": "SERIALIZABLE",
}
