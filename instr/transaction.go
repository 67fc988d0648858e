package instr

// TransactionState is STATE of a transaction.
type TransactionState uint8

// The states.
const (
	TransactionActive TransactionState = iota
	TransactionCommitted
	TransactionRolledBack
)

// TransactionOptions is what is known of a transaction when it begins.
type TransactionOptions struct {
	ReadOnly   bool
	Autocommit bool   // it consists of a single statement
	Isolation  string // such as REPEATABLE READ
}

// TransactionStat is a copy of the statistics of transactions.
type TransactionStat struct{ ReadWrite, ReadOnly WorkStat }

// All is transactions of both kinds.
func (s TransactionStat) All() WorkStat {
	all := s.ReadWrite
	all.Add(s.ReadOnly)
	return all
}

// runningTransaction is a thread's transaction: the current one, or the last.
type runningTransaction struct {
	TransactionEvent
	sw      switches // as the transaction began; 0: there has been none
	running bool
	hidden  bool // by TRUNCATE
}

// StartTransaction starts a transaction of the thread, the instrument transaction. If the
// thread is in one already, that one is committed. A nil thread starts none. Owned by the
// thread's goroutine.
//
//go:noinline
func (t *Thread) StartTransaction(o TransactionOptions) {
	if t == nil || t.ID() == 0 {
		return
	}
	t.EndTransaction(true)
	if t.registry.transaction.switches.Load() != 0 {
		t.startTransaction(o, callerPC())
	}
}

func (t *Thread) startTransaction(o TransactionOptions, caller uintptr) {
	c := t.registry.transaction
	sw := t.recording(c)
	if sw == 0 {
		return
	}
	a := t.ensureActivity()
	start := uint64(0)
	if sw&swTimed != 0 {
		start = sw.now()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	x := &a.transaction
	*x = runningTransaction{sw: sw, running: true}
	x.begin(t, c, sw, start, caller)
	x.TransactionOptions = o
	if x.ID != 0 {
		if x.NestingID = a.innermost(); x.NestingID != 0 {
			x.NestingType = NestingStatement
		}
	}
}

// EndTransaction ends the thread's transaction, if it is in one. Owned by the thread's goroutine.
func (t *Thread) EndTransaction(committed bool) {
	if !t.InTransaction() {
		return
	}
	a, r := t.activity.Load(), t.registry
	a.mu.Lock()
	defer a.mu.Unlock()
	x := &a.transaction
	ps := x.finish(t, x.now())
	x.running = false
	x.State = TransactionRolledBack
	if committed {
		x.State = TransactionCommitted
	}
	a.count(r, x.sw, func(w *workStats) { w.addTransaction(x.ReadOnly, x.timed, ps) })
	x.Class.recordTime(x.sw, ps)
	if x.sw&(swHistory|swHistoryLong) != 0 && !x.hidden {
		record := x.record()
		if x.sw&swHistory != 0 {
			a.transactionsHistory.add(&record)
		}
		if x.sw&swHistoryLong != 0 {
			r.work.transactions.Load().add(x.ThreadID, longEntry[transactionRecord]{x.stamp(), record})
		}
	}
}

// InTransaction reports whether the thread is in a transaction that was counted when it began.
// Owned by the thread's goroutine.
func (t *Thread) InTransaction() bool {
	if t == nil || t.ID() == 0 {
		return false
	}
	a := t.activity.Load()
	return a != nil && a.transaction.running
}

// Savepoint counts a SAVEPOINT of the thread's transaction. Owned by the thread's goroutine.
func (t *Thread) Savepoint() { t.changeTransaction(func(x *TransactionEvent) { x.Savepoints++ }) }

// RollbackToSavepoint counts one. Owned by the thread's goroutine.
func (t *Thread) RollbackToSavepoint() {
	t.changeTransaction(func(x *TransactionEvent) { x.RollbacksToSavepoint++ })
}

// ReleaseSavepoint counts one. Owned by the thread's goroutine.
func (t *Thread) ReleaseSavepoint() {
	t.changeTransaction(func(x *TransactionEvent) { x.ReleasedSavepoint++ })
}

func (t *Thread) changeTransaction(change func(x *TransactionEvent)) {
	if !t.InTransaction() {
		return
	}
	a := t.activity.Load()
	a.mu.Lock()
	change(&a.transaction.TransactionEvent)
	a.mu.Unlock()
}

// TransactionEvent is a copy of a transaction, as a row of events_transactions_current and
// its histories shows it.
type TransactionEvent struct {
	EventHead
	TransactionOptions
	State                                               TransactionState
	Savepoints, RollbacksToSavepoint, ReleasedSavepoint uint64
}

// CurrentTransaction appends the row that events_transactions_current has for the thread: the
// transaction that it is in, or the last one. Safe for concurrent use.
func (t *Thread) CurrentTransaction(to []TransactionEvent) []TransactionEvent {
	return readActivity(t, to, func(a *activity, to []TransactionEvent) []TransactionEvent {
		if x := &a.transaction; x.ID != 0 && !x.hidden {
			to = append(to, x.TransactionEvent)
			to[len(to)-1].readNow()
		}
		return to
	})
}

// TruncateCurrentTransaction hides the transaction that the thread is in, or the last one. A
// running one does not get into histories when it ends. Safe for concurrent use.
func (t *Thread) TruncateCurrentTransaction() {
	changeActivity(t, func(a *activity) { a.transaction.hidden = true })
}

// TransactionsHistory appends the rows of events_transactions_history, oldest first. Safe for
// concurrent use.
func (t *Thread) TransactionsHistory(to []TransactionEvent) []TransactionEvent {
	return readActivity(t, to, func(a *activity, to []TransactionEvent) []TransactionEvent {
		return appendRecords(to, &a.transactionsHistory, func(x *transactionRecord) TransactionEvent { return x.event(t.registry) })
	})
}

// TruncateTransactionsHistory empties the thread's history of transactions. Safe for concurrent use.
func (t *Thread) TruncateTransactionsHistory() {
	changeActivity(t, func(a *activity) { a.transactionsHistory.clear() })
}

// TransactionsHistoryLong returns the rows of events_transactions_history_long, oldest
// first. Safe for concurrent use.
func (h Reader) TransactionsHistoryLong() []TransactionEvent {
	return allRecords(h.r.work.transactions.Load(), func(x *transactionRecord) TransactionEvent { return x.event(h.r) })
}

// TruncateTransactionsHistoryLong empties the long history of transactions. Safe for concurrent
// use.
func (h Reader) TruncateTransactionsHistoryLong() { h.r.work.transactions.Load().truncate() }
