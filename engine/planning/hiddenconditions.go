package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// withHidden applies a rule of go-mysql-server to n, of which the rule does not see what hide hides.
func withHidden(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags,
	rule analyzer.RuleFunc, hide func(*sql.Context, sql.Node) (sql.Node, transform.TreeIdentity, error),
) (sql.Node, transform.TreeIdentity, error) {
	hidden, same, err := hide(ctx, n)
	if err != nil {
		return n, transform.SameTree, err
	}
	if same == transform.SameTree {
		return rule(ctx, a, n, scope, sel, flags)
	}
	changed, same, err := rule(ctx, a, hidden, scope, sel, flags)
	if err != nil || same == transform.SameTree {
		return n, transform.SameTree, err
	}
	changed, err = showHidden(ctx, changed)
	return changed, transform.NewTree, err
}

// hideConditions returns n with conditions on the rows of its nodes that hide has replaced. hide gets the conditions, and the node that they
// are about, and reports whether it has replaced one.
func hideConditions(ctx *sql.Context, n sql.Node, hide func(ctx *sql.Context, child sql.Node, conditions []sql.Expression) (bool, error)) (sql.Node, transform.TreeIdentity, error) {
	return transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		f, ok := n.(*plan.Filter)
		if !ok {
			return n, transform.SameTree, nil
		}
		conditions := append([]sql.Expression(nil), expression.SplitConjunction(ctx, f.Expression)...)
		hidden, err := hide(ctx, f.Child, conditions)
		if err != nil || !hidden {
			return n, transform.SameTree, err
		}
		return plan.NewFilter(expression.JoinAnd(conditions...), f.Child), transform.NewTree, nil
	})
}

// hiddenCondition is a condition that a rule does not see. Safe for concurrent use.
type hiddenCondition struct {
	expression.UnaryExpressionStub
}

// Eval implements sql.Expression.
func (h *hiddenCondition) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	return h.Child.Eval(ctx, row)
}

// Type implements sql.Expression.
func (h *hiddenCondition) Type(ctx *sql.Context) sql.Type { return h.Child.Type(ctx) }

// String implements sql.Expression.
func (h *hiddenCondition) String() string { return h.Child.String() }

// WithChildren implements sql.Expression.
func (h *hiddenCondition) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(h, len(children), 1)
	}
	return &hiddenCondition{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// showHidden shows what hideConditions has hidden.
func showHidden(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	shown, _, err := transform.NodeExprs(ctx, n, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		switch e := e.(type) {
		case *hiddenCondition:
			return e.Child, transform.NewTree, nil
		case *plan.Subquery:
			query, err := showHidden(ctx, e.Query)
			if err != nil {
				return e, transform.SameTree, err
			}
			if query != e.Query {
				return e.WithQuery(query), transform.NewTree, nil
			}
		}
		return e, transform.SameTree, nil
	})
	return shown, err
}
