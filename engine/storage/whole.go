package storage

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/txkv"
)

// whole has changes of definitions that become durable together with the rows that the session's
// transaction writes. In memory they are in place earlier: the session keeps others from using the
// tables meanwhile.
type whole struct {
	generation int // of the transaction
	in         []*Database
	states     []*tableState // of changed tables: the states before and after the change
	written    []*tableState // of tables that the transaction has written to and that have been dropped again
	undo       []func()      // functions that undo the changes in memory, called in reverse order with Provider.mu held
	remove     []func()      // functions that remove what was written outside of the transaction for the changes
	committing bool          // the commit has begun, so that the changes may be stored even if it has failed
}

// Whole calls change, which creates, alters or drops tables. All its changes of definitions and all
// rows that it writes become one change: after an error or a crash nothing of it remains. Whole
// commits the session's transaction first.
func Whole(ctx *sql.Context, change func() error) error {
	t, ok := ctx.GetTransaction().(*Transaction)
	if !ok || t.whole != nil {
		return change()
	}
	if err := commitOf(ctx); err != nil {
		return err
	}
	t.begin()
	w := &whole{generation: t.generation}
	t.whole = w
	defer func() {
		if t.whole == w { // change has failed or panics
			t.whole = nil
			t.finish()
			t.p.undo(w)
		}
	}()
	if err := change(); err != nil {
		return err
	}
	t.keepOpen()
	if err := t.flush(ctx); err != nil {
		return err
	}
	t.whole = nil
	t.p.forget(w.written)
	return nil
}

// mayCommit tells whether the collected changes are about to be committed with the transaction t,
// and their databases still exist. The caller holds Provider.commits.
func (w *whole) mayCommit(t *Transaction) bool {
	t.p.mu.RLock()
	defer t.p.mu.RUnlock()
	gone := func(d *Database) bool { return t.p.databases[strings.ToLower(d.name)] != d }
	return t.generation == w.generation && !slices.ContainsFunc(w.in, gone)
}

// wholeOf returns the session's transaction if it collects changes, else nil.
func wholeOf(ctx *sql.Context) *Transaction {
	if ctx == nil || ctx.Session == nil {
		return nil
	}
	if t, ok := ctx.GetTransaction().(*Transaction); ok && t.whole != nil {
		return t
	}
	return nil
}

// changeIn does the same as change, for a transaction that collects changes.
func (p *Provider) changeIn(t *Transaction, write func(t *txkv.Txn) (func(), error)) error {
	t.keepOpen()
	p.commits.Lock()
	defer p.commits.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	txn := t.begin()
	mark := txn.Mark()
	place, err := write(txn)
	if err != nil {
		txn.RollbackTo(mark)
		return failure(err)
	}
	p.version.Add(1)
	place()
	t.refresh()
	return nil
}

// refresh makes the transaction's next read see what is committed by then.
func (t *Transaction) refresh() {
	if t.txn != nil {
		t.txn.Refresh()
		t.snapshot = false
	}
}

// undo undoes the collected changes in memory, and removes the rows of tables that do not exist any
// more. After a commit that has failed it does not remove rows: the next start does, because it can
// find out whether the tables exist.
func (p *Provider) undo(w *whole) {
	p.commits.Lock()
	defer p.commits.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, undo := range slices.Backward(w.undo) {
		undo()
	}
	live := map[*tableState]bool{}
	for _, d := range w.in {
		for _, def := range d.tables {
			live[def.state] = true
		}
	}
	var gone []*tableState
	for _, s := range w.states {
		s.retired.Store(!live[s])
		if !live[s] {
			gone = append(gone, s)
		}
	}
	if !w.committing {
		for _, remove := range w.remove {
			remove()
		}
		p.forget(gone)
	}
	p.linkForeignKeys()
	p.version.Add(1)
}

// forget removes all keys of tables that do not exist. Keys that it cannot remove are removed when
// the store is opened again.
func (p *Provider) forget(gone []*tableState) {
	if len(gone) == 0 {
		return
	}
	t := p.store.Begin(txkv.TxnOptions{})
	defer t.Rollback()
	for _, s := range gone {
		if p.removeRows(t, s.id) != nil {
			return
		}
	}
	_ = t.Commit()
}

// undone records how to undo a change of the database in memory, and the states of the tables that
// it changes, if the transaction collects changes.
func undone(ctx *sql.Context, d *Database, undo func(), states ...*tableState) {
	t := wholeOf(ctx)
	if t == nil {
		return
	}
	w := t.whole
	w.undo = append(w.undo, undo)
	if !slices.Contains(w.in, d) {
		w.in = append(w.in, d)
	}
	for _, s := range states {
		if !slices.Contains(w.states, s) {
			w.states = append(w.states, s)
		}
	}
}

// restore returns a function that sets a key of a map to its present value again.
func restore[T any](m map[string]T, key string) func() {
	old, ok := m[key]
	return func() {
		if delete(m, key); ok {
			m[key] = old
		}
	}
}
