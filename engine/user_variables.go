package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/compat"
	"pfsd/engine/secrets"
)

// assign notes which user variables a node sets. The SQL engine lists them to nobody, and
// keeps their names in lower case.
func (w *work) assign(n sql.Node) {
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
			w.assignTo(v.Name)
		}
	}
}

// setUser sets a user variable.
func (w *work) setUser(ctx *sql.Context, name string, value any, kind sql.Type) error {
	value, kind = widened(ctx, value, kind)
	if err := w.used.charge(strings.ToLower(name), value); err != nil {
		return err
	}
	w.assignTo(name)
	return ctx.SetUserVariable(ctx, name, value, kind)
}

// chargedSet is a SET in which the values of user variables are charged before these have them.
func (w *work) chargedSet(n *plan.Set) *plan.Set {
	var all []sql.Expression
	for i, e := range n.Exprs {
		if set, ok := e.(*expression.SetField); ok {
			if v, ok := set.LeftChild.(*expression.UserVar); ok {
				if all == nil {
					all = slices.Clone(n.Exprs)
				}
				all[i] = expression.NewSetField(set.LeftChild, &assignedValue{set.RightChild, w, strings.ToLower(v.Name)})
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
	work *work
	name string
}

// Eval implements sql.Expression.
func (a *assignedValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := a.Expression.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	return v, a.work.used.charge(a.name, v)
}

// chargeAssigned charges the user variables that the SQL engine has set by itself. One that is too much is NULL again.
func (w *work) chargeAssigned(ctx *sql.Context) error {
	for _, name := range w.assigned {
		kind, v, err := ctx.GetUserVariable(ctx, name)
		if err != nil || kind == nil {
			continue
		}
		if err := w.used.charge(strings.ToLower(name), v); err != nil {
			_ = ctx.SetUserVariable(ctx, name, nil, kind) // which fails never
			_ = w.used.charge(strings.ToLower(name), nil) // which asks for less
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

func (w *work) assignTo(name string) {
	if !slices.Contains(w.assigned, name) {
		w.assigned = append(w.assigned, name)
	}
}

// publish shows the values of the user variables that the statement has set, and has them kept as others are.
func (w *work) publish(ctx *sql.Context) {
	for _, name := range w.assigned {
		if typ, v, err := ctx.GetUserVariable(ctx, name); err == nil && typ != nil {
			v, typ = widened(ctx, v, typ)
			_ = ctx.SetUserVariable(ctx, name, v, typ) // which fails never
			text := compat.ShownText(ctx, typ, v)
			w.thread.SetUserVariable(name, secrets.HideParsed(text))
			if w.used.memories != nil {
				w.used.set(strings.ToLower(name), len(text))
			}
		}
	}
	w.assigned = w.assigned[:0]
}
