package sqlexpr

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/collations"
	"pfsd/engine/sqlvalue"
)

// mostTimeText is how many bytes of a text are read as a time. The text of a time has fewer.
const mostTimeText = 64

// shortTimeText returns the beginning of a text that can be a time.
func shortTimeText(s string) string {
	s = strings.TrimLeft(s, sqlvalue.Blanks)
	return s[:min(len(s), mostTimeText)]
}

// shortTimes returns the sides of a comparison. If one side is a time and the other one a text, the
// text becomes a shortTime. shortTimes returns false if it changes nothing.
func shortTimes(ctx *sql.Context, left, right sql.Expression) (sql.Expression, sql.Expression, bool) {
	a, b := left.Type(ctx), right.Type(ctx)
	switch {
	case types.IsTime(a) && mayBeLong(right, b):
		return left, &shortTime{expression.UnaryExpressionStub{Child: right}}, true
	case types.IsTime(b) && mayBeLong(left, a):
		return &shortTime{expression.UnaryExpressionStub{Child: left}}, right, true
	}
	return left, right, false
}

// mayBeLong reports whether e can be a text that is longer than the text of a time.
func mayBeLong(e sql.Expression, t sql.Type) bool {
	if l, ok := e.(*expression.Literal); ok {
		text, ok := l.Value().(string)
		return ok && len(text) > mostTimeText
	}
	_, is := e.(*shortTime)
	return types.IsText(t) && !is
}

// shortTime is a text that is compared with a time.
//
// go-mysql-server: needs time that grows with the square of the length of the text. MySQL: reads
// only as many characters as a time can have.
type shortTime struct{ expression.UnaryExpressionStub }

// String implements sql.Expression.
func (s *shortTime) String() string { return s.Child.String() }

// Type implements sql.Expression.
func (s *shortTime) Type(ctx *sql.Context) sql.Type { return s.Child.Type(ctx) }

// CollationCoercibility implements sql.CollationCoercible.
func (s *shortTime) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return collations.CoercibilityOf(ctx, s.Child)
}

// WithChildren implements sql.Expression.
func (s *shortTime) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	return &shortTime{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// Eval implements sql.Expression.
func (s *shortTime) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := s.Child.Eval(ctx, row)
	switch text := v.(type) {
	case string:
		if len(text) > mostTimeText {
			return shortTimeText(text), err
		}
	case []byte:
		if len(text) > mostTimeText {
			return shortTimeText(string(text)), err
		}
	}
	return v, err
}
