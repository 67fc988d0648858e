package mysqlfuncs

import (
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"

	"pfsd/engine/builtins"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// arithmeticFunctions returns the functions that calculate with times.
//
// go-mysql-server: DATE_ADD returns a text, and + INTERVAL a DATETIME for any argument; a number is
// not accepted as a date or a TIME as a time, and fractions of seconds are ignored; TIMESTAMP takes
// only one argument, TIMESTAMPDIFF no TIME, and EXTRACT of a TIME has no hour. MySQL: the type
// depends on the date and the unit, as here.
func arithmeticFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	for name, d := range map[string]*sqlexpr.Definition{"date_add": dateAdd, "adddate": dateAdd, "date_sub": dateSub, "subdate": dateSub} {
		all[name] = sql.FunctionN{Name: name, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
			return newDateAdd(d, name, args)
		}}
	}
	all["timestampadd"] = sql.Function3{Name: "timestampadd", Fn: func(_ *sql.Context, unit, n, date sql.Expression) sql.Expression {
		return &sqlexpr.Call{Definition: dateAdd, Args: []sql.Expression{date, n, unit}}
	}}
	sqlexpr.DefineAll(all,
		&sqlexpr.Definition{Name: "addtime", Least: 2, Most: 2, TypeOf: addTimeType, Value: addTime(1)},
		&sqlexpr.Definition{Name: "subtime", Least: 2, Most: 2, TypeOf: addTimeType, Value: addTime(-1)},
		&sqlexpr.Definition{Name: "timediff", Least: 2, Most: 2, TypeOf: func(ctx *sql.Context, args []sql.Expression) sql.Type {
			return sqlvalue.NewTime(max(builtins.FractionOf(ctx, args[0]), builtins.FractionOf(ctx, args[1])))
		}, Value: timeDiff},
		&sqlexpr.Definition{Name: "timestamp", Least: 1, Most: 2, TypeOf: timestampType, Value: timestamp},
		&sqlexpr.Definition{Name: "datetime", Least: 1, Most: 1, TypeOf: timestampType, Value: timestamp},
		&sqlexpr.Definition{Name: "timestampdiff", Least: 3, Most: 3, TypeOf: sqlexpr.AlwaysType(types.Int64), Value: timestampDiff, Written: func(c *sqlexpr.Call) string {
			return "timestampdiff(" + builtins.UnitText(c.Args[0]) + ", " + c.Args[1].String() + ", " + c.Args[2].String() + ")"
		}},
		&sqlexpr.Definition{Name: "extract", Least: 2, Most: 2, TypeOf: sqlexpr.AlwaysType(types.Int64), Value: extract, Written: func(c *sqlexpr.Call) string {
			return "extract(" + builtins.UnitText(c.Args[0]) + " FROM " + c.Args[1].String() + ")"
		}},
	)
	return all
}

// temporalCall returns the call that replaces a node of the syntax tree with a function of this
// package; nil if the node stays.
func temporalCall(e ast.Expr) ast.Expr {
	argument := func(e ast.Expr) ast.SelectExpr { return &ast.AliasedExpr{Expr: e} }
	unit := func(name string) ast.SelectExpr { return argument(ast.NewStrVal([]byte(unitOf(name)))) }
	switch e := e.(type) {
	case *ast.TimestampFuncExpr:
		return &ast.FuncExpr{Name: ast.NewColIdent(e.Name), Exprs: ast.SelectExprs{unit(e.Unit), argument(e.Expr1), argument(e.Expr2)}}
	case *ast.ExtractFuncExpr:
		return &ast.FuncExpr{Name: ast.NewColIdent("extract"), Exprs: ast.SelectExprs{unit(e.Unit), argument(e.Expr)}}
	case *ast.BinaryExpr:
		name := dateAdd.Name
		switch {
		case e.Operator == ast.MinusStr && sqlexpr.IsInterval(e.Right):
			name = dateSub.Name
		case e.Operator == ast.PlusStr && sqlexpr.IsInterval(e.Right):
		case e.Operator == ast.PlusStr && sqlexpr.IsInterval(e.Left):
			return &ast.FuncExpr{Name: ast.NewColIdent(name), Exprs: ast.SelectExprs{argument(e.Right), argument(e.Left)}}
		default:
			return nil
		}
		return &ast.FuncExpr{Name: ast.NewColIdent(name), Exprs: ast.SelectExprs{argument(e.Left), argument(e.Right)}}
	case *ast.FuncExpr:
		// ODBC's names of units. vitess parses them as columns.
		if name := e.Name.Lowered(); len(e.Exprs) == 3 && (name == "timestampadd" || name == "timestampdiff") {
			a, ok := e.Exprs[0].(*ast.AliasedExpr)
			if !ok {
				return nil
			}
			if column, ok := a.Expr.(*ast.ColName); ok && column.Qualifier.IsEmpty() && isUnit(unitOf(column.Name.String())) {
				e.Exprs[0] = unit(column.Name.String())
			}
		}
	}
	return nil
}

// dateAdd and dateSub are DATE_ADD and DATE_SUB. Their arguments are a date, a number and a unit.
var (
	dateAdd = newDateArithmetic("date_add", 1)
	dateSub = newDateArithmetic("date_sub", -1)
)

func newDateArithmetic(name string, sign int64) *sqlexpr.Definition {
	return &sqlexpr.Definition{Name: name, Least: 3, Most: 3, TypeOf: dateAddType,
		Value: func(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
			return addInterval(ctx, c, args, sign)
		},
		Written: func(c *sqlexpr.Call) string {
			return name + "(" + c.Args[0].String() + ", INTERVAL " + c.Args[1].String() + " " + builtins.UnitText(c.Args[2]) + ")"
		},
	}
}

// newDateAdd returns the call of d for a date and an INTERVAL, or a number of days.
func newDateAdd(d *sqlexpr.Definition, name string, args []sql.Expression) (sql.Expression, error) {
	if len(args) != 2 {
		return nil, sql.ErrInvalidArgumentNumber.New(name, 2, len(args))
	}
	n, unit := args[1], "DAY"
	if i, ok := n.(*expression.Interval); ok {
		n, unit = i.Child, i.Unit
	} else if name == d.Name {
		return nil, sql.ErrInvalidArgumentType.New(name)
	}
	if !isUnit(unit) {
		return nil, sql.ErrInvalidArgumentType.New(name)
	}
	return d.Of([]sql.Expression{args[0], n, expression.NewLiteral(unit, types.LongText)})
}

// dateUnit reports whether a unit is a day or longer.
func dateUnit(unit string) bool {
	switch unit {
	case "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "YEAR_MONTH":
		return true
	}
	return false
}

// clockUnit reports whether a unit is an hour or shorter.
func clockUnit(unit string) bool { return !dateUnit(unit) && !strings.HasPrefix(unit, "DAY_") }

// unitDigits returns the number of digits after the point of an interval.
func unitDigits(ctx *sql.Context, n sql.Expression, unit string) int {
	switch {
	case strings.HasSuffix(unit, "MICROSECOND"):
		return sqlvalue.MaxMicro
	case unit == "SECOND":
		return builtins.FractionOf(ctx, n)
	}
	return 0
}

// intervalText is the type of an interval that is added to a text.
var intervalText = sqlexpr.VarChar(29)

func dateAddType(ctx *sql.Context, args []sql.Expression) sql.Type {
	unit := builtins.UnitText(args[2])
	digits := unitDigits(ctx, args[1], unit)
	switch t := args[0].Type(ctx); {
	case types.IsDateType(t) && dateUnit(unit):
		return types.Date
	case types.IsTime(t):
		return sqlvalue.DatetimeType(max(digits, builtins.FractionOf(ctx, args[0])))
	case sqlvalue.IsTimespan(t) && clockUnit(unit):
		return sqlvalue.NewTime(max(digits, builtins.FractionOf(ctx, args[0])))
	case sqlvalue.IsTimespan(t):
		return sqlvalue.DatetimeType(max(digits, builtins.FractionOf(ctx, args[0])))
	}
	return intervalText
}

// interval is an interval in months and microseconds.
type interval struct{ months, us int64 }

// intervalOf returns a number of units as an interval. ok is false if the interval is longer than
// any time.
func intervalOf(ctx *sql.Context, c *sqlexpr.Call, i int, v any, unit string) (span interval, ok bool, err error) {
	const most = int64(9999) * 366 * 86400 // seconds
	sizes := map[string]int64{"WEEK": 7 * sqlvalue.MicrosPerDay, "DAY": sqlvalue.MicrosPerDay, "HOUR": sqlvalue.MicrosPerHour, "MINUTE": sqlvalue.MicrosPerMinute, "SECOND": sqlvalue.MicrosPerSecond, "MICROSECOND": 1}
	add := func(unit string, n int64) bool {
		switch unit {
		case "YEAR", "QUARTER", "MONTH":
			size := map[string]int64{"YEAR": 12, "QUARTER": 3, "MONTH": 1}[unit]
			if sqlvalue.Abs(n) > 120_000 || n == math.MinInt64 {
				return false
			}
			span.months += n * size
			return true
		}
		size := sizes[unit]
		if size == 0 || n == math.MinInt64 || sqlvalue.Abs(n) > most*sqlvalue.MicrosPerSecond/size {
			return false
		}
		span.us += n * size
		return true
	}
	parts := timeUnits[unit]
	switch {
	case parts == nil && unit == "SECOND":
		n, err := c.Number(ctx, i, v)
		if err != nil {
			return span, false, err
		}
		us := n.Exactly().Shift(sqlvalue.MaxMicro).Truncate(0)
		if us.Abs().GreaterThan(decimal.New(most, sqlvalue.MaxMicro)) {
			return span, false, nil
		}
		span.us = us.IntPart()
		return span, true, nil
	case parts == nil:
		n, err := c.Integer(ctx, i, v)
		return span, err == nil && add(unit, n), err
	}
	text, err := c.Text(ctx, i, v)
	if err != nil {
		return span, false, err
	}
	text = strings.TrimLeft(text, sqlvalue.Blanks)
	negative := strings.HasPrefix(text, "-")
	numbers, last := numbersIn(text)
	if len(numbers) > len(parts) {
		return span, false, nil
	}
	for n, part := range parts[len(parts)-len(numbers):] {
		amount := numbers[n]
		if part == "MICROSECOND" {
			for ; last < sqlvalue.MaxMicro; last++ {
				amount *= 10
			}
		}
		if negative {
			amount = -amount
		}
		if !add(part, amount) {
			return span, false, nil
		}
	}
	return span, true, nil
}

// plus returns m plus an interval; false if the result is out of range.
func plus(m sqlvalue.Moment, span interval) (sqlvalue.Moment, bool) {
	if span.months != 0 {
		months := int64(m.Year)*12 + int64(m.Month) - 1 + span.months
		if months < 0 || months >= 120_000 {
			return m, false
		}
		m.Year, m.Month = int(months/12), int(months%12)+1
		m.Day = min(m.Day, sqlvalue.DaysIn(m.Year, m.Month))
	}
	if span.us == 0 {
		return m, true
	}
	hasTime := m.HasTime
	m, ok := sqlvalue.MomentAt(m.Total()+span.us, m.Digits)
	m.HasTime = hasTime
	return m, ok
}

func addInterval(ctx *sql.Context, c *sqlexpr.Call, args []any, sign int64) (any, error) {
	unit := builtins.UnitText(c.Args[2])
	t := c.Type(ctx)
	span, ok, err := intervalOf(ctx, c, 1, args[1], unit)
	if err != nil {
		return nil, err
	}
	span.months, span.us = span.months*sign, span.us*sign
	m, read, err := sqlvalue.MomentIn(ctx, c.Argument(ctx, 0), args[0], false)
	if !read || err != nil {
		return nil, err
	}
	overflow := func() (any, error) {
		return nil, sqlvalue.Complain(ctx, 1441, "22008", "Datetime function: datetime field overflow")
	}
	if own, isTime := t.(*sqlvalue.Time); isTime {
		if !ok || sqlvalue.Abs(m.Micros+span.us) > sqlvalue.LongestTime {
			return nil, sqlvalue.Complain(ctx, 1441, "22008", "Datetime function: time field overflow")
		}
		m.Micros += span.us
		return sqlvalue.TimeValue(m, own.Digits()), nil
	}
	if !m.HasDate {
		m = m.Dated(ctx)
	}
	if !m.HasMonthAndDay() {
		return nil, sqlvalue.WrongValue(ctx, "datetime", m.Text())
	}
	if !ok {
		return overflow()
	}
	if !dateUnit(unit) {
		m.HasTime = true
	}
	if m, ok = plus(m, span); !ok {
		return overflow()
	}
	if d, ok := t.(sql.DatetimeType); ok {
		return sqlvalue.DatetimeValue(m, d.Precision()), nil
	}
	m.Digits = 0
	if m.Micros%sqlvalue.MicrosPerSecond != 0 {
		m.Digits = sqlvalue.MaxMicro
	}
	return m.Text(), nil
}

func addTimeType(ctx *sql.Context, args []sql.Expression) sql.Type {
	digits := max(builtins.FractionOf(ctx, args[0]), builtins.FractionOf(ctx, args[1]))
	switch t := args[0].Type(ctx); {
	case types.IsTime(t):
		return sqlvalue.DatetimeType(digits)
	case sqlvalue.IsTimespan(t):
		return sqlvalue.NewTime(digits)
	}
	return intervalText
}

func addTime(sign int64) func(*sql.Context, *sqlexpr.Call, []any) (any, error) {
	return func(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
		m, ok, err := sqlvalue.ClockMoment(ctx, c.Argument(ctx, 0), args[0])
		if !ok || err != nil {
			return nil, err
		}
		span, ok, err := sqlvalue.ClockMoment(ctx, c.Argument(ctx, 1), args[1])
		if !ok || err != nil || span.HasDate {
			return nil, err
		}
		t := c.Type(ctx)
		if m.HasDate {
			if !m.HasMonthAndDay() {
				return nil, sqlvalue.WrongValue(ctx, "datetime", m.Text())
			}
			sum, ok := sqlvalue.MomentAt(m.Total()+sign*span.Micros, max(m.Digits, span.Digits))
			if !ok {
				return nil, sqlvalue.Complain(ctx, 1441, "22008", "Datetime function: datetime field overflow")
			}
			if d, ok := t.(sql.DatetimeType); ok {
				return sqlvalue.DatetimeValue(sum, d.Precision()), nil
			}
			return withMicros(sum).Text(), nil
		}
		m.Micros = min(max(m.Micros+sign*span.Micros, -sqlvalue.LongestTime), sqlvalue.LongestTime)
		if own, ok := t.(*sqlvalue.Time); ok {
			return sqlvalue.TimeValue(m, own.Digits()), nil
		}
		return withMicros(m).Text(), nil
	}
}

// withMicros returns m with six digits after the point if it has microseconds, else with none.
func withMicros(m sqlvalue.Moment) sqlvalue.Moment {
	m.Digits = 0
	if m.Micros%sqlvalue.MicrosPerSecond != 0 {
		m.Digits = sqlvalue.MaxMicro
	}
	return m
}

func timeDiff(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	a, ok, err := sqlvalue.ClockMoment(ctx, c.Argument(ctx, 0), args[0])
	if !ok || err != nil {
		return nil, err
	}
	b, ok, err := sqlvalue.ClockMoment(ctx, c.Argument(ctx, 1), args[1])
	if !ok || err != nil || a.HasDate != b.HasDate {
		return nil, err
	}
	us := a.Total() - b.Total()
	if sqlvalue.Abs(us) > sqlvalue.LongestTime {
		if err := sqlvalue.WrongValue(ctx, "time", sqlvalue.TimeText(us, 0)); err != nil {
			return nil, err
		}
	}
	return sqlvalue.TimeValue(sqlvalue.Moment{Micros: us}, c.Type(ctx).(*sqlvalue.Time).Digits()), nil
}

func timestampType(ctx *sql.Context, args []sql.Expression) sql.Type {
	digits := builtins.FractionOf(ctx, args[0])
	if len(args) == 2 {
		digits = max(digits, builtins.FractionOf(ctx, args[1]))
	}
	return sqlvalue.DatetimeType(digits)
}

func timestamp(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	m, ok, err := sqlvalue.MomentIn(ctx, c.Argument(ctx, 0), args[0], false)
	if !ok || err != nil {
		return nil, err
	}
	m = m.Dated(ctx)
	if len(args) == 2 {
		span, ok, err := sqlvalue.MomentIn(ctx, c.Argument(ctx, 1), args[1], true)
		if !ok || err != nil {
			return nil, err
		}
		if m, ok = sqlvalue.MomentAt(m.Total()+span.Micros, max(m.Digits, span.Digits)); !ok {
			return nil, nil
		}
	}
	return sqlvalue.DatetimeValue(m, c.Type(ctx).(sql.DatetimeType).Precision()), nil
}

func timestampDiff(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	unit, ok := args[0].(string)
	if !ok {
		return nil, nil
	}
	var both [2]sqlvalue.Moment
	for i := range both {
		m, ok, err := sqlvalue.MomentIn(ctx, c.Argument(ctx, i+1), args[i+1], false)
		if !ok || err != nil {
			return nil, err
		}
		if both[i] = m.Dated(ctx); !both[i].HasMonthAndDay() {
			return nil, sqlvalue.WrongValue(ctx, "datetime", both[i].Text())
		}
	}
	us := both[1].Total() - both[0].Total()
	switch unit = unitOf(unit); unit {
	case "YEAR", "QUARTER", "MONTH":
		return monthsBetween(both[0], both[1]) / map[string]int64{"YEAR": 12, "QUARTER": 3, "MONTH": 1}[unit], nil
	case "WEEK":
		return us / sqlvalue.MicrosPerDay / 7, nil
	case "DAY":
		return us / sqlvalue.MicrosPerDay, nil
	case "HOUR":
		return us / sqlvalue.MicrosPerHour, nil
	case "MINUTE":
		return us / sqlvalue.MicrosPerMinute, nil
	case "SECOND":
		return us / sqlvalue.MicrosPerSecond, nil
	case "MICROSECOND":
		return us, nil
	}
	return nil, mysql.NewSQLError(mysql.ERParseError, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '%s' at line 1", unit)
}

// monthsBetween returns the number of whole months from a to b.
func monthsBetween(a, b sqlvalue.Moment) int64 {
	if a.Total() > b.Total() {
		return -monthsBetween(b, a)
	}
	months := int64(b.Year*12+b.Month) - int64(a.Year*12+a.Month)
	if b.Day < a.Day || b.Day == a.Day && b.Micros < a.Micros {
		months--
	}
	return months
}

func extract(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	unit, ok := args[0].(string)
	if !ok {
		return nil, nil
	}
	unit = unitOf(unit)
	t := c.Argument(ctx, 1)
	var m sqlvalue.Moment
	var err error
	if dateUnit(unit) {
		if m, ok, err = sqlvalue.MomentIn(ctx, t, args[1], false); ok {
			m = m.Dated(ctx)
		}
	} else {
		m, ok, err = sqlvalue.ClockMoment(ctx, t, args[1])
	}
	if !ok || err != nil {
		return nil, err
	}
	part := func(unit string) int64 {
		switch unit {
		case "YEAR":
			return int64(m.Year)
		case "QUARTER":
			return int64(m.Month+2) / 3
		case "MONTH":
			return int64(m.Month)
		case "WEEK":
			week, _ := week(m, 0)
			return int64(week)
		case "DAY":
			return int64(m.Day)
		case "HOUR":
			return int64(m.Hour())
		case "MINUTE":
			return int64(m.Minute())
		case "SECOND":
			return int64(m.Second())
		}
		return int64(m.Micro())
	}
	parts := timeUnits[unit]
	if parts == nil {
		parts = []string{unit}
	}
	if unit == "WEEK" && !m.HasMonthAndDay() {
		return nil, nil
	}
	n := int64(0)
	for i, unit := range parts {
		switch {
		case i == 0:
		case unit == "MICROSECOND":
			n *= 1_000_000
		default:
			n *= 100
		}
		n += part(unit)
	}
	if !m.HasDate && m.Micros < 0 {
		n = -n
	}
	return n, nil
}
