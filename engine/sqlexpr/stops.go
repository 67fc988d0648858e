package sqlexpr

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"pfsd/engine/collations"
	"pfsd/engine/sqlvalue"
)

// manyArguments is how many arguments a call has at least for each of them to be a point where its statement can be stopped.
const manyArguments = 16

// Stoppable is a function whose calls can be stopped between their arguments if these are many.
type Stoppable struct{ sql.Function }

// NewInstance implements sql.Function.
func (f Stoppable) NewInstance(ctx *sql.Context, args []sql.Expression) (sql.Expression, error) {
	if len(args) >= manyArguments {
		args = withStops(args)
	}
	return f.Function.NewInstance(ctx, args)
}

// withStops returns arguments that are not evaluated when the statement must end.
func withStops(args []sql.Expression) []sql.Expression {
	stops := make([]sql.Expression, len(args))
	for i, a := range args {
		if stops[i] = a; needsStop(a) {
			stops[i] = &stop{a}
		}
	}
	return stops
}

// needsStop reports whether an argument needs a stop: it has none, and its value is not there already.
func needsStop(e sql.Expression) bool {
	switch e.(type) {
	case *stop, *expression.Literal, *expression.Star, *expression.Interval:
		return false
	}
	return true
}

// stop is an argument that is not evaluated when the statement must end. Safe for concurrent use.
type stop struct{ sql.Expression }

var _ sql.CollationCoercible = (*stop)(nil)

// Eval implements sql.Expression.
func (s *stop) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if err := sqlvalue.Ended(ctx); err != nil {
		return nil, err
	}
	return s.Expression.Eval(ctx, row)
}

// Children implements sql.Expression.
func (s *stop) Children() []sql.Expression { return []sql.Expression{s.Expression} }

// WithChildren implements sql.Expression.
func (s *stop) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	return &stop{children[0]}, nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (s *stop) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return collations.CoercibilityOf(ctx, s.Expression)
}
