package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/syntax"
)

// typedLiterals is the function that the literals of times are in a tree.
func typedLiterals() map[string]sql.Function {
	return map[string]sql.Function{syntax.TypedLiteral: sql.Function2{Name: syntax.TypedLiteral, Fn: newTypedLiteral}}
}

// newTypedLiteral is a DATE, a TIME or a DATETIME; if its text is none, its value is error 1525.
func newTypedLiteral(_ *sql.Context, kind, text sql.Expression) sql.Expression {
	word, s := unitText(kind), unitText(text)
	var m moment
	var ok, whole bool
	if word == "TIME" {
		m, ok, whole = parseTime(s)
	} else {
		m, ok, whole = parseDate(s)
		ok = ok && (m.whole() || m.isZero()) && m.hasTime == (word != "DATE")
	}
	var value any
	var t sql.Type
	switch word {
	case "TIME":
		t, value = NewTime(m.digits), types.Timespan(m.us)
	case "DATE":
		t, value = types.Date, m.goTime()
	default:
		t, value, word = datetimeType(m.digits), m.goTime(), "DATETIME"
	}
	d := &definition{name: word, least: 1, most: 1, typ: always(t), eval: func(*sql.Context, *call, []any) (any, error) {
		if !ok || !whole {
			return nil, mysql.NewSQLError(1525, "HY000", "Incorrect %s value: '%s'", word, s)
		}
		return value, nil
	}, written: func(*call) string {
		return unitText(kind) + expression.NewLiteral(s, types.LongText).String()
	}}
	return &call{definition: d, args: []sql.Expression{text}}
}
