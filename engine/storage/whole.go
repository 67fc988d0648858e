package storage

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/txkv"
)

// whole are changes of definitions that the session's transaction makes durable together, with the rows that it writes. They are in place
// in memory before: who makes them keeps others from using what they are of.
type whole struct {
	generation int // of the transaction
	in         []*Database
	states     []*tableState // of tables that are changed, before and after
	written    []*tableState // of tables that the transaction has written to, and that are gone again
	undo       []func()      // takes the changes out of memory, the last first; called with Provider.mu
	remove     []func()      // removes what was written for them outside of the transaction
	committing bool          // the commit may be there even if it has failed
}

// Whole carries out change, which makes, alters or drops tables, with all its changes of definitions and all rows that it writes as one
// change: after an error or a crash there is nothing of it. The session's transaction is committed first.
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
		if t.whole == w { // change has failed, or panics
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

// mayCommit tells whether what was collected is about to be committed with the transaction that it is in, and its databases are still
// there. The caller holds Provider.commits.
func (w *whole) mayCommit(t *Transaction) bool {
	t.p.mu.RLock()
	defer t.p.mu.RUnlock()
	gone := func(d *Database) bool { return t.p.databases[strings.ToLower(d.name)] != d }
	return t.generation == w.generation && !slices.ContainsFunc(w.in, gone)
}

// wholeOf is the session's transaction if it collects changes, else nil.
func wholeOf(ctx *sql.Context) *Transaction {
	if ctx == nil || ctx.Session == nil {
		return nil
	}
	if t, ok := ctx.GetTransaction().(*Transaction); ok && t.whole != nil {
		return t
	}
	return nil
}

// changeIn is change of what a transaction collects.
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

// refresh has the transaction's next read see what is committed by now.
func (t *Transaction) refresh() {
	if t.txn != nil {
		t.txn.Refresh()
		t.snapshot = false
	}
}

// undo takes what was collected out of memory, and removes the rows of tables that there are no more. After a commit that has failed it
// leaves these to the next start, which knows whether they are somebody's.
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

// forget removes all keys of tables that nobody knows. What it cannot remove goes when the store is opened again.
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

// undone notes how a change of the database is taken back, and of which tables it is, if it is collected.
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

// restore returns a function that restores the present value of a key in a map.
func restore[T any](m map[string]T, key string) func() {
	old, ok := m[key]
	return func() {
		if delete(m, key); ok {
			m[key] = old
		}
	}
}
