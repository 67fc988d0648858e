package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// FractionOfNumber returns the number of digits behind the point of the time that the number e is converted to.
func FractionOfNumber(ctx *sql.Context, e sql.Expression) int {
	if types.IsText(e.Type(ctx)) {
		return MaxMicro
	}
	return FractionOf(ctx, e)
}

// FractionOf returns the number of digits behind the point of the time that a value of e is converted to.
func FractionOf(ctx *sql.Context, e sql.Expression) int {
	if a, ok := e.(*expression.Alias); ok {
		e = a.Child
	}
	switch t := e.Type(ctx).(type) {
	case *Time:
		return t.Digits()
	case sql.DatetimeType:
		if t.Type() == querypb.Type_DATE {
			return 0
		}
		return t.Precision()
	case sql.StringType:
		l, ok := e.(*expression.Literal)
		if !ok {
			return MaxMicro
		}
		s, _ := l.Value().(string)
		if m, ok, _ := parseTime(s); ok {
			return m.Digits
		}
		if m, ok, _ := parseDate(s); ok {
			return m.Digits
		}
		return 0
	default:
		if types.IsNull(ctx, e) {
			return 0
		}
		if IsTimespan(t) {
			return MaxMicro
		}
	}
	c := classOf(ctx, e)
	switch c.Kind {
	case exact:
		return min(c.fraction, MaxMicro)
	case Approximate:
		return MaxMicro
	}
	return 0
}
