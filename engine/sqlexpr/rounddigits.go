package sqlexpr

import (
	"slices"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
	"pfsd/engine/sqlvalue"
)

// withPlaces gives the DOUBLE columns of a result the number of digits that ROUND, TRUNCATE and PI
// have.
//
// go-mysql-server: shows as few digits as possible. MySQL: ROUND(1.5e0, 3) is 1.500.
func withPlaces(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	p, ok := n.(*plan.Project)
	if !ok {
		return n, transform.SameTree, nil
	}
	var changed []sql.Expression
	for i, e := range p.Projections {
		value := e
		alias, isAlias := e.(*expression.Alias)
		if isAlias {
			value = alias.Child
		}
		places, ok := placesOf(ctx, value)
		if !ok {
			continue
		}
		if changed == nil {
			changed = slices.Clone(p.Projections)
		}
		changed[i] = fixedPlaces{value, sqlvalue.NewDouble(shownDigits+places, places)}
		if isAlias {
			named, err := alias.WithChildren(ctx, changed[i])
			if err != nil {
				return nil, transform.SameTree, err
			}
			changed[i] = named
		}
	}
	if changed == nil {
		return n, transform.SameTree, nil
	}
	n, err := p.WithExpressions(ctx, changed...)
	return n, transform.NewTree, err
}

// shownDigits is the number of digits in front of the point that MySQL reports for a DOUBLE.
const shownDigits = 17

// placesOf returns the number of digits behind the point of the DOUBLE e. It returns false if e is
// no DOUBLE, or has no fixed number of digits.
func placesOf(ctx *sql.Context, e sql.Expression) (int, bool) {
	if !mends.StatedPlaces.On() {
		return 0, false
	}
	switch f := e.(type) {
	case *Call:
		switch f.Name {
		case "pi":
			return sqlvalue.MaxMicro, true
		}
	case *exactFunction:
		if f.name != "round" && f.name != "truncate" || f.Type(ctx) != types.Float64 {
			return 0, false
		}
		if len(f.args) < 2 {
			return 0, true
		}
		l, ok := f.args[1].(*expression.Literal)
		if !ok || !types.IsInteger(l.Typ) {
			return 0, false
		}
		n, ok := sqlvalue.IntegerLiteral(l.Value())
		if n.Negative {
			return 0, ok
		}
		return int(n.Size), ok && n.Size < 31
	}
	return 0, false
}

// appendPlaces appends f, a value of the DOUBLE e, with as many digits behind the point as e has.
func appendPlaces(ctx *sql.Context, to []byte, e sql.Expression, f float64) []byte {
	if places, ok := placesOf(ctx, e); ok {
		return strconv.AppendFloat(to, f, 'f', places, 64)
	}
	return sqlvalue.AppendDouble(to, f)
}

// fixedPlaces is a DOUBLE with a fixed number of digits behind the point.
type fixedPlaces struct {
	sql.Expression
	double *sqlvalue.Double
}

// Type implements sql.Expression.
func (p fixedPlaces) Type(*sql.Context) sql.Type { return p.double }

// Children implements sql.Expression.
func (p fixedPlaces) Children() []sql.Expression { return []sql.Expression{p.Expression} }

// WithChildren implements sql.Expression.
func (p fixedPlaces) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(p, len(children), 1)
	}
	return fixedPlaces{children[0], p.double}, nil
}
