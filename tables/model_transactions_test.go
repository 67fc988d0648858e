package tables

import (
	"fmt"
	"slices"

	"pfsd/instr"
)

// modelTransaction is a row of events_transactions_current and its histories.
type modelTransaction struct {
	modelHead
	options    instr.TransactionOptions
	state      string
	savepoints [3]uint64 // made, rolled back to, released
}

var transactionNames = []string{
	"STATE", "TRX_ID", "GTID", "XID_FORMAT_ID", "XID_GTRID", "XID_BQUAL", "XA_STATE", "ACCESS_MODE", "ISOLATION_LEVEL", "AUTOCOMMIT",
	"NUMBER_OF_SAVEPOINTS", "NUMBER_OF_ROLLBACK_TO_SAVEPOINT", "NUMBER_OF_RELEASE_SAVEPOINT", "OBJECT_INSTANCE_BEGIN",
}

func (x *modelTransaction) cells() []string {
	mode := "READ WRITE"
	if x.options.ReadOnly {
		mode = "READ ONLY"
	}
	return []string{
		x.state, "NULL", "AUTOMATIC", "NULL", "NULL", "NULL", "NULL", mode, orNull(x.options.Isolation), yesOrNo(x.options.Autocommit),
		num(x.savepoints[0]), num(x.savepoints[1]), num(x.savepoints[2]), "NULL",
	}
}

// The two kinds of transactions that are counted.
const (
	readWrite = iota
	readOnly
)

func (m *model) transactionRows(w modelWork, _ int) [][]string {
	c := m.transaction()
	write, read := w.of(modelKey{modelTransactions, c, readWrite}), w.of(modelKey{modelTransactions, c, readOnly})
	all := write
	all.add(read)
	return [][]string{slices.Concat([]string{c.name}, all.cells(), write.cells(), read.cells())}
}

// key is the sum in which the transaction counts.
func (x *modelTransaction) key() modelKey {
	which := readWrite
	if x.options.ReadOnly {
		which = readOnly
	}
	return modelKey{modelTransactions, x.class, which}
}

// endTransaction ends a transaction, which took some picoseconds.
func (m *model) endTransaction(t *modelThread, x *modelTransaction, committed bool, ps uint64) {
	x.state = "ROLLED BACK"
	if committed {
		x.state = "COMMITTED"
	}
	m.finish(t, x, modelTransactions, x.key(), ps, modelSum{})
}

// startTransaction starts a transaction that is part of the innermost statement.
func (m *model) startTransaction(t *modelThread, o instr.TransactionOptions) {
	sw, ok := m.starts(t, m.transaction(), modelTransactions)
	if !ok {
		return
	}
	t.transaction = &modelTransaction{modelHead: m.newHead(t, m.transaction(), modelTransactions, sw), options: o, state: "ACTIVE"}
	if t.transaction.id != 0 {
		t.transaction.nesting = t.innermost()
	}
}

// active is the transaction that the thread is in, nil if it is in none.
func (t *modelThread) active() *modelTransaction {
	if t == nil || t.transaction == nil || !t.transaction.running {
		return nil
	}
	return t.transaction
}

// endsTransaction calls do, which ends the thread's transaction if it is in one.
func (w *modelWorld) endsTransaction(r *modelRoutine, committed bool, do func()) {
	x := r.thread.active()
	if x == nil {
		w.in(r, do)
		return
	}
	ps := w.learnWork(x.key(), &x.modelHead, func() { w.in(r, do) })
	w.endTransaction(r.thread, x, committed, ps)
}

var modelTransactionOps = []modelOp{
	{"transaction", 7, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if !r.attached() {
			return ""
		}
		o := instr.TransactionOptions{ReadOnly: b%2 == 0, Autocommit: b/2%2 == 0, Isolation: pick([]string{"READ COMMITTED", "REPEATABLE READ", ""}, c)}
		w.endsTransaction(r, true, func() { r.handle.StartTransaction(o) }) // one that runs is committed
		if r.thread != nil {
			w.startTransaction(r.thread, o)
		}
		return fmt.Sprintf("%s: %+v", r, o)
	}},
	{"transaction end", 5, func(w *modelWorld, a, b, c uint32) string {
		r, committed := pick(w.routines, a), b%3 != 0
		if !r.attached() {
			return ""
		}
		w.endsTransaction(r, committed, func() { r.handle.EndTransaction(committed) })
		return fmt.Sprintf("%s, committed %v", r, committed)
	}},
	{"savepoint", 4, func(w *modelWorld, a, b, c uint32) string {
		r, which := pick(w.routines, a), b%3
		if !r.attached() {
			return ""
		}
		w.in(r, []func(){r.handle.Savepoint, r.handle.RollbackToSavepoint, r.handle.ReleaseSavepoint}[which])
		if x := r.thread.active(); x != nil {
			x.savepoints[which]++
		}
		return fmt.Sprintf("%s: %s", r, []string{"set", "rollback", "release"}[which])
	}},
}
