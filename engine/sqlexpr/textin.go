package sqlexpr

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// textIn returns the expression that replaces "text IN (texts)".
//
// go-mysql-server: compares by the collation of the literals in the list. MySQL: compares by the
// collation of the column.
func textIn(ctx *sql.Context, in expression.Comparer) (sql.Expression, transform.TreeIdentity, error) {
	list, ok := in.Right().(expression.Tuple)
	if !ok || len(list) == 0 || !types.IsTextOnly(in.Left().Type(ctx)) {
		return in, transform.SameTree, nil
	}
	if len(list) == 1 {
		return inOnce(in)
	}
	set := &textSet{Comparer: in, keys: map[string]struct{}{}, collation: CommonCollation(ctx, in.Left(), list[0])}
	for _, element := range list {
		literal, ok := element.(*expression.Literal)
		if !ok || literal.Value() != nil && !types.IsTextOnly(literal.Type(ctx)) {
			return inOnce(in)
		}
		if literal.Value() == nil {
			set.null = true
			continue
		}
		key, ok, err := weigh(ctx, literal.Value(), set.collation)
		if err != nil || !ok {
			return in, transform.SameTree, err
		}
		set.keys[string(key)] = struct{}{}
	}
	return set, transform.NewTree, nil
}

// textSet is "text IN (literals)". Safe for concurrent use.
type textSet struct {
	expression.Comparer
	collation sql.CollationID
	keys      map[string]struct{} // the collation weights of the literals
	null      bool                // one of the literals is NULL
}

// Eval implements sql.Expression.
func (s *textSet) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := s.Left().Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	key, ok, err := weigh(ctx, v, s.collation)
	if err != nil || !ok {
		return nil, err
	}
	if _, in := s.keys[string(key)]; in {
		return true, nil
	}
	if s.null {
		return nil, nil
	}
	return false, nil
}

// WithChildren implements sql.Expression.
func (s *textSet) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	in, err := s.Comparer.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	changed := *s
	changed.Comparer = in.(expression.Comparer)
	return &changed, nil
}
