package storage

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/txkv"
)

// whole are changes of definitions that become durable together. They are in place in memory before: who makes them keeps others
// from using what they are of.
type whole struct {
	txn  *txkv.Txn
	in   *Database
	undo []func() // takes them out of memory, the last first; called with Provider.mu
}

// Whole carries out create, which makes a table and its keys, with all its changes of definitions in one batch: after an error or
// a crash there is nothing of it. The session's transaction is committed first.
func Whole(ctx *sql.Context, create func() error) error {
	t, ok := ctx.GetTransaction().(*Transaction)
	if !ok || t.whole != nil {
		return create()
	}
	if err := commitOf(ctx); err != nil {
		return err
	}
	w := &whole{txn: t.p.store.Begin(txkv.TxnOptions{})}
	defer w.txn.Rollback()
	t.whole = w
	defer func() {
		if t.whole == w { // create has failed, or panics
			t.whole = nil
			t.p.undo(w)
		}
	}()
	if err := create(); err != nil {
		return err
	}
	if err := t.p.commit(w); err != nil {
		return err
	}
	t.whole = nil
	return nil
}

// commit makes what was collected durable, if its database is still there.
func (p *Provider) commit(w *whole) error {
	p.commits.Lock()
	defer p.commits.Unlock()
	p.mu.RLock()
	defer p.mu.RUnlock()
	if w.in != nil && p.databases[strings.ToLower(w.in.name)] != w.in {
		return errChanged
	}
	return failure(w.txn.Commit())
}

// wholeOf are the changes that the session collects, nil if it collects none.
func wholeOf(ctx *sql.Context) *whole {
	if ctx == nil || ctx.Session == nil {
		return nil
	}
	if t, ok := ctx.GetTransaction().(*Transaction); ok {
		return t.whole
	}
	return nil
}

// changeIn is change of what is collected.
func (p *Provider) changeIn(w *whole, write func(t *txkv.Txn) (func(), error)) error {
	p.commits.Lock()
	defer p.commits.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	mark := w.txn.Mark()
	place, err := write(w.txn)
	if err != nil {
		w.txn.RollbackTo(mark)
		return failure(err)
	}
	p.version.Add(1)
	place()
	return nil
}

// undo takes what was collected out of memory.
func (p *Provider) undo(w *whole) {
	p.commits.Lock()
	defer p.commits.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, undo := range slices.Backward(w.undo) {
		undo()
	}
	p.linkForeignKeys()
	p.version.Add(1)
}

// undone notes how a change is taken back, if it is collected.
func undone(ctx *sql.Context, d *Database, undo func()) {
	if w := wholeOf(ctx); w != nil {
		w.in, w.undo = d, append(w.undo, undo)
	}
}

// restore puts back what a map had under a key.
func restore[T any](m map[string]T, key string) func() {
	old, ok := m[key]
	return func() {
		if delete(m, key); ok {
			m[key] = old
		}
	}
}
