package connection

import (
	"context"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/budget"
	"pfsd/engine/diagnostics"
	"pfsd/engine/functions"
	"pfsd/engine/mdl"
	"pfsd/engine/parsing"
	"pfsd/engine/prepared"
	"pfsd/engine/processlist"
	"pfsd/engine/profiling"
	"pfsd/engine/programs"
	"pfsd/engine/rights"
	"pfsd/engine/routine"
	"pfsd/engine/serverfiles"
	"pfsd/engine/session"
	"pfsd/engine/sysschema"
	"pfsd/engine/sysvar"
	"pfsd/engine/userlocks"
	"pfsd/engine/usertables"
	"pfsd/engine/uservars"
	"pfsd/engine/vtable"
	"pfsd/instr"
)

// processes is the process list in the context of a connection's statements. The functions that they call find the connection's Work
// through it.
type processes struct {
	*processlist.List
	work *Work
}

// What the packages below ask of the session of a statement.
var (
	_ access.Session      = (*processes)(nil)
	_ diagnostics.Session = (*processes)(nil)
	_ functions.Session   = (*processes)(nil)
	_ parsing.Session     = (*processes)(nil)
	_ prepared.Session    = (*processes)(nil)
	_ profiling.Session   = (*processes)(nil)
	_ programs.Host       = (*processes)(nil)
	_ rights.Session      = (*processes)(nil)
	_ serverfiles.Session = (*processes)(nil)
	_ sysschema.Session   = (*processes)(nil)
	_ userlocks.Session   = (*processes)(nil)
	_ uservars.Session    = (*processes)(nil)
)

// processList returns the process list for the context of the statements of w.
func (h *Handler) processList(w *Work) sql.ProcessList { return &processes{h.Clients, w} }

// Tree is the statement that runs, nil if it cannot be parsed.
func (p *processes) Tree() ast.Statement { return p.work.Current.tree }

// Variables implements an interface of package sysvar.
func (p *processes) Variables() *sysvar.Session { return p.work.Variables }

// VariablesHold implements an interface of package sysvar.
func (p *processes) VariablesHold() *budget.Hold {
	if p.work == nil {
		return nil
	}
	return p.work.setHold
}

// Raised implements an interface of package sysvar.
func (p *processes) Raised() (errors, all uint64) {
	return p.work.diagnostics.RaisedBefore()
}

// Counts implements reader.
func (p *processes) Counts() *vtable.Counts { return &p.work.Current.Counts }

// Sorts implements reader.
func (p *processes) Sorts() func() {
	o := &p.work.Current
	return o.stage.Sort(&o.Examined)
}

// Diagnostics implements diagnostics.Session.
func (p *processes) Diagnostics() *diagnostics.Area {
	if p.work == nil {
		return nil
	}
	return &p.work.diagnostics
}

// Profiles implements profiling.Session.
func (p *processes) Profiles() *profiling.Profiles {
	if p.work == nil {
		return nil
	}
	return &p.work.profiles
}

// Writes is the node that writes a table and was built last, nil for none.
func (p *processes) Writes() sql.Node {
	if p.work == nil {
		return nil
	}
	return p.work.programs.Writing
}

// Processes implements sql.ProcessList: without the privilege PROCESS, a user's own alone.
func (p *processes) Processes() []sql.Process {
	all := p.List.Processes()
	if user, only := p.work.Rights.OnlyUser(); only {
		all = slices.DeleteFunc(all, func(q sql.Process) bool { return q.User != user })
	}
	return all
}

// Access implements access.Session.
func (p *processes) Access() *accounts.Access {
	if p.work == nil {
		return nil
	}
	return p.work.Rights.Access()
}

// AccessIn implements access.Session.
func (p *processes) AccessIn(ctx *sql.Context, part ast.AuthInformation) *accounts.Access {
	if p.work == nil {
		return nil
	}
	return p.work.Rights.AccessIn(ctx, part)
}

// Rights implements rights.Session.
func (p *processes) Rights() *rights.Rights {
	if p.work == nil {
		return nil
	}
	return &p.work.Rights
}

// Hides implements rights.Session.
func (p *processes) Hides(ctx *sql.Context, table mdl.Key) bool {
	return p.work != nil && p.work.locks.Hides(ctx, table)
}

// Definer implements access.Session.
func (p *processes) Definer(ctx *sql.Context) *accounts.ID {
	if p.work == nil {
		return nil
	}
	return p.work.Rights.Definer(ctx)
}

// ViewDatabase implements access.Session.
func (p *processes) ViewDatabase(ctx *sql.Context) string {
	if p.work == nil {
		return ""
	}
	return p.work.Rights.ViewDatabase(ctx)
}

// SkipsGrants implements access.Session.
func (p *processes) SkipsGrants() bool { return p.work != nil && p.work.Rights.Skipped }

// Thread implements functions.Session.
func (p *processes) Thread() *instr.Thread { return p.work.Thread }

// Registry implements functions.Session.
func (p *processes) Registry() *instr.Registry { return p.work.reg }

// Sleep implements functions.Session.
func (p *processes) Sleep(ctx *sql.Context, do func(*sql.Context) (any, error)) (value any, interrupted bool, err error) {
	defer p.wait(p.work.Stages.UserSleep)()
	w := p.work
	if w.list == nil || w.programs.Running() || !onlySleeps(w.Current.tree) {
		value, err = do(ctx)
		return value, false, err
	}
	if w.Current.woken {
		return nil, true, nil
	}
	sleeping, wake := context.WithCancel(ctx.Context)
	defer wake()
	w.list.Sleeps(&w.Client.Listed, wake)
	value, err = do(ctx.WithContext(sleeping))
	w.list.Sleeps(&w.Client.Listed, nil)
	w.Current.woken = sleeping.Err() != nil && ctx.Err() == nil
	return value, w.Current.woken, err
}

// wakeSleep interrupts the SLEEP of a statement that goes on then, and reports false if there is none.
func (w *Work) wakeSleep() bool { return w.list != nil && w.list.Wake(&w.Client.Listed) }

// onlySleeps tells whether a statement reads no table, so that all that can take long in it is SLEEP.
func onlySleeps(s ast.Statement) bool {
	q, ok := s.(*ast.Select)
	if !ok || q.With != nil || q.Into != nil {
		return false
	}
	only := true
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Subquery:
			only = false
		case *ast.AliasedTableExpr:
			t, ok := n.Expr.(ast.TableName)
			only = only && ok && t.Name.String() == "dual"
		}
		return only, nil
	}, q)
	return only
}

// wait begins a stage in which the statement waits, and needs no processor time, until done is called.
func (p *processes) wait(stage *instr.StageClass) (done func()) {
	w := p.work
	goOn := w.Processor.Wait()
	w.Thread.StartStage(stage)
	return func() {
		goOn()
		w.Current.stage.GoOn()
	}
}

// SetUser implements sysschema.Session.
func (p *processes) SetUser(ctx *sql.Context, name string, value any, kind sql.Type) error {
	return p.work.vars.Set(ctx, name, value, kind)
}

// FileClasses implements serverfiles.Session.
func (p *processes) FileClasses() serverfiles.Classes {
	if p.work == nil {
		return serverfiles.Classes{}
	}
	return p.work.files
}

// MetadataLocks implements userlocks.Session.
func (p *processes) MetadataLocks() (*session.Locks, *mdl.Manager) {
	if p.work == nil {
		return nil, nil
	}
	return &p.work.locks, p.work.Names
}

// WaitForUserLock implements userlocks.Session.
func (p *processes) WaitForUserLock() (done func()) { return p.wait(p.work.Stages.UserLock) }

// UserVariables implements uservars.Session.
func (p *processes) UserVariables() *uservars.Variables {
	if p.work == nil {
		return nil
	}
	return &p.work.vars
}

// CountWrite implements sysschema.Session.
func (p *processes) CountWrite(op instr.TableOp) {
	what := map[instr.TableOp]int{instr.TableInsert: vtable.HandlerWrite, instr.TableUpdate: vtable.HandlerUpdate, instr.TableDelete: vtable.HandlerDelete}[op]
	p.work.Current.Add(what, 1)
}

// UserTables are the tables of users, as the connection uses them; nil without a connection.
func (p *processes) UserTables() *usertables.Session {
	if p.work == nil {
		return nil
	}
	return p.work.users
}

// Prepared implements prepared.Session.
func (p *processes) Prepared() *prepared.Statements {
	if p.work == nil {
		return nil
	}
	return &p.work.Preparations
}

// Programs implements programs.Host.
func (p *processes) Programs() *programs.Session { return &p.work.programs }

// CallFunction implements routine.FunctionCaller.
func (p *processes) CallFunction(ctx *sql.Context, c *routine.FunctionCall, args []any) (any, error) {
	return p.work.programs.CallFunction(ctx, c, args)
}

// workOf returns the Work of ctx; nil if it has none.
func workOf(ctx *sql.Context) *Work {
	if p, ok := ctx.ProcessList.(*processes); ok {
		return p.work
	}
	return nil
}

// ReadsView implements parsing.Session.
func (p *processes) ReadsView(ctx context.Context, s ast.Statement) error {
	if p.work == nil {
		return nil
	}
	p.work.plans.ReadsView(s)
	return p.work.noteView(ctx, s)
}

// Run implements parsing.Session.
func (p *processes) Run(ctx *sql.Context, s ast.Statement) (sql.RowIter, error) {
	_, rows, _, err := runner{p.work.Runner, p.work}.QueryWithBindings(ctx, "", s, nil, nil)
	return rows, err
}

// LockInstance implements parsing.Session.
func (p *processes) LockInstance(ctx *sql.Context) error { return p.work.locks.LockInstance(ctx) }

// UnlockInstance implements parsing.Session.
func (p *processes) UnlockInstance() { p.work.locks.UnlockInstance() }

// ShutDown implements parsing.Session.
func (p *processes) ShutDown() {
	if c := p.work.Client; c != nil {
		c.Wire.LastCommand.Store(true)
		p.work.Shutdown(c.Listed.User())
	}
}

// Pace charges n rows of work, after which the statement may have to wait for processor time. sqlvalue.Pace calls it.
func (p *processes) Pace(n uint) error {
	if p.work == nil {
		return nil
	}
	return p.work.Processor.Row(n)
}
