package plancache

import (
	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/kept"
	"pfsd/engine/rights"
	"pfsd/engine/session"
	"pfsd/engine/sysvar"
	"pfsd/engine/usertables"
	"pfsd/instr"
)

// Session is the state of a connection for the planner. Owned by the connection's goroutine.
type Session struct {
	thread *instr.Thread
	locks  *session.Locks
	users  *usertables.Session
	// variables are the variables of the session. They are nil for a session that is not a
	// client's: its plans are not kept.
	variables *sysvar.Session
	// record records how the statement's plan is made; nil if the plan is not kept.
	record *record
	// shape is the shape of the last text.
	shape kept.Shape
	// clauses are the FOR UPDATE and FOR SHARE of the plan that is executed, if known is true.
	clauses []session.ReadClause
	known   bool
}

// NewSession returns the state for the connection of a thread, with these locks and users' tables.
func NewSession(thread *instr.Thread, locks *session.Locks, users *usertables.Session) Session {
	return Session{thread: thread, locks: locks, users: users}
}

// Use sets the variables of the session.
func (c *Session) Use(v *sysvar.Session) { c.variables = v }

// Begin says that a command begins.
func (c *Session) Begin() { c.record, c.clauses, c.known = nil, nil, false }

// record records how a plan is made, so that the plan can be kept. Owned by one goroutine.
type record struct {
	database   string // the current database of the session
	flags      *sql.QueryFlags
	steps      []Step
	columns    []rights.ColumnUse // that it uses
	node       sql.Node
	unkeepable bool // the plan depends on more than its key
	// trial tells that the plan is only made to compare it with another one: the privileges that it
	// needs are recorded but not checked.
	trial bool
}

// Trial tells whether the plan that is being made is only compared with another one. Then nothing
// is checked for it, and nobody sees its stages.
func (c *Session) Trial() bool { return c.record != nil && c.record.trial }

// Checked says that a privilege is checked while the plan is made.
func (c *Session) Checked(ctx *sql.Context, info ast.AuthInformation) {
	r := c.record
	if r == nil || r.node != nil {
		return
	}
	if ctx.GetCurrentDatabase() != r.database {
		r.unkeepable = true
	}
	if info.AuthType == ast.AuthType_CREATE_VIEW { // go-mysql-server plans a view as if the statement created it
		return
	}
	if set, _ := ctx.Session.GetPrivilegeSet(); set != nil && access.In(ctx, info) != access.Of(ctx) {
		r.unkeepable = true // inside a view, which has the privileges of its definer
	}
	r.steps = append(r.steps, Step{Info: info})
}

// bound is called with the plan of the statement before it is optimised. The error is that the session may not use its columns.
func (c *Session) bound(ctx *sql.Context, n sql.Node) error {
	c.notePlan(ctx, n)
	if r := rights.Of(ctx); r != nil {
		return r.AuthorizeColumns(ctx, n)
	}
	return nil
}

// notePlan notes the columns that a plan uses, if the plan may be kept. The plan has not been optimised.
func (c *Session) notePlan(ctx *sql.Context, n sql.Node) {
	r, of := c.record, rights.Of(ctx)
	if r == nil || of == nil {
		return
	}
	if r.unkeepable = r.unkeepable || of.ReadsByDefiner(); !r.unkeepable {
		r.columns = of.ColumnUses(ctx, n)
	}
}

// EntersStage says that a stage begins while the plan is made. It tells whether the stage should be
// shown.
func (c *Session) EntersStage(stage *instr.StageClass) bool {
	r := c.record
	if r != nil && r.node == nil {
		r.steps = append(r.steps, Step{Stage: stage})
	}
	return !c.Trial()
}

// ReadsView says that the statement reads a view. s is the parsed text of the view's definition.
func (c *Session) ReadsView(s ast.Statement) {
	ddl, ok := s.(*ast.DDL)
	if !ok || ddl.ViewSpec == nil || !repeatable(ddl.ViewSpec.ViewExpr) {
		c.DependsOnMore()
	}
}

// DependsOnMore says that the plan that is being made depends on more than its key, so that it
// cannot be kept.
func (c *Session) DependsOnMore() {
	if c.record != nil {
		c.record.unkeepable = true
	}
}

// Planned says that n is the plan of the statement.
func (c *Session) Planned(ctx *sql.Context, n sql.Node) {
	if r := c.record; r != nil && r.node == nil {
		r.node = n
		r.unkeepable = r.unkeepable || len(ctx.Session.Warnings()) > 0 // making the plan has raised warnings
	}
}

// Clauses returns the FOR UPDATE and FOR SHARE of a statement, or of the kept plan that is executed
// for it.
func (c *Session) Clauses(s ast.Statement) []session.ReadClause {
	if c.known {
		return c.clauses
	}
	return session.ReadClauses(s)
}
