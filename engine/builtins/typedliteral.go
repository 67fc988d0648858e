package builtins

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
	"pfsd/engine/syntax"
)

// TypedLiterals returns the function that replaces literals of dates and times in a syntax tree.
//
// go-mysql-server: takes DATE, TIME and TIMESTAMP before a text for functions, or for columns.
// MySQL: the word and the text are a literal.
func TypedLiterals() map[string]sql.Function {
	return map[string]sql.Function{syntax.TypedLiteral: sql.Function2{Name: syntax.TypedLiteral, Fn: newTypedLiteral}}
}

// newTypedLiteral returns an expression whose value is a DATE, a TIME or a DATETIME. If text is
// none, the evaluation returns error 1525.
func newTypedLiteral(_ *sql.Context, kind, text sql.Expression) sql.Expression {
	word, s := UnitText(kind), UnitText(text)
	var m sqlvalue.Moment
	var ok, whole bool
	if word == "TIME" {
		m, ok, whole = sqlvalue.ParseTime(s)
	} else {
		m, ok, whole = sqlvalue.ParseDate(s)
		ok = ok && (m.HasMonthAndDay() || m.IsZero()) && m.HasTime == (word != "DATE")
	}
	var value any
	var t sql.Type
	switch word {
	case "TIME":
		t, value = sqlvalue.NewTime(m.Digits), types.Timespan(m.Micros)
	case "DATE":
		t, value = types.Date, m.GoTime()
	default:
		t, value, word = sqlvalue.DatetimeType(m.Digits), m.GoTime(), "DATETIME"
	}
	d := &sqlexpr.Definition{Name: word, Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(t), Value: func(*sql.Context, *sqlexpr.Call, []any) (any, error) {
		if !ok || !whole {
			return nil, mysql.NewSQLError(1525, "HY000", "Incorrect %s value: '%s'", word, s)
		}
		return value, nil
	}, Written: func(*sqlexpr.Call) string {
		return UnitText(kind) + expression.NewLiteral(s, types.LongText).String()
	}}
	return &sqlexpr.Call{Definition: d, Args: []sql.Expression{text}}
}

// UnitText returns the text of a literal, such as a unit. It returns "" if e is no text literal.
func UnitText(e sql.Expression) string {
	if l, ok := e.(*expression.Literal); ok {
		if s, ok := l.Value().(string); ok {
			return s
		}
	}
	return ""
}
