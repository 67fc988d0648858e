package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/storage"
	"pfsd/engine/syntax"
)

// noSnapshot is the number of the warning that the isolation level has no snapshot for a transaction: HA_ERR_UNSUPPORTED.
const noSnapshot = 138

// buildTransaction builds n, which begins or ends a transaction, or is about a savepoint. When it returns, the statement has done its work.
func (w *Work) buildTransaction(ctx *sql.Context, n sql.Node, build func() (sql.RowIter, error)) (rows sql.RowIter, err error) {
	defer func() { w.Current.carriedOut = err == nil }()
	switch n := n.(type) {
	case *plan.CreateSavepoint:
		if err := w.savepoint(ctx, n.Name); err != nil {
			return nil, err
		}
		w.status.Savepoint.AddTo(w.Thread, 1)
		w.Thread.Savepoint()
		return sql.RowsToRowIter(), nil
	case *plan.RollbackSavepoint:
		if err := w.users.RollbackTo(ctx, n.Name); err != nil {
			return nil, err
		}
		w.status.RollbackTo.AddTo(w.Thread, 1)
		w.Thread.RollbackToSavepoint()
		return sql.RowsToRowIter(), nil
	case *plan.ReleaseSavepoint:
		if err := w.users.Release(ctx, n.Name); err != nil {
			return nil, err
		}
		w.Thread.ReleaseSavepoint()
		return sql.RowsToRowIter(), nil
	}
	switch n.(type) {
	case *plan.StartTransaction, *plan.Commit:
		done, err := w.commitLock(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	if rows, err = build(); err != nil {
		return nil, err
	}
	w.releaseTransaction()
	switch n := n.(type) {
	case *plan.StartTransaction:
		if t, ok := ctx.GetTransaction().(*storage.Transaction); ok && syntax.ConsistentSnapshot(ctx.Query()) && !t.TakeSnapshot() {
			ctx.Warn(noSnapshot, "InnoDB: WITH CONSISTENT SNAPSHOT was ignored because this phrase can only be used with REPEATABLE READ isolation level.")
		}
		w.trx.End(true)
		w.trx.Start(ctx, n.TransChar, false, w.Current.readOnly)
	case *plan.Commit:
		w.trx.End(true)
	case *plan.Rollback:
		w.trx.End(false)
	}
	return rows, nil
}

// savepoint is SAVEPOINT. The error can be that a memory limit does not allow one more.
func (w *Work) savepoint(ctx *sql.Context, name string) error {
	if err := w.users.Savepoint(ctx, name); err != nil {
		return err
	}
	t, ok := ctx.GetTransaction().(*storage.Transaction)
	if !ok {
		return nil
	}
	bytes := t.SavepointBytes()
	if used := w.savepoints.Used(); used > bytes {
		w.savepoints.Discharge(used - bytes)
	}
	err := w.savepoints.ChargeTo(bytes)
	if err != nil {
		_ = w.users.Release(ctx, name) // which is there
	}
	return err
}

// endIdleTransaction ends an autocommit transaction that has changed nothing, or nothing that is to stay.
func (w *Work) endIdleTransaction(ctx *sql.Context) error {
	tx := ctx.GetTransaction()
	if s, ok := ctx.Session.(sql.TransactionSession); ok && tx != nil {
		if err := s.Rollback(ctx, tx); err != nil {
			return err
		}
	}
	ctx.SetTransaction(nil)
	return nil
}

// commit commits the transaction that is open, if there is one, and releases its locks.
func (w *Work) commit(ctx *sql.Context) error {
	storage, ok := ctx.Session.(sql.TransactionSession)
	if tx := ctx.GetTransaction(); ok && tx != nil && !w.programs.Running() {
		done, err := w.commitLock(ctx)
		if err != nil {
			return err
		}
		err = storage.CommitTransaction(ctx, tx)
		done()
		if err != nil {
			return err
		}
		ctx.SetTransaction(nil)
		ctx.SetIgnoreAutoCommit(false)
		w.trx.End(true)
	}
	w.releaseTransaction()
	return nil
}

// commitLock waits for FLUSH TABLES WITH READ LOCK of others before a commit, if there is something
// to commit, and keeps it away until done is called.
func (w *Work) commitLock(ctx *sql.Context) (done func(), err error) {
	if !w.trx.Open() {
		return func() {}, nil
	}
	return w.locks.BeforeCommit(ctx)
}

// releaseTransaction releases the locks of the transaction, but not those of the statement that runs a stored program.
func (w *Work) releaseTransaction() {
	if !w.programs.Running() {
		w.locks.ReleaseTransaction()
		w.savepoints.Release()
		return
	}
	w.locks.RollbackTo(w.programs.Locked())
}

// releaseStatement releases the locks of the statement that ends: all of them if there is no transaction, or if the statement was not
// executed.
func (w *Work) releaseStatement(ctx *sql.Context) {
	if !w.Current.planned && !w.programs.Running() {
		w.locks.TakeBack()
	}
	if ctx.GetTransaction() != nil && (ctx.GetIgnoreAutoCommit() || !w.trx.Autocommit(ctx)) {
		if !w.programs.Running() {
			w.locks.ReleaseStatement()
		}
		return
	}
	w.releaseTransaction()
}

// rollBack rolls the transaction back, which its statement has lost, and forgets it.
func (w *Work) rollBack(ctx *sql.Context) {
	storage, ok := ctx.Session.(sql.TransactionSession)
	if tx := ctx.GetTransaction(); ok && tx != nil {
		_ = storage.Rollback(ctx, tx)
		ctx.SetTransaction(nil)
		ctx.SetIgnoreAutoCommit(false)
		w.trx.End(false)
	}
}

// lost returns the error of a transaction that was rolled back although its client has not asked for that; nil for any other.
func lost(ctx *sql.Context) error {
	if t, ok := ctx.GetTransaction().(*storage.Transaction); ok {
		return t.Lost()
	}
	return nil
}

// endLost ends a transaction that is lost. The client learns it by the error of its statement, unless a handler of a program takes that: then
// the statement still must not fail with an error by which the transaction would be open.
func (w *Work) endLost(ctx *sql.Context) {
	if err := lost(ctx); err != nil {
		w.lost = w.errors.Of(ctx, err, true)
		w.rollBack(ctx)
	}
}

// Guard implements programs.Connection.
func (s steps) Guard(ctx *sql.Context) { s.setSavepoint(ctx) }

// setSavepoint makes sure that a statement with triggers or functions leaves nothing behind if it fails. go-mysql-server needs a savepoint
// of the storage for that. The transaction of a SELECT whose function writes is committed as that of another statement.
func (w *Work) setSavepoint(ctx *sql.Context) {
	w.Current.readOnly = false
	if w.Current.guard == "" {
		w.Current.guard = w.users.Guard(ctx)
	}
}

// undoIfFailed takes back the writes of the statement if it fails.
func (w *Work) undoIfFailed(ctx *sql.Context) {
	o := &w.Current
	if o.guard == "" {
		return
	}
	if o.failed {
		// There is no savepoint if the transaction has ended; then there is nothing to take back.
		_ = w.users.RollbackTo(ctx, o.guard)
	}
	_ = w.users.Release(ctx, o.guard)
	o.guard = ""
}

// startReads notes in the transaction that a statement begins to read. If the statement has FOR UPDATE or FOR SHARE, which go-mysql-server
// parses and ignores, its reads lock the rows that they find.
func (w *Work) startReads(ctx *sql.Context, s ast.Statement) {
	t, ok := ctx.GetTransaction().(*storage.Transaction)
	if !ok || w.programs.Within() { // what a trigger does is part of a statement that reads
		return
	}
	if !w.programs.Running() {
		t.StartStatement(w.Thread.NextEventID())
	} else {
		t.StartInner(w.Thread.NextEventID())
	}
	clauses := w.plans.Clauses(s)
	if len(clauses) == 0 {
		return
	}
	t.LockReads(func(db, table string) (storage.ReadLock, bool) {
		for _, c := range clauses {
			if c.Locks(ctx, db, table) {
				return c.Lock, true
			}
		}
		return storage.ReadLock{}, false
	})
}
