package storage

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/txkv"
)

// TransactionOptions say how a transaction begins.
type TransactionOptions struct {
	Isolation txkv.Isolation
	ReadOnly  bool
	// Snapshot takes the snapshot now: START TRANSACTION WITH CONSISTENT SNAPSHOT.
	Snapshot bool
	// Owner is the owner that [txkv.Store.Locks] returns with each lock of the transaction.
	Owner any
}

// Transaction is a transaction of a session. After Commit and Rollback, its next use begins a new
// one. Owned by one goroutine.
type Transaction struct {
	p       *Provider
	options TransactionOptions
	txn     *txkv.Txn // nil until it is used
	// generation counts the inner transactions. A mark of an earlier generation is not valid.
	generation int
	// snapshot tells whether there is a snapshot. since is the version of the provider when the
	// snapshot was taken, or an earlier one.
	snapshot   bool
	since      uint64
	written    []change
	savepoints []savepoint
	// edits are the editors that are open.
	edits   []*editor
	reads   func(database, table string) (ReadLock, bool) // nil if plain reads do not lock
	open    []*rows                                       // iterators that have not reached their end
	rebuilt []*rewriter
	whole   *whole // the changes of definitions that are collected; nil if none are
	seen    seen
	event   uint64        // the event of the statement
	lost    error         // why the storage has rolled the transaction back by itself; nil if it has not, or the session knows
	wait    time.Duration // how long the statement waits for a lock; 0 if this has not been read from the session yet
	rows    rowCounts
}

// seen is the last row that was locked for writing and read. As long as the transaction does not
// write to it, it stays the same and need not be read again.
type seen struct {
	generation int
	key, value []byte // key is empty if there is none
}

// see remembers a row that is locked for writing, with its committed value.
func (t *Transaction) see(key, value []byte) {
	if t.txn.HasWritten(key) {
		t.seen.key = t.seen.key[:0]
		return
	}
	t.seen.generation = t.generation
	t.seen.key, t.seen.value = append(t.seen.key[:0], key...), append(t.seen.value[:0], value...)
}

// seenRow returns the value of the row that was seen last, or nil if the key is another one.
func (t *Transaction) seenRow(key []byte) []byte {
	if s := &t.seen; s.generation == t.generation && bytes.Equal(s.key, key) && !t.txn.HasWritten(key) {
		return s.value
	}
	return nil
}

// change is the number of rows by which a table has grown.
type change struct {
	state *tableState
	rows  int64
}

// savepointBytes is about how many bytes a savepoint takes: writes after it are made in copies of nodes of the tree.
const savepointBytes = 4 << 10

// SavepointBytes is about how many bytes the transaction's savepoints take.
func (t *Transaction) SavepointBytes() (bytes int64) {
	for _, s := range t.savepoints {
		bytes += savepointBytes + int64(len(s.name))
	}
	return bytes
}

type savepoint struct {
	name string
	mark Mark
}

var _ sql.Transaction = (*Transaction)(nil)

// Begin begins a transaction.
func (p *Provider) Begin(o TransactionOptions) *Transaction {
	t := &Transaction{p: p, options: o}
	if o.Snapshot {
		t.begin()
	}
	return t
}

// String implements sql.Transaction.
func (t *Transaction) String() string { return "transaction" }

// IsReadOnly implements sql.Transaction.
func (t *Transaction) IsReadOnly() bool { return t.options.ReadOnly }

// ID returns the number of the transaction in [txkv.LockInfo]; it is 0 before the first use.
func (t *Transaction) ID() uint64 {
	if t.txn == nil {
		return 0
	}
	return t.txn.ID()
}

// Size returns the size of the transaction's writes, in bytes.
func (t *Transaction) Size() int64 {
	if t.txn == nil {
		return 0
	}
	return t.txn.Size()
}

// begin returns the inner transaction. It begins one if there is none.
func (t *Transaction) begin() *txkv.Txn {
	if t.txn == nil {
		t.since, t.snapshot = t.p.version.Load(), t.options.Snapshot
		t.txn = t.p.store.Begin(txkv.TxnOptions{Isolation: t.options.Isolation, Snapshot: t.options.Snapshot, Owner: t.options.Owner})
		t.txn.SetEvent(t.event)
		t.generation++
	}
	return t.txn
}

// StartStatement begins a statement of a client. READ COMMITTED takes a new snapshot. Reads lock no
// rows until LockReads is called. All locks that the statement requests get the event.
func (t *Transaction) StartStatement(event uint64) {
	t.edits = t.edits[:0]
	t.event = 0
	t.StartInner(event)
}

// StartInner begins a statement within another one, such as CALL, which may still be writing. If
// event is 0, the inner statement has the event of the outer one.
func (t *Transaction) StartInner(event uint64) {
	t.reads, t.wait = nil, 0
	if event != 0 {
		t.event = event
	}
	if t.txn == nil {
		return
	}
	t.txn.SetEvent(t.event)
	if len(t.open) == 0 {
		t.txn.StartStatement()
	}
}

// TakeSnapshot executes WITH CONSISTENT SNAPSHOT for a transaction that has just begun. It returns
// false, and does nothing, if the isolation level takes a snapshot for each statement.
func (t *Transaction) TakeSnapshot() bool {
	if t.options.Isolation < txkv.RepeatableRead {
		return false
	}
	t.options.Snapshot = true
	t.begin()
	return true
}

// lockWait returns how long to wait for a lock: the variable innodb_lock_wait_timeout, in seconds.
func lockWait(ctx *sql.Context) time.Duration {
	if v, err := ctx.GetSessionVariable(ctx, "innodb_lock_wait_timeout"); err == nil {
		switch n := v.(type) {
		case int64:
			return time.Duration(n) * time.Second
		case uint64:
			return time.Duration(n) * time.Second
		}
	}
	return 50 * time.Second
}

// ReadLock says how the reads of a statement lock the rows that they find.
type ReadLock struct {
	// Shared is FOR SHARE, else FOR UPDATE.
	Shared     bool
	NoWait     bool
	SkipLocked bool
}

// LockReads makes reads lock rows of the tables for which how returns true, until it is called with
// nil or the next statement starts.
func (t *Transaction) LockReads(how func(database, table string) (ReadLock, bool)) { t.reads = how }

// Mark is a state of a transaction's writes.
type Mark struct {
	generation int
	inner      txkv.Mark
	written    []change
}

// Mark returns the present state. It takes constant time.
func (t *Transaction) Mark() Mark {
	return Mark{inner: t.begin().Mark(), generation: t.generation, written: slices.Clone(t.written)}
}

// RollbackTo undoes all writes since the mark, if the inner transaction is still the same. Locks
// are kept.
func (t *Transaction) RollbackTo(m Mark) {
	if t.txn == nil || t.generation != m.generation {
		return
	}
	t.txn.RollbackTo(m.inner)
	t.written = slices.Clone(m.written)
}

// Savepoint executes SAVEPOINT name. It removes an older savepoint with the same name.
func (t *Transaction) Savepoint(name string) {
	if i := t.savepoint(name); i >= 0 {
		t.savepoints = slices.Delete(t.savepoints, i, i+1)
	}
	t.savepoints = append(t.savepoints, savepoint{name, t.Mark()})
}

func (t *Transaction) savepoint(name string) int {
	return slices.IndexFunc(t.savepoints, func(s savepoint) bool { return strings.EqualFold(s.name, name) })
}

// RollbackToSavepoint undoes all writes after the savepoint and removes later savepoints. It tells
// whether the savepoint exists.
func (t *Transaction) RollbackToSavepoint(name string) bool {
	i := t.savepoint(name)
	if i < 0 {
		return false
	}
	t.RollbackTo(t.savepoints[i].mark)
	if !strings.HasPrefix(name, "\x00") { // not a savepoint of a client
		t.p.counts.savepointRollbacks.Add(1)
	}
	t.savepoints = t.savepoints[:i+1]
	return true
}

// ReleaseSavepoint removes a savepoint and all later ones. It tells whether the savepoint exists.
func (t *Transaction) ReleaseSavepoint(name string) bool {
	i := t.savepoint(name)
	if i < 0 {
		return false
	}
	t.savepoints = t.savepoints[:i]
	return true
}

// grown records that a table has grown by some rows. With 0 rows it records only that the table is
// written to.
func (t *Transaction) grown(s *tableState, rows int64) {
	for i := range t.written {
		if t.written[i].state == s {
			t.written[i].rows += rows
			return
		}
	}
	t.written = append(t.written, change{s, rows})
}

// growth returns by how many rows a table has grown.
func (t *Transaction) growth(s *tableState) int64 {
	for _, c := range t.written {
		if c.state == s {
			return c.rows
		}
	}
	return 0
}

// lock locks a key until the transaction ends.
func (t *Transaction) lock(ctx context.Context, key []byte, mode txkv.LockMode) error {
	if t.lost != nil {
		return t.lost
	}
	_, err := t.begin().Lock(ctx, key, mode, t.wait)
	return t.failed(err)
}

// view returns a mark that says which of the transaction's own writes a statement sees that begins
// to read a table now: those from before the statement, if it is writing to the table.
func (t *Transaction) view(table uint32) Mark {
	for _, e := range t.edits {
		if e.table.def.record.ID == table && e.first != nil && e.first.generation == t.generation {
			return *e.first
		}
	}
	if t.txn == nil {
		t.begin()
	}
	return Mark{inner: t.txn.Mark(), generation: t.generation}
}

// updates tells whether the statement updates or deletes rows of a table.
func (t *Transaction) updates(table uint32) bool {
	return slices.ContainsFunc(t.edits, func(e *editor) bool { return e.updates && e.table.def.record.ID == table })
}

// onlyUpdates tells whether the statement updates rows of a table, and does nothing else to the table.
func (t *Transaction) onlyUpdates(table uint32) bool {
	found := false
	for _, e := range t.edits {
		if e.table.def.record.ID == table {
			if !e.updates || e.deletes {
				return false
			}
			found = true
		}
	}
	return found
}

// transactionOf returns the transaction of the session. It begins one if there is none.
func transactionOf(ctx *sql.Context, p *Provider) *Transaction {
	t, ok := ctx.GetTransaction().(*Transaction)
	if !ok || t.p != p {
		t = p.Begin(TransactionOptions{Isolation: isolation(ctx), Owner: ctx.Session})
		if s, ok := ctx.Session.(*Session); ok {
			s.end()
			s.current = t
		}
		ctx.SetTransaction(t)
	}
	if t.wait == 0 {
		t.wait = lockWait(ctx)
	}
	return t
}

// commitOf commits what the session has written. Each change of a definition does that, unless it
// is collected with others.
func commitOf(ctx *sql.Context) error {
	if ctx == nil || ctx.Session == nil {
		return nil
	}
	if t, ok := ctx.GetTransaction().(*Transaction); ok {
		t.keepOpen()
		if t.whole != nil {
			t.refresh()
			return nil
		}
		return t.flush(ctx)
	}
	return nil
}

// keepOpen reads the remaining rows of open iterators into memory.
func (t *Transaction) keepOpen() {
	for len(t.open) > 0 {
		t.open[len(t.open)-1].keep()
	}
}

// single tells whether the statement is a transaction of its own.
func single(ctx *sql.Context) bool {
	if ctx.GetIgnoreAutoCommit() {
		return false
	}
	auto, err := ctx.GetSessionVariable(ctx, sql.AutoCommitSessionVar)
	return err == nil && auto == int8(1)
}

// isolation returns the session's isolation level.
func isolation(ctx *sql.Context) txkv.Isolation {
	v, err := ctx.GetSessionVariable(ctx, "transaction_isolation")
	if err != nil {
		return txkv.RepeatableRead
	}
	switch v {
	case "READ-UNCOMMITTED":
		return txkv.ReadUncommitted
	case "READ-COMMITTED":
		return txkv.ReadCommitted
	case "SERIALIZABLE":
		return txkv.Serializable
	}
	return txkv.RepeatableRead
}
