package sqlexpr

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"pfsd/engine/mends"
	"pfsd/engine/sqlvalue"
)

// comparedConstant returns the constant l as it is compared with a column of type t: as the year or
// the date that it becomes in the column. It returns nil if l stays as it is.
//
// go-mysql-server: 24 is not the year 2024, nor 240101 the date 2024-01-01, and '24-1-1' is an
// error. MySQL: converts the constant to the type of the column before it compares.
func comparedConstant(ctx *sql.Context, t sql.Type, l *expression.Literal) *expression.Literal {
	if !types.IsYear(t) && !types.IsTime(t) || !mends.ComparedConstants.On() {
		return nil
	}
	v := l.Value()
	switch {
	case v == nil:
		return nil
	case types.IsYear(t):
		return comparedYear(ctx, l)
	}
	if text, ok := v.(string); ok {
		m, ok, whole := sqlvalue.ParseDate(text)
		if !ok || !whole || !m.HasMonthAndDay() || canonicalDate(text) {
			return nil
		}
		if same := m.Text(); same != text {
			return expression.NewLiteral(same, l.Typ)
		}
		return nil
	}
	if !types.IsNumber(l.Typ) && !types.IsDecimal(l.Typ) {
		return nil
	}
	n, err := sqlvalue.NumberOf(ctx, l.Typ, v)
	if err != nil || n.Kind == sqlvalue.Approximate || n.IsNegative() || n.IsZero() {
		return nil
	}
	m, ok, err := sqlvalue.MomentIn(ctx, l.Typ, v, false)
	if !ok || err != nil || !m.HasMonthAndDay() {
		return nil
	}
	day := int64(m.Year)*10000 + int64(m.Month)*100 + int64(m.Day)
	if types.IsDateType(t) {
		if m.Micros == 0 {
			return expression.NewLiteral(day, types.Int64)
		}
		return expression.NewLiteral(decimal.New(day*10+5, -1), sqlvalue.DecimalType(9, 1)) // between this day and the next
	}
	at := decimal.NewFromInt(day*1000000 + int64(m.Hour())*10000 + int64(m.Minute())*100 + int64(m.Second()))
	if us := int64(m.Micro()); us != 0 {
		return expression.NewLiteral(at.Add(decimal.New(us, -6)), sqlvalue.DecimalType(20, 6))
	}
	return expression.NewLiteral(at.IntPart(), types.Int64)
}

// canonicalDate reports whether text begins as MySQL writes a date.
func canonicalDate(text string) bool {
	return len(text) >= len("2006-01-02") && text[4] == '-' && text[7] == '-' && sqlvalue.IsDigit(text[0]) && sqlvalue.IsDigit(text[9])
}

// comparedYear returns a constant of at most two digits as the year of four digits; nil if it is
// another constant.
func comparedYear(ctx *sql.Context, l *expression.Literal) *expression.Literal {
	n := int64(0)
	text, isText := l.Value().(string)
	switch {
	case isText:
		text = strings.Trim(text, sqlvalue.Blanks)
		if len(text) < 1 || len(text) > 2 || strings.Trim(text, "0123456789") != "" {
			return nil
		}
		for _, c := range []byte(text) {
			n = n*10 + int64(c-'0')
		}
	case types.IsNumber(l.Typ) || types.IsDecimal(l.Typ):
		number, err := sqlvalue.NumberOf(ctx, l.Typ, l.Value())
		whole, ok := number.Rounded()
		if err != nil || !ok || number.IsNegative() || whole.Size == 0 || whole.Size > 99 || sqlvalue.DecimalNumber(number.Exactly()).Compare(whole) != 0 {
			return nil
		}
		n = int64(whole.Size)
	default:
		return nil
	}
	return expression.NewLiteral(int64(sqlvalue.Century(int(n))), types.Int64)
}
