package connection

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/grammar"
	"pfsd/engine/mdl"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/parsing"
	"pfsd/engine/planning"
	"pfsd/engine/rights"
	"pfsd/engine/routine"
	"pfsd/engine/session"
	"pfsd/engine/statements"
	"pfsd/engine/usertables"
)

// waitingFor enters the stage of a wait for a lock; done leaves it.
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

// lock locks the tables in info, after the privileges for them have been checked. An error is kept in locks.Refused as well, and returned
// when the plan is built: go-mysql-server ignores it if it asks on behalf of a trigger.
func (w *Work) lock(ctx *sql.Context, info ast.AuthInformation) error {
	o := &w.Current
	if o.planned { // it looks at other statements, such as views, to show them
		return nil
	}
	t, changes := mdl.SharedWrite, false
	switch info.AuthType {
	case ast.AuthType_SELECT, rights.SelectInsert:
		if !o.forUpdate {
			t = mdl.SharedRead
		}
	case ast.AuthType_INSERT, ast.AuthType_UPDATE, ast.AuthType_DELETE, ast.AuthType_REPLACE:
		changes = true
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
		if changes && w.programs.InFunction() && w.opened.UsedAround(w.Current.used, k) {
			w.locks.Refused = mysqlerr.InUse(name)
			return w.locks.Refused
		}
		err := w.locks.LockTable(ctx, k, t)
		if err != nil {
			w.locks.Refused = err
			return err
		}
	}
	return nil
}

// beforeStatement is called before a statement is planned. It commits the transaction if the statement does so implicitly, and checks
// privileges and LOCK TABLES.
func (w *Work) beforeStatement(ctx *sql.Context, s ast.Statement) error {
	o := &w.Current
	text := ctx.Query()
	if !w.programs.Running() && w.Rights.Query != "" {
		text = w.Rights.Query
	}
	if e, ok := s.(*ast.Execute); ok {
		s, _ = ctx.Session.GetPreparedQuery(e.Name)
		text = w.Preparations.Text(e.Name)
	}
	o.definition, o.forUpdate = nil, false
	w.Rights.BeginStatement(s)
	if w.programs.Within() && commits(s) {
		return routine.ErrCommits
	}
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
		if commits(s) {
			if err := w.commit(ctx); err != nil {
				return err
			}
		}
		if statements.DefinesFunction(s) {
			w.locks.Begin()
			o.definition = s
		}
	case *ast.Begin, *ast.UnlockTables:
		if !w.locks.Unlockable() {
			break
		}
		// Only these locks protect the tables that the transaction has used.
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

// commits reports whether a statement ends the transaction, or begins one.
func commits(s ast.Statement) bool {
	switch s := s.(type) {
	case *ast.DDL:
		return !s.Temporary
	case *ast.AlterTable, *ast.DBDDL, *ast.LockTables, *ast.UnlockTables, *ast.Flush, *ast.Begin, *ast.Commit, *ast.Rollback:
		return true
	case ast.InjectedStatement:
		_, own := s.Statement.(statements.Definition)
		return own || statements.DefinesFunction(s)
	}
	return false
}

// tablesOf returns the lock keys of the tables of a database.
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

// lockDefinition locks what the statement defines, changes or calls, after the privileges for that have been checked.
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
	case *ast.DDL, *ast.AlterTable, *ast.DBDDL, ast.InjectedStatement:
		err = w.locks.Define(ctx, s, func(db string) []mdl.Key { return w.tablesOf(ctx, db) })
	}
	if err != nil {
		w.locks.Refused = err
	}
	return err
}

// runner executes the statements of stored programs, with their locks.
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
		p, tree, values, err := r.work.Preparations.Executed(ctx, e)
		if err != nil {
			return nil, nil, nil, err
		}
		query, s, bindings = p.Text, tree, values
	}
	r.work.Current.widths = widths{own: s}
	if len(query) > wideText {
		if err := r.work.checkWidths(0); err != nil {
			return nil, nil, nil, err
		}
	}
	r.work.diagnostics.Collect(ctx) // the SQL engine forgets them
	back, err := session.InNamed(ctx, s)
	if err != nil {
		return nil, nil, nil, err
	}
	defer back()
	schema, rows, flags, err := planning.Query(ctx, r.work.Runner, query, s, bindings, flags, r.work.Rights.AuthorizeColumns)
	return gmsplan.SchemaOf(schema), rows, flags, err
}
