package vtable

import (
	"math"
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
	limits, _ := momentLimits(ctx, t, cols, e)
	for _, l := range limits {
		key = append(key, tables.Eq{Column: t.Def.Columns()[l.col].Name, Value: tables.Time(l.at.Add(-l.unsure)), Bound: l.bound})
	}
	return key
}

// momentLimit is a constant to which a comparison holds a TIMESTAMP column. A moment that is further than unsure from it,
// to the side that bound allows, meets the comparison, and one that is as far on the other side does not.
type momentLimit struct {
	col    int // position in the declaration
	at     time.Time
	unsure time.Duration // negative if bound is AtMost
	bound  tables.Bound
}

// momentLimits returns the limits that e sets. whole reports whether they are all of e: a moment that is sure to meet them meets e, and
// there is no other side that is not a constant.
func momentLimits(ctx *sql.Context, t *Table, cols []int, e sql.Expression) (limits []momentLimit, whole bool) {
	asked := 0
	add := func(column, limit sql.Expression, b tables.Bound) {
		f, ok := column.(*expression.GetField)
		if !ok || f.Index() >= len(cols) || t.Def.Columns()[cols[f.Index()]].Kind.Type != tables.TypeTimestamp {
			return
		}
		asked++
		if at, ok := constantMoment(ctx, limit); ok {
			zone := moment.Zone(ctx)
			instant := moment.Instant(at, zone)
			limits = append(limits, momentLimit{cols[f.Index()], instant, unsure(instant, zone, b), b})
		}
	}
	if b, ok := e.(*expression.Between); ok {
		add(b.Val, b.Lower, tables.AtLeast)
		add(b.Val, b.Upper, tables.AtMost)
	} else if sides, holds := sqlexpr.Comparison(e); sides != nil {
		if !holds(-1) { // the left side is not less
			add(sides.Left(), sides.Right(), tables.AtLeast)
			add(sides.Right(), sides.Left(), tables.AtMost)
		}
		if !holds(1) {
			add(sides.Left(), sides.Right(), tables.AtMost)
			add(sides.Right(), sides.Left(), tables.AtLeast)
		}
	}
	return limits, len(limits) == asked
}

// unsure is how far a moment may be from a limit in a time zone before it is sure on which side of it the session's clock was: by what
// rounding may change, and by what the clock was set within a day. It is negative for an upper limit.
func unsure(limit time.Time, zone *time.Location, b tables.Bound) time.Duration {
	const day = 25 * time.Hour // no clock is set by more
	offset := func(t time.Time) time.Duration {
		_, seconds := t.In(zone).Zone()
		return time.Duration(seconds) * time.Second
	}
	now := offset(limit)
	by := time.Second + max((offset(limit.Add(-day))-now).Abs(), (offset(limit.Add(day))-now).Abs())
	if b == tables.AtMost {
		by = -by
	}
	return by
}

// momentCondition is a comparison of a TIMESTAMP column with constants, which go-mysql-server only tests where the moment is near one of
// them. Owned by one goroutine.
type momentCondition struct {
	from, to int64 // a moment within meets the condition, microseconds since 1970
	col      int   // position in the declaration
	place    int   // among those that the cursor reads
	test     rowCondition
}

// momentCondition converts e; ok is false if e is something else.
func (s *Scan) momentCondition(ctx *sql.Context, e sql.Expression) (c momentCondition, ok bool) {
	limits, whole := momentLimits(ctx, s.Table, s.Cols, e)
	if len(limits) == 0 || !whole {
		return c, false
	}
	c = momentCondition{from: math.MinInt64, to: math.MaxInt64, col: limits[0].col}
	for _, l := range limits {
		if l.col != c.col {
			return c, false
		}
		if sure := l.at.Add(l.unsure).UnixMicro(); l.bound == tables.AtLeast {
			c.from = max(c.from, sure)
		} else {
			c.to = min(c.to, sure)
		}
	}
	c.test, ok = s.rowCondition(ctx, e)
	return c, ok
}

func (c *momentCondition) holds(ctx *sql.Context, s *Scan) (bool, error) {
	if v := s.cursor.Value(c.place); v.IsTime() && c.from <= int64(v.Bits()) && int64(v.Bits()) <= c.to {
		return true, nil
	}
	return c.test.holds(ctx, s)
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
