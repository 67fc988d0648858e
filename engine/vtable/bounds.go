package vtable

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/moment"
	"pfsd/engine/sqlexpr"
	"pfsd/tables"
)

// momentBounds returns the bounds that e sets to a TIMESTAMP column, such as SAMPLE_TIME >= NOW() - INTERVAL 5 MINUTE: a
// table that has its rows by time reads fewer. They are wider than e, if at all: the rows are tested again.
func momentBounds(ctx *sql.Context, t *Table, cols []int, e sql.Expression) (key tables.Key) {
	add := func(column, limit sql.Expression, b tables.Bound) {
		f, ok := column.(*expression.GetField)
		if !ok || f.Index() >= len(cols) {
			return
		}
		def := t.Def.Columns()[cols[f.Index()]]
		if def.Kind.Type != tables.TypeTimestamp {
			return
		}
		if at, ok := constantMoment(ctx, limit); ok {
			key = append(key, tables.Eq{Column: def.Name, Value: tables.Time(widened(at, moment.Zone(ctx), b)), Bound: b})
		}
	}
	if b, ok := e.(*expression.Between); ok {
		add(b.Val, b.Lower, tables.AtLeast)
		add(b.Val, b.Upper, tables.AtMost)
		return key
	}
	sides, holds := sqlexpr.Comparison(e)
	if sides == nil {
		return nil
	}
	if !holds(-1) { // the left side is not less
		add(sides.Left(), sides.Right(), tables.AtLeast)
		add(sides.Right(), sides.Left(), tables.AtMost)
	}
	if !holds(1) {
		add(sides.Left(), sides.Right(), tables.AtMost)
		add(sides.Right(), sides.Left(), tables.AtLeast)
	}
	return key
}

// widened is a moment of a session's clock, moved away from the window: by what rounding may change, and by the hour that a
// clock is set back where it is.
func widened(wall time.Time, zone *time.Location, b tables.Bound) time.Time {
	by := time.Second
	if zone != time.UTC {
		by += time.Hour
	}
	if b == tables.AtLeast {
		by = -by
	}
	return moment.Instant(wall, zone).Add(by)
}

// momentFunctions are the functions that only make a moment of their arguments and the time of the statement.
var momentFunctions = map[string]bool{
	"now": true, "current_timestamp": true, "localtime": true, "localtimestamp": true, "utc_timestamp": true, "from_unixtime": true, "timestamp": true,
	"date_add": true, "date_sub": true, "adddate": true, "subdate": true,
}

// constantMoment evaluates an expression of literals, variables of a procedure and functions of moments. It reports false for any other, and where
// the value is not a moment.
func constantMoment(ctx *sql.Context, e sql.Expression) (at time.Time, ok bool) {
	ok = true
	transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.Literal, *expression.Interval, *expression.Arithmetic, *expression.ProcedureParam:
		case sql.FunctionExpression:
			ok = ok && momentFunctions[strings.ToLower(e.FunctionName())]
		default:
			ok = false
		}
		return !ok
	})
	if !ok {
		return at, false
	}
	v, err := e.Eval(ctx, nil)
	if err != nil {
		return at, false
	}
	switch v.(type) {
	case string, time.Time:
	default:
		return at, false // numbers have rules of their own
	}
	converted, _, err := types.DatetimeMaxPrecision.Convert(ctx, v)
	if err != nil {
		return at, false
	}
	at, ok = converted.(time.Time)
	return at, ok && !at.IsZero() && at.Year() > 1
}
