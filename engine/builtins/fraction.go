package builtins

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// FractionOfNumber returns how many digits behind the point a time has that is made of the number
// e. For a text, these are six.
func FractionOfNumber(ctx *sql.Context, e sql.Expression) int {
	if types.IsText(e.Type(ctx)) {
		return sqlvalue.MaxMicro
	}
	return FractionOf(ctx, e)
}

// FractionOf returns how many digits behind the point a time has that is made of a value of e.
func FractionOf(ctx *sql.Context, e sql.Expression) int {
	if a, ok := e.(*expression.Alias); ok {
		e = a.Child
	}
	switch t := e.Type(ctx).(type) {
	case *sqlvalue.Time:
		return t.Digits()
	case sql.DatetimeType:
		if t.Type() == querypb.Type_DATE {
			return 0
		}
		return t.Precision()
	case sql.StringType:
		l, ok := e.(*expression.Literal)
		if !ok {
			return sqlvalue.MaxMicro
		}
		s, _ := l.Value().(string)
		if m, ok, _ := sqlvalue.ParseTime(s); ok {
			return m.Digits
		}
		if m, ok, _ := sqlvalue.ParseDate(s); ok {
			return m.Digits
		}
		return 0
	default:
		if types.IsNull(ctx, e) {
			return 0
		}
		if sqlvalue.IsTimespan(t) {
			return sqlexpr.SecondsOf(ctx, e)
		}
	}
	_, fraction, exact := sqlexpr.ExactDigits(ctx, e)
	if !exact {
		return sqlvalue.MaxMicro
	}
	return min(fraction, sqlvalue.MaxMicro)
}
