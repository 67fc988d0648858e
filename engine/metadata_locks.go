package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/compat"
	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/mdl"
	"pfsd/engine/vtable"
	"pfsd/instr"
)

// newWork is the work of a thread that is a connection's with this id, or of the background.
func newWork(in *kinds, thread *instr.Thread, id uint64) *work {
	w := &work{kinds: in, thread: thread, locks: in.names.NewOwner(id, thread), opened: openTables{reg: in.reg, thread: thread, status: in.status}}
	w.processor = in.budget.Use(w.heldBack)
	w.account = in.memoryBudget.NewConnection(thread)
	w.locks.Waiting = w.waitingFor
	w.locks.Timeout = lockTimeout
	return w
}

// waitingFor puts the statement into the stage of waiting for a lock, and ends it.
func (w *work) waitingFor(n mdl.Namespace) (done func()) {
	goOn := w.processor.Wait()
	c := w.stages.locks[n]
	if c == nil {
		return goOn
	}
	w.thread.StartStage(c)
	return func() {
		goOn()
		if w.statement.planned {
			w.goOn()
			return
		}
		w.thread.StartStage(w.stages.opening)
	}
}

// lockTimeout is how long a statement waits for a lock.
func lockTimeout(ctx context.Context) time.Duration {
	if sc, ok := ctx.(*sql.Context); ok {
		if v, err := sc.GetSessionVariable(sc, "lock_wait_timeout"); err == nil {
			if n, _, err := types.Int64.Convert(sc, v); err == nil {
				return time.Duration(n.(int64)) * time.Second
			}
		}
	}
	return 0
}

// acquire acquires a lock as the session's lock_wait_timeout lets it.
func (w *work) acquire(ctx *sql.Context, k mdl.Key, t mdl.Type, d mdl.Duration) (*mdl.Lock, error) {
	return w.locks.Acquire(ctx, k, t, d, mdl.OwnTimeout)
}

// tableKey is a table's or a view's name as it is locked: letter case does not matter in it.
func tableKey(db, name string) mdl.Key {
	return mdl.Key{Namespace: mdl.Table, Schema: strings.ToLower(db), Name: strings.ToLower(name)}
}

// keyOf is tableKey of a name in a statement.
func keyOf(ctx *sql.Context, n ast.TableName) mdl.Key {
	return tableKey(orCurrent(ctx, n.DbQualifier.String()), n.Name.String())
}

// own tells whether the engine of a key's table is performance_schema's or information_schema's,
// whose tables nothing changes.
func own(k mdl.Key) bool { return k.Schema == vtable.Database || k.Schema == "information_schema" }

var globalKey, backupKey, commitKey = mdl.Key{Namespace: mdl.Global}, mdl.Key{Namespace: mdl.BackupLock}, mdl.Key{Namespace: mdl.Commit}

// lock locks what info says that a statement uses, which may use it. What fails is told again when
// the statement is carried out: the SQL engine does not hear of it where it asks for a trigger.
func (w *work) lock(ctx *sql.Context, info ast.AuthInformation) error {
	o := &w.statement
	if o.planned { // it looks at other statements, such as views, to tell of them
		return nil
	}
	t := mdl.SharedWrite
	switch info.AuthType {
	case ast.AuthType_SELECT, authSelectInsert:
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
		k := tableKey(orCurrent(ctx, db), name)
		if k.Schema == "information_schema" || w.hides(ctx, k) {
			continue
		}
		err := w.lockTable(ctx, k, t)
		if err != nil {
			o.refused = err
			return err
		}
	}
	return nil
}

// lockTable locks a table for a statement that reads or changes rows.
func (w *work) lockTable(ctx *sql.Context, k mdl.Key, t mdl.Type) error {
	if t == mdl.SharedWrite && !own(k) {
		if err := w.yieldToFlush(ctx); err != nil {
			return err
		}
	}
	_, err := w.acquire(ctx, k, t, mdl.Transaction)
	return err
}

// yieldToFlush waits for FLUSH TABLES WITH READ LOCK of others, and keeps it away until the
// statement ends.
func (w *work) yieldToFlush(ctx *sql.Context) error {
	if w.globalRead {
		return mysql.NewSQLError(1223, "HY000", "Can't execute the query because you have a conflicting read lock")
	}
	_, err := w.acquire(ctx, globalKey, mdl.IntentionExclusive, mdl.Statement)
	return err
}

// before is called with a statement that is about to be carried out, before it is looked at any
// closer. It ends the transaction if the statement does that.
func (w *work) before(ctx *sql.Context, s ast.Statement) error {
	o := &w.statement
	text := ctx.Query()
	if w.program == nil && w.rights.query != "" {
		text = w.rights.query
	}
	if e, ok := s.(*ast.Execute); ok {
		s, _ = ctx.Session.GetPreparedQuery(e.Name)
		text = w.preparations.byName[strings.ToLower(e.Name)].text
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
		w.mark = w.locks.Mark()
		o.definition = s
	case ast.InjectedStatement:
		if _, ok := s.Statement.(ownDefinition); ok {
			if err := w.commit(ctx); err != nil {
				return err
			}
		}
	case *ast.Begin, *ast.UnlockTables:
		if w.tables == nil && !w.globalRead {
			break
		}
		// The transaction has used tables that nothing but these locks protects.
		if w.tables != nil {
			if err := w.commit(ctx); err != nil {
				return err
			}
		}
		w.unlockTables()
	case *ast.Call, *ast.Show:
		o.definition = s
	}
	if err := w.authorizeStatement(ctx, s, text); err != nil {
		return err
	}
	if w.tables != nil {
		return w.checkLocked(ctx, s)
	}
	return nil
}

// commit commits the transaction that is open, if there is one, and releases its locks.
func (w *work) commit(ctx *sql.Context) error {
	session, ok := ctx.Session.(sql.TransactionSession)
	if tx := ctx.GetTransaction(); ok && tx != nil && w.program == nil {
		done, err := w.commitLock(ctx)
		if err != nil {
			return err
		}
		w.putBack(ctx)
		err = session.CommitTransaction(ctx, tx)
		done()
		if err != nil {
			return err
		}
		ctx.SetTransaction(nil)
		ctx.SetIgnoreAutoCommit(false)
		w.endTransaction(true)
	}
	w.releaseTransaction()
	return nil
}

// commitLock waits for FLUSH TABLES WITH READ LOCK of others before a commit, if there is something
// to commit, and keeps it away until done is called.
func (w *work) commitLock(ctx *sql.Context) (done func(), err error) {
	if !w.transaction {
		return func() {}, nil
	}
	l, err := w.acquire(ctx, commitKey, mdl.IntentionExclusive, mdl.Explicit)
	return func() { w.locks.Release(l) }, err
}

// releaseTransaction releases what the transaction has locked, but not what the statement that
// calls a program has.
func (w *work) releaseTransaction() {
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
func (w *work) releaseStatement(ctx *sql.Context) {
	if !w.statement.planned && w.program == nil {
		w.locks.RollbackTo(w.mark)
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

// unlockAll releases everything that the session has locked.
func (w *work) unlockAll() {
	w.unlockTables()
	w.locks.ReleaseTransaction()
	w.locks.ReleaseExplicit(func(mdl.Namespace) bool { return true })
}

// rollBack ends the transaction of a statement that was given up in a deadlock.
func (w *work) rollBack(ctx *sql.Context) {
	session, ok := ctx.Session.(sql.TransactionSession)
	if tx := ctx.GetTransaction(); ok && tx != nil {
		_ = session.Rollback(ctx, tx)
		ctx.SetTransaction(nil)
		ctx.SetIgnoreAutoCommit(false)
		w.endTransaction(false)
	}
}

// lockDefinition locks what the statement defines, changes or calls, which it may do.
func (w *work) lockDefinition(ctx *sql.Context) error {
	o := &w.statement
	s := o.definition
	o.definition = nil
	var err error
	switch s := s.(type) {
	case *ast.Call:
		k := mdl.Key{
			Namespace: mdl.Procedure, Schema: strings.ToLower(orCurrent(ctx, s.ProcName.Qualifier.String())), Name: strings.ToLower(s.ProcName.Name.String()),
		}
		_, err = w.acquire(ctx, k, mdl.Shared, mdl.Transaction)
	case *ast.Show:
		if k := keyOf(ctx, s.Table); k.Name != "" && !own(k) && (s.Type == ast.CreateTableStr || strings.EqualFold(s.Type, "columns") || s.Type == ast.IndexStr) {
			_, err = w.acquire(ctx, k, mdl.SharedHighPrio, mdl.Transaction)
		}
	case *ast.Flush:
		err = w.flush(ctx, s)
	case *ast.DDL, *ast.AlterTable, *ast.DBDDL:
		err = w.define(ctx, s)
	}
	if err != nil {
		o.refused = err
	}
	return err
}

// flush is FLUSH TABLES WITH READ LOCK; other FLUSH statements lock nothing.
func (w *work) flush(ctx *sql.Context, s *ast.Flush) error {
	if s.Option == nil || !s.Option.ReadLock {
		return nil
	}
	if len(s.Option.Tables) > 0 {
		var all []tableLock
		for _, t := range s.Option.Tables {
			all = append(all, tableLock{key: keyOf(ctx, t), name: t.Name.String(), kind: mdl.SharedNoWrite})
		}
		w.unlockTables()
		return w.lockTables(ctx, all)
	}
	if w.globalRead {
		return nil
	}
	if _, err := w.acquire(ctx, globalKey, mdl.Shared, mdl.Explicit); err != nil {
		return err
	}
	if _, err := w.acquire(ctx, commitKey, mdl.Shared, mdl.Explicit); err != nil {
		w.locks.ReleaseOne(globalKey)
		return err
	}
	w.globalRead = true
	return nil
}

// definition is what a statement that defines something locks.
type definition struct {
	schemas []string        // that have to stay
	keys    []mdl.Key       // that nobody else may use
	altered []mdl.Key       // the same, of tables that are read first
	sources []ast.TableName // that are read
}

// define locks what a statement defines.
func (w *work) define(ctx *sql.Context, s ast.Statement) error {
	d := definitionOf(ctx, s)
	if db, ok := s.(*ast.DBDDL); ok && strings.EqualFold(db.Action, ast.DropStr) {
		d.keys = append(d.keys, w.tablesOf(ctx, strings.ToLower(db.DBName))...)
	}
	if len(d.keys)+len(d.altered) == 0 {
		return nil
	}
	if err := w.yieldToFlush(ctx); err != nil {
		return err
	}
	if _, err := w.acquire(ctx, backupKey, mdl.IntentionExclusive, mdl.Transaction); err != nil {
		return err
	}
	slices.Sort(d.schemas)
	for _, name := range slices.Compact(d.schemas) {
		if _, err := w.acquire(ctx, mdl.Key{Namespace: mdl.Schema, Schema: name}, mdl.IntentionExclusive, mdl.Transaction); err != nil {
			return err
		}
	}
	slices.SortFunc(d.keys, func(a, b mdl.Key) int {
		return strings.Compare(string(rune(a.Namespace))+a.Schema+"\x00"+a.Name, string(rune(b.Namespace))+b.Schema+"\x00"+b.Name)
	})
	for _, k := range d.keys {
		if err := context.Cause(ctx); err != nil { // there can be many, none of which is waited for
			return err
		}
		if _, err := w.acquire(ctx, k, mdl.Exclusive, mdl.Transaction); err != nil {
			return err
		}
	}
	for _, k := range d.altered {
		l, err := w.acquire(ctx, k, mdl.SharedUpgradable, mdl.Transaction)
		switch {
		case err != nil:
		case l.Duration() == mdl.Explicit: // of LOCK TABLES, which stays as it is
			_, err = w.acquire(ctx, k, mdl.Exclusive, mdl.Transaction)
		default:
			err = w.locks.Upgrade(ctx, l, mdl.Exclusive, mdl.OwnTimeout)
		}
		if err != nil {
			return err
		}
	}
	for _, t := range d.sources {
		if k := keyOf(ctx, t); !own(k) {
			if _, err := w.acquire(ctx, k, mdl.SharedRead, mdl.Transaction); err != nil {
				return err
			}
		}
	}
	return nil
}

// definitionOf is what a statement that defines something locks; nothing if it may not.
func definitionOf(ctx *sql.Context, s ast.Statement) (d definition) {
	tables := func(to *[]mdl.Key, all ...ast.TableName) {
		for _, t := range all {
			if k := keyOf(ctx, t); k.Schema != "" && !temporary(ctx).has(ctx, k) {
				*to = append(*to, k)
				d.schemas = append(d.schemas, k.Schema)
			}
		}
	}
	named := func(n mdl.Namespace, db, name string) {
		if db = strings.ToLower(orCurrent(ctx, db)); db != "" {
			d.keys = append(d.keys, mdl.Key{Namespace: n, Schema: db, Name: strings.ToLower(name)})
			d.schemas = append(d.schemas, db)
		}
	}
	switch s := s.(type) {
	case *ast.DBDDL:
		if name := strings.ToLower(s.DBName); name != "" {
			d.keys = append(d.keys, mdl.Key{Namespace: mdl.Schema, Schema: name})
		}
	case *ast.AlterTable:
		tables(&d.altered, s.Table)
		for _, c := range s.Statements {
			if strings.EqualFold(c.Action, ast.RenameStr) {
				tables(&d.keys, c.ToTables...)
			}
		}
	case *ast.DDL:
		action := strings.ToLower(s.Action)
		switch {
		case s.ViewSpec != nil:
			tables(&d.keys, s.ViewSpec.ViewName)
		case s.TriggerSpec != nil:
			db := s.TriggerSpec.TrigName.Qualifier.String()
			if db == "" {
				db = s.Table.DbQualifier.String()
			}
			named(mdl.Trigger, db, s.TriggerSpec.TrigName.Name.String())
			if action == ast.CreateStr {
				tables(&d.altered, s.Table)
			}
		case s.ProcedureSpec != nil:
			named(mdl.Procedure, s.ProcedureSpec.ProcName.Qualifier.String(), s.ProcedureSpec.ProcName.Name.String())
		case s.EventSpec != nil:
			named(mdl.Event, s.EventSpec.EventName.Qualifier.String(), s.EventSpec.EventName.Name.String())
		case s.Authentication != nil, s.User.Name != "":
		case len(s.FromViews) > 0:
			tables(&d.keys, s.FromViews...)
		case action == ast.DropStr:
			tables(&d.keys, s.FromTables...)
		case action == ast.RenameStr:
			tables(&d.keys, s.FromTables...)
			tables(&d.keys, s.ToTables...)
		case action == ast.TruncateStr, action == ast.CreateStr:
			tables(&d.keys, s.Table)
			if s.OptLike != nil {
				d.sources = s.OptLike.LikeTables
			}
		default:
			tables(&d.altered, s.Table)
		}
	}
	return d
}

// runner carries out the statements of stored programs, with their locks.
type runner struct {
	sql.StatementRunner
	work *work
}

// QueryWithBindings implements sql.StatementRunner.
func (r runner) QueryWithBindings(ctx *sql.Context, query string, s ast.Statement, bindings map[string]ast.Expr, flags *sql.QueryFlags) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	if err := r.work.before(ctx, s); err != nil {
		return nil, nil, nil, err
	}
	if show, ok := s.(*ast.Show); ok {
		if u := compat.ShowConditions(show); u != nil {
			s = ast.InjectedStatement{Statement: unparsed{Statement: u}}
		}
	}
	if e, ok := s.(*ast.Execute); ok {
		var err error
		if query, s, bindings, err = r.work.execution(ctx, e); err != nil {
			return nil, nil, nil, err
		}
	}
	r.work.diagnostics.collect(ctx) // the SQL engine forgets them
	back, err := inNamed(ctx, s)
	if err != nil {
		return nil, nil, nil, err
	}
	defer back()
	schema, rows, flags, err := r.StatementRunner.QueryWithBindings(ctx, query, s, bindings, flags)
	return gmsplan.SchemaOf(schema), rows, flags, err
}
