package sqlexpr

import (
	"math"
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
	last atomic.Pointer[LikePattern] // the pattern that was used last
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
			escape = noEscape
		case utf8.RuneCountInString(e) > 1:
			return nil, sql.ErrInvalidArgument.New("ESCAPE")
		default:
			escape, _ = utf8.DecodeRuneInString(e)
		}
	}
	p := l.last.Load()
	if p == nil || p.text != pattern || p.escape != escape {
		collation, _ := l.CollationCoercibility(ctx)
		if p, err = NewLikePattern(collation, pattern, escape); err != nil {
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

// A LikePattern is a pattern of LIKE. Safe for concurrent use.
type LikePattern struct {
	text      string
	escape    rune
	collation sql.CollationID
	parts     []int32 // weights of characters, or one of the two below
}

const (
	anyCharacter  int32 = math.MinInt32     // _
	anyCharacters int32 = math.MinInt32 + 1 // %
	noEscape      rune  = -1
)

// NewLikePattern returns a pattern; escape is the character that makes the one after it an ordinary one.
func NewLikePattern(collation sql.CollationID, text string, escape rune) (*LikePattern, error) {
	encoder, weight := collation.CharacterSet().Encoder(), collation.Sorter()
	p := &LikePattern{text: text, escape: escape, collation: collation}
	literal := false
	for i := 0; i < len(text); {
		r, width := encoder.NextRune(text[i:])
		if r == utf8.RuneError {
			return nil, sql.ErrCharSetInvalidString.New(collation.CharacterSet().Name(), text)
		}
		i += width
		switch {
		case literal:
			p.parts, literal = append(p.parts, weight(r)), false
		case r == '_':
			p.parts = append(p.parts, anyCharacter)
		case r == '%':
			if n := len(p.parts); n == 0 || p.parts[n-1] != anyCharacters {
				p.parts = append(p.parts, anyCharacters)
			}
		case r == escape && i < len(text):
			literal = true
		default:
			p.parts = append(p.parts, weight(r))
		}
	}
	return p, nil
}

// Match reports whether a text matches. The error is the reason why the statement of the work must end.
func (p *LikePattern) Match(work *sqlvalue.Work, text string) (bool, error) {
	encoder, weight := p.collation.CharacterSet().Encoder(), p.collation.Sorter()
	at, part := 0, 0     // the next character, and the part that it has to match
	from, after := 0, -1 // where the last % ends so far, and the part after it; -1 if there was none
	for steps := 1; at < len(text); steps++ {
		if steps%matchingSteps == 0 {
			if err := work.Step(matchingSteps); err != nil {
				return false, err
			}
		}
		if part < len(p.parts) && p.parts[part] == anyCharacters {
			part++
			if from, after = at, part; part == len(p.parts) {
				return true, nil
			}
			continue
		}
		r, width := encoder.NextRune(text[at:])
		if r == utf8.RuneError {
			return false, nil
		}
		if part < len(p.parts) && (p.parts[part] == anyCharacter || p.parts[part] == weight(r)) {
			at, part = at+width, part+1
			continue
		}
		if after < 0 {
			return false, nil
		}
		_, width = encoder.NextRune(text[from:])
		from += width
		at, part = from, after
	}
	for part < len(p.parts) && p.parts[part] == anyCharacters {
		part++
	}
	return part == len(p.parts), nil
}

// matchingSteps is how many characters are matched between two calls of Work.Step.
const matchingSteps = 1 << 10
