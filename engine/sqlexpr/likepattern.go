package sqlexpr

import (
	"sync/atomic"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlvalue"
)

// like is a LIKE that ends with its statement. Safe for concurrent use.
//
// go-mysql-server: takes time that grows with the length of the text times that of the pattern, out of reach of KILL; keeps the first
// pattern if it is no column; panics at ESCAPE ”. MySQL: KILL ends it; without an escape character a pattern has none.
type like struct {
	*expression.Like
	last atomic.Pointer[sqlvalue.LikePattern] // the pattern that was used last
}

// newLike returns a LIKE that is e and ends with its statement.
func newLike(e *expression.Like) sql.Expression { return &like{Like: e} }

// WithChildren implements sql.Expression.
func (l *like) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := l.Like.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return newLike(e.(*expression.Like)), nil
}

// Eval implements sql.Expression.
func (l *like) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	text, ok, err := likeText(ctx, l.LeftChild, row)
	if !ok || err != nil {
		return nil, err
	}
	pattern, ok, err := likeText(ctx, l.RightChild, row)
	if !ok || err != nil {
		return nil, err
	}
	escape := '\\'
	if l.Escape != nil {
		switch e, ok, err := likeText(ctx, l.Escape, row); {
		case err != nil:
			return nil, err
		case !ok:
		case e == "":
			escape = sqlvalue.NoEscape
		case utf8.RuneCountInString(e) > 1:
			return nil, sql.ErrInvalidArgument.New("ESCAPE")
		default:
			escape, _ = utf8.DecodeRuneInString(e)
		}
	}
	p := l.last.Load()
	if p == nil || !p.Is(pattern, escape) {
		collation, _ := l.CollationCoercibility(ctx)
		if p, err = sqlvalue.NewLikePattern(collation, pattern, escape); err != nil {
			return nil, err
		}
		l.last.Store(p)
	}
	matches, err := p.Match(sqlvalue.NewWork(ctx), text)
	if err != nil {
		return nil, err
	}
	return matches, nil
}

// likeText returns the value of an operand as a text. It returns false for NULL.
func likeText(ctx *sql.Context, e sql.Expression, row sql.Row) (string, bool, error) {
	v, err := e.Eval(ctx, row)
	if v == nil || err != nil {
		return "", false, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil {
		return "", false, err
	}
	if s, ok := v.(string); ok {
		return s, true, nil
	}
	s, _, err := types.ConvertToCollatedString(ctx, v, e.Type(ctx))
	return s, err == nil, err
}
