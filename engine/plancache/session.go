package plancache

import (
	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/kept"
	"pfsd/engine/session"
	"pfsd/engine/sysvar"
	"pfsd/engine/usertables"
	"pfsd/instr"
)

// Session is what the planner knows of a connection. Owned by the connection's goroutine.
type Session struct {
	thread *instr.Thread
	locks  *session.Locks
	users  *usertables.Session
	// variables are the session's; nil of what is no client's, whose plans are not kept.
	variables *sysvar.Session
	// record follows the making of the statement's plan, nil if that is not to be kept.
	record *record
	// shape is that of the text that came last.
	shape kept.Shape
	// clauses are the FOR UPDATE and FOR SHARE of the plan that is carried out, if known is true.
	clauses []session.ReadClause
	known   bool
}

// NewSession returns what the planner knows of the connection of a thread, with these locks and users' tables.
func NewSession(thread *instr.Thread, locks *session.Locks, users *usertables.Session) Session {
	return Session{thread: thread, locks: locks, users: users}
}

// Use notes that these are the variables of the session from now on.
func (c *Session) Use(v *sysvar.Session) { c.variables = v }

// Begin notes that a command begins.
func (c *Session) Begin() { c.record, c.clauses, c.known = nil, nil, false }

// record follows the making of a plan, to keep it. Owned by one goroutine.
type record struct {
	database   string // the session's
	flags      *sql.QueryFlags
	steps      []Step
	node       sql.Node
	unkeepable bool // the plan depends on more than its key
	// trial tells that the plan is only compared with another one: the privileges that its making needs are noted and not checked.
	trial bool
}

// Trial tells whether the plan that is being made is only compared with another one: nothing is to be checked for it, or seen of it.
func (c *Session) Trial() bool { return c.record != nil && c.record.trial }

// Checked notes that the making of a plan checks a privilege.
func (c *Session) Checked(ctx *sql.Context, info ast.AuthInformation) {
	r := c.record
	if r == nil || r.node != nil {
		return
	}
	if ctx.GetCurrentDatabase() != r.database {
		r.unkeepable = true
	}
	if info.AuthType == ast.AuthType_CREATE_VIEW { // go-mysql-server plans a view as if it was created
		return
	}
	if set, _ := ctx.Session.GetPrivilegeSet(); set != nil && access.In(ctx, info) != access.Of(ctx) {
		r.unkeepable = true // in a view, which has the rights of its definer
	}
	r.steps = append(r.steps, Step{Info: info})
}

// EntersStage notes that the making of a plan enters a stage, and tells whether the stage is to be seen.
func (c *Session) EntersStage(stage *instr.StageClass) bool {
	r := c.record
	if r != nil && r.node == nil {
		r.steps = append(r.steps, Step{Stage: stage})
	}
	return !c.Trial()
}

// ReadsView notes the text of a view that the statement reads, as it has been parsed.
func (c *Session) ReadsView(s ast.Statement) {
	ddl, ok := s.(*ast.DDL)
	if !ok || ddl.ViewSpec == nil || !repeatable(ddl.ViewSpec.ViewExpr) {
		c.DependsOnMore()
	}
}

// DependsOnMore notes that the plan that is being made depends on more than its key, so that it cannot be kept.
func (c *Session) DependsOnMore() {
	if c.record != nil {
		c.record.unkeepable = true
	}
}

// Planned notes which plan the statement has.
func (c *Session) Planned(ctx *sql.Context, n sql.Node) {
	if r := c.record; r != nil && r.node == nil {
		r.node = n
		r.unkeepable = r.unkeepable || len(ctx.Session.Warnings()) > 0 // which the making of the plan has raised
	}
}

// Clauses are the FOR UPDATE and FOR SHARE of a statement, of which a kept plan may be carried out.
func (c *Session) Clauses(s ast.Statement) []session.ReadClause {
	if c.known {
		return c.clauses
	}
	return session.ReadClauses(s)
}
