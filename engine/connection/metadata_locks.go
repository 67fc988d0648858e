package connection

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/grammar"
	"pfsd/engine/mdl"
	"pfsd/engine/metering"
	"pfsd/engine/parsing"
	"pfsd/engine/rights"
	"pfsd/engine/session"
	"pfsd/engine/statements"
	"pfsd/engine/tableuse"
	"pfsd/engine/usertables"
	"pfsd/engine/uservars"
	"pfsd/instr"
)

// newWork is the work of a thread that is a connection's with this id, or of the background.
func newWork(in *Instruments, thread *instr.Thread, id uint64) *Work {
	w := &Work{Instruments: in, Thread: thread, opened: tableuse.New(in.reg, thread, in.status)}
	w.users = usertables.NewSession(w)
	w.vars = uservars.New(thread, nil, nil)
	w.trx = session.NewTransaction(thread, in.status.Commit, in.status.Rollback)
	w.locks = session.NewLocks(in.Names.NewOwner(id, thread), w.users, w.opened.Lock)
	w.Processor = in.Budget.NewMeter(w.heldBack)
	w.account = in.MemoryBudget.NewConnection(thread)
	w.meter = metering.New(w.account, &in.memory.rowsOf, w.vars.ChargeAssigned)
	w.locks.Waiting = w.waitingFor
	return w
}

// waitingFor puts the statement into the stage of waiting for a lock, and ends it.
func (w *Work) waitingFor(n mdl.Namespace) (done func()) {
	goOn := w.Processor.Wait()
	c := w.Stages.Locks[n]
	if c == nil {
		return goOn
	}
	w.Thread.StartStage(c)
	return func() {
		goOn()
		if w.Current.planned {
			w.Current.stage.GoOn()
			return
		}
		w.Thread.StartStage(w.Stages.Opening)
	}
}

// lock locks what info says that a statement uses, which may use it. What fails is told again when
// the statement is carried out: the SQL engine does not hear of it where it asks for a trigger.
func (w *Work) lock(ctx *sql.Context, info ast.AuthInformation) error {
	o := &w.Current
	if o.planned { // it looks at other statements, such as views, to tell of them
		return nil
	}
	t := mdl.SharedWrite
	switch info.AuthType {
	case ast.AuthType_SELECT, rights.SelectInsert:
		if !o.forUpdate {
			t = mdl.SharedRead
		}
	case ast.AuthType_INSERT, ast.AuthType_UPDATE, ast.AuthType_DELETE, ast.AuthType_REPLACE:
	case ast.AuthType_IGNORE, ast.AuthType_TRIGGER, ast.AuthType_LOCK:
		if o.definition == nil || info.AuthType == ast.AuthType_LOCK {
			return nil
		}
		return w.lockDefinition(ctx)
	default:
		return w.lockDefinition(ctx)
	}
	switch info.TargetType {
	case ast.AuthTargetType_SingleTableIdentifier, ast.AuthTargetType_MultipleTableIdentifiers:
	default:
		return nil
	}
	for i := 0; i+1 < len(info.TargetNames); i += 2 {
		db, name := info.TargetNames[i], info.TargetNames[i+1]
		if name == plan.DualTableName || db == "" && strings.EqualFold(name, "dual") {
			continue
		}
		k := session.TableKey(session.OrCurrent(ctx, db), name)
		if k.Schema == "information_schema" || w.locks.Hides(ctx, k) {
			continue
		}
		err := w.locks.LockTable(ctx, k, t)
		if err != nil {
			o.refused = err
			return err
		}
	}
	return nil
}

// beforeStatement is called with a statement that is about to be carried out, before it is looked at any
// closer. It ends the transaction if the statement does that.
func (w *Work) beforeStatement(ctx *sql.Context, s ast.Statement) error {
	o := &w.Current
	text := ctx.Query()
	if w.program == nil && w.Rights.Query != "" {
		text = w.Rights.Query
	}
	if e, ok := s.(*ast.Execute); ok {
		s, _ = ctx.Session.GetPreparedQuery(e.Name)
		text = w.Preparations.byName[strings.ToLower(e.Name)].text
	}
	o.definition, o.forUpdate = nil, false
	switch s := s.(type) {
	case *ast.Select:
		o.forUpdate = s.Lock != nil && strings.HasPrefix(s.Lock.Type, ast.ForUpdateStr)
	case *ast.DDL, *ast.AlterTable, *ast.DBDDL, *ast.LockTables, *ast.Flush:
		if ddl, ok := s.(*ast.DDL); ok && ddl.Temporary {
			break
		}
		if err := w.commit(ctx); err != nil {
			return err
		}
		w.locks.Begin()
		o.definition = s
	case ast.InjectedStatement:
		if _, ok := s.Statement.(statements.Definition); ok {
			if err := w.commit(ctx); err != nil {
				return err
			}
		}
	case *ast.Begin, *ast.UnlockTables:
		if !w.locks.Unlockable() {
			break
		}
		// The transaction has used tables that nothing but these locks protects.
		if w.locks.Restricted() {
			if err := w.commit(ctx); err != nil {
				return err
			}
		}
		w.locks.UnlockTables()
	case *ast.Call, *ast.Show:
		o.definition = s
	}
	if err := w.Rights.AuthorizeStatement(ctx, s, text); err != nil {
		return err
	}
	if w.locks.Restricted() {
		return w.locks.Check(ctx, s)
	}
	return nil
}

// commit commits the transaction that is open, if there is one, and releases its locks.
func (w *Work) commit(ctx *sql.Context) error {
	storage, ok := ctx.Session.(sql.TransactionSession)
	if tx := ctx.GetTransaction(); ok && tx != nil && w.program == nil {
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

// tablesOf are the keys of a database's tables.
func (w *Work) tablesOf(ctx *sql.Context, db string) (all []mdl.Key) {
	if w.Rights.Databases == nil {
		return nil
	}
	d, err := w.Rights.Databases.Database(ctx, db)
	users, ok := d.(usertables.Database)
	if err != nil || !ok {
		return nil
	}
	names, _ := users.GetTableNames(ctx)
	for _, name := range names {
		all = append(all, session.TableKey(db, name))
	}
	return all
}

// commitLock waits for FLUSH TABLES WITH READ LOCK of others before a commit, if there is something
// to commit, and keeps it away until done is called.
func (w *Work) commitLock(ctx *sql.Context) (done func(), err error) {
	if !w.trx.Open() {
		return func() {}, nil
	}
	return w.locks.BeforeCommit(ctx)
}

// releaseTransaction releases what the transaction has locked, but not what the statement that
// calls a program has.
func (w *Work) releaseTransaction() {
	if w.program == nil {
		w.locks.ReleaseTransaction()
		return
	}
	p := w.program
	for p.outer != nil {
		p = p.outer
	}
	w.locks.RollbackTo(p.locks)
}

// releaseStatement releases what the statement that ends has locked; that is all of it outside a
// transaction, or if it has not come to be carried out.
func (w *Work) releaseStatement(ctx *sql.Context) {
	if !w.Current.planned && w.program == nil {
		w.locks.TakeBack()
	}
	if ctx.GetTransaction() != nil {
		if autocommit, err := plan.IsSessionAutocommit(ctx); ctx.GetIgnoreAutoCommit() || err == nil && !autocommit {
			if w.program == nil {
				w.locks.ReleaseStatement()
			}
			return
		}
	}
	w.releaseTransaction()
}

// rollBack ends the transaction of a statement that was given up in a deadlock.
func (w *Work) rollBack(ctx *sql.Context) {
	storage, ok := ctx.Session.(sql.TransactionSession)
	if tx := ctx.GetTransaction(); ok && tx != nil {
		_ = storage.Rollback(ctx, tx)
		ctx.SetTransaction(nil)
		ctx.SetIgnoreAutoCommit(false)
		w.trx.End(false)
	}
}

// lockDefinition locks what the statement defines, changes or calls, which it may do.
func (w *Work) lockDefinition(ctx *sql.Context) error {
	o := &w.Current
	s := o.definition
	o.definition = nil
	var err error
	switch s := s.(type) {
	case *ast.Call:
		k := mdl.Key{
			Namespace: mdl.Procedure, Schema: strings.ToLower(session.OrCurrent(ctx, s.ProcName.Qualifier.String())), Name: strings.ToLower(s.ProcName.Name.String()),
		}
		_, err = w.locks.Lock(ctx, k, mdl.Shared, mdl.Transaction)
	case *ast.Show:
		if k := session.KeyOf(ctx, s.Table); k.Name != "" && !session.IsVirtual(k) && (s.Type == ast.CreateTableStr || strings.EqualFold(s.Type, "columns") || s.Type == ast.IndexStr) {
			_, err = w.locks.Lock(ctx, k, mdl.SharedHighPrio, mdl.Transaction)
		}
	case *ast.Flush:
		err = w.locks.Flush(ctx, s)
	case *ast.DDL, *ast.AlterTable, *ast.DBDDL:
		err = w.locks.Define(ctx, s, func(db string) []mdl.Key { return w.tablesOf(ctx, db) })
	}
	if err != nil {
		o.refused = err
	}
	return err
}

// runner carries out the statements of stored programs, with their locks.
type runner struct {
	sql.StatementRunner
	work *Work
}

// QueryWithBindings implements sql.StatementRunner.
func (r runner) QueryWithBindings(ctx *sql.Context, query string, s ast.Statement, bindings map[string]ast.Expr, flags *sql.QueryFlags) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	if err := r.work.beforeStatement(ctx, s); err != nil {
		return nil, nil, nil, err
	}
	r.work.startReads(ctx, s)
	if show, ok := s.(*ast.Show); ok {
		if u := grammar.ShowConditions(show); u != nil {
			s = ast.InjectedStatement{Statement: parsing.Unparsed{Statement: u}}
		}
	}
	if e, ok := s.(*ast.Execute); ok {
		var err error
		if query, s, bindings, err = r.work.executedStatement(ctx, e); err != nil {
			return nil, nil, nil, err
		}
	}
	r.work.diagnostics.Collect(ctx) // the SQL engine forgets them
	back, err := session.InNamed(ctx, s)
	if err != nil {
		return nil, nil, nil, err
	}
	defer back()
	schema, rows, flags, err := r.StatementRunner.QueryWithBindings(ctx, query, s, bindings, flags)
	return gmsplan.SchemaOf(schema), rows, flags, err
}
