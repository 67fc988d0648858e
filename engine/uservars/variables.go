package uservars

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/budget"
	"pfsd/engine/secrets"
	"pfsd/engine/sqlvalue"
	"pfsd/instr"
)

// Variables are the user variables of a connection, as far as others see them and their memory is charged; the session has their
// values. Owned by the connection's goroutine.
type Variables struct {
	thread   *instr.Thread
	memory   *Memory        // nil if nothing is counted
	hold     *budget.Hold   // of the connection's account; nil if nothing is charged
	assigned []string       // that the statement sets
	bytes    map[string]int // of the values, by name in lower case
	charged  map[string]int64
}

// Memory are the instruments of the memory of user variables. Safe for concurrent use.
type Memory struct {
	Variable, Value *instr.MemoryClass
}

// New returns the user variables of a connection, whose thread this is; there is none yet. What they take is counted by memory and
// charged to hold, unless these are nil.
func New(thread *instr.Thread, memory *Memory, hold *budget.Hold) Variables {
	return Variables{thread: thread, memory: memory, hold: hold}
}

// Session is whose statement it is, as its process list has it. Owned by the connection's goroutine.
type Session interface {
	// UserVariables are the connection's, nil if it is nobody's.
	UserVariables() *Variables
}

// of are the user variables of the connection that ctx belongs to, nil if it belongs to none.
func of(ctx *sql.Context) *Variables {
	if s, ok := ctx.ProcessList.(Session); ok {
		return s.UserVariables()
	}
	return nil
}

// Note notes which user variables a node sets. The SQL engine lists them to nobody, and
// keeps their names in lower case. The error is that one cannot have its name.
func (u *Variables) Note(n sql.Node) error {
	var targets []sql.Expression
	switch n := n.(type) {
	case *plan.Set:
		targets = n.Exprs
	case *plan.Into:
		targets = n.IntoVars
	case *plan.Call:
		targets = n.Params
	case *plan.LoadData:
		targets = n.UserVars
	}
	for _, e := range targets {
		if set, ok := e.(*expression.SetField); ok {
			e = set.LeftChild
		}
		if v, ok := e.(*expression.UserVar); ok {
			if err := checkName(v.Name); err != nil {
				return err
			}
			u.assignTo(v.Name)
		}
	}
	return nil
}

// Set sets a user variable.
func (u *Variables) Set(ctx *sql.Context, name string, value any, kind sql.Type) error {
	if err := checkName(name); err != nil {
		return err
	}
	value, kind = widened(ctx, value, kind)
	if err := u.charge(strings.ToLower(name), value); err != nil {
		return err
	}
	u.assignTo(name)
	return ctx.SetUserVariable(ctx, name, value, kind)
}

// ChargedSet is a SET in which the values of user variables are charged before these have them.
func (u *Variables) ChargedSet(n *plan.Set) *plan.Set {
	var all []sql.Expression
	for i, e := range n.Exprs {
		if set, ok := e.(*expression.SetField); ok {
			if v, ok := set.LeftChild.(*expression.UserVar); ok {
				if all == nil {
					all = slices.Clone(n.Exprs)
				}
				all[i] = expression.NewSetField(set.LeftChild, &assignedValue{set.RightChild, u, strings.ToLower(v.Name)})
			}
		}
	}
	if all == nil {
		return n
	}
	return plan.NewSet(all)
}

// assignedValue is what a user variable is set to. Owned by one goroutine.
type assignedValue struct {
	sql.Expression
	variables *Variables
	name      string
}

// Eval implements sql.Expression.
func (a *assignedValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := a.Expression.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	return v, a.variables.charge(a.name, v)
}

// ChargeAssigned charges the user variables that the SQL engine has set by itself. One that is too much is NULL again.
func (u *Variables) ChargeAssigned(ctx *sql.Context) error {
	for _, name := range u.assigned {
		kind, v, err := ctx.GetUserVariable(ctx, name)
		if err != nil || kind == nil {
			continue
		}
		if err := u.charge(strings.ToLower(name), v); err != nil {
			_ = ctx.SetUserVariable(ctx, name, nil, kind) // which fails never
			_ = u.charge(strings.ToLower(name), nil)      // which asks for less
			return err
		}
	}
	return nil
}

// widened is a value as a user variable keeps it: integers are BIGINT, and FLOAT is DOUBLE. The SQL engine keeps the type that the
// value has, and a later one in the same statement would be clipped to it.
func widened(ctx *sql.Context, value any, kind sql.Type) (any, sql.Type) {
	var to sql.Type
	switch {
	case types.IsUnsigned(kind):
		to = types.Uint64
	case types.IsSigned(kind):
		to = types.Int64
	case types.IsFloat(kind):
		to = types.Float64
	default:
		return value, kind
	}
	v, _, err := to.Convert(ctx, value)
	if err != nil {
		return value, kind
	}
	return v, to
}

func (u *Variables) assignTo(name string) {
	if !slices.Contains(u.assigned, name) {
		u.assigned = append(u.assigned, name)
	}
}

// Publish shows the values of the user variables that the statement has set, and has them kept as others are.
func (u *Variables) Publish(ctx *sql.Context) {
	for _, name := range u.assigned {
		if typ, v, err := ctx.GetUserVariable(ctx, name); err == nil && typ != nil {
			v, typ = widened(ctx, v, typ)
			_ = ctx.SetUserVariable(ctx, name, v, typ) // which fails never
			text := sqlvalue.ShownText(ctx, typ, v)
			u.thread.SetUserVariable(name, secrets.HideParsed(text))
			if u.memory != nil {
				u.count(strings.ToLower(name), len(text))
			}
		}
	}
	u.assigned = u.assigned[:0]
}
