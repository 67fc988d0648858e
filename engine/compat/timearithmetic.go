package compat

import (
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"
)

// arithmeticFunctions are the functions that calculate with times.
//
// go-mysql-server: what DATE_ADD makes is a text, and + INTERVAL a DATETIME of anything; a number is no date and a TIME no
// time, half a second none at all; TIMESTAMP takes one argument and TIMESTAMPDIFF no TIME; EXTRACT knows no hour of a TIME.
// MySQL: the type follows from that of the date and the unit, as here.
func arithmeticFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	for name, d := range map[string]*definition{"date_add": dateAdd, "adddate": dateAdd, "date_sub": dateSub, "subdate": dateSub} {
		all[name] = sql.FunctionN{Name: name, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
			return newDateAdd(d, name, args)
		}}
	}
	all["timestampadd"] = sql.Function3{Name: "timestampadd", Fn: func(_ *sql.Context, unit, n, date sql.Expression) sql.Expression {
		return &call{definition: dateAdd, args: []sql.Expression{date, n, unit}}
	}}
	define(all,
		&definition{name: "addtime", least: 2, most: 2, typ: addTimeType, eval: addTime(1)},
		&definition{name: "subtime", least: 2, most: 2, typ: addTimeType, eval: addTime(-1)},
		&definition{name: "timediff", least: 2, most: 2, typ: func(ctx *sql.Context, args []sql.Expression) sql.Type {
			return NewTime(max(fractionOf(ctx, args[0]), fractionOf(ctx, args[1])))
		}, eval: timeDiff},
		&definition{name: "timestamp", least: 1, most: 2, typ: timestampType, eval: timestamp},
		&definition{name: "datetime", least: 1, most: 1, typ: timestampType, eval: timestamp},
		&definition{name: "timestampdiff", least: 3, most: 3, typ: always(types.Int64), eval: timestampDiff, written: func(c *call) string {
			return "timestampdiff(" + unitText(c.args[0]) + ", " + c.args[1].String() + ", " + c.args[2].String() + ")"
		}},
		&definition{name: "extract", least: 2, most: 2, typ: always(types.Int64), eval: extract, written: func(c *call) string {
			return "extract(" + unitText(c.args[0]) + " FROM " + c.args[1].String() + ")"
		}},
	)
	return all
}

// temporalCall is the call of ours in the place of what the tree has own nodes for, nil if it stays.
func temporalCall(e ast.Expr) ast.Expr {
	argument := func(e ast.Expr) ast.SelectExpr { return &ast.AliasedExpr{Expr: e} }
	unit := func(name string) ast.SelectExpr { return argument(ast.NewStrVal([]byte(unitOf(name)))) }
	switch e := e.(type) {
	case *ast.TimestampFuncExpr:
		return &ast.FuncExpr{Name: ast.NewColIdent(e.Name), Exprs: ast.SelectExprs{unit(e.Unit), argument(e.Expr1), argument(e.Expr2)}}
	case *ast.ExtractFuncExpr:
		return &ast.FuncExpr{Name: ast.NewColIdent("extract"), Exprs: ast.SelectExprs{unit(e.Unit), argument(e.Expr)}}
	case *ast.BinaryExpr:
		name := dateAdd.name
		switch {
		case e.Operator == ast.MinusStr && isInterval(e.Right):
			name = dateSub.name
		case e.Operator == ast.PlusStr && isInterval(e.Right):
		case e.Operator == ast.PlusStr && isInterval(e.Left):
			return &ast.FuncExpr{Name: ast.NewColIdent(name), Exprs: ast.SelectExprs{argument(e.Right), argument(e.Left)}}
		default:
			return nil
		}
		return &ast.FuncExpr{Name: ast.NewColIdent(name), Exprs: ast.SelectExprs{argument(e.Left), argument(e.Right)}}
	case *ast.FuncExpr:
		// The units of ODBC, which the parser takes for columns.
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

// unitText is the unit that a literal names.
func unitText(e sql.Expression) string {
	if l, ok := e.(*expression.Literal); ok {
		if s, ok := l.Value().(string); ok {
			return s
		}
	}
	return ""
}

// dateAdd and dateSub are DATE_ADD and DATE_SUB, of a date, how much and a unit.
var (
	dateAdd = newDateArithmetic("date_add", 1)
	dateSub = newDateArithmetic("date_sub", -1)
)

func newDateArithmetic(name string, sign int64) *definition {
	return &definition{name: name, least: 3, most: 3, typ: dateAddType,
		eval: func(ctx *sql.Context, c *call, args []any) (any, error) { return addInterval(ctx, c, args, sign) },
		written: func(c *call) string {
			return name + "(" + c.args[0].String() + ", INTERVAL " + c.args[1].String() + " " + unitText(c.args[2]) + ")"
		},
	}
}

// newDateAdd is d of a date and an INTERVAL, or a number of days.
func newDateAdd(d *definition, name string, args []sql.Expression) (sql.Expression, error) {
	if len(args) != 2 {
		return nil, sql.ErrInvalidArgumentNumber.New(name, 2, len(args))
	}
	n, unit := args[1], "DAY"
	if i, ok := n.(*expression.Interval); ok {
		n, unit = i.Child, i.Unit
	} else if name == d.name {
		return nil, sql.ErrInvalidArgumentType.New(name)
	}
	if !isUnit(unit) {
		return nil, sql.ErrInvalidArgumentType.New(name)
	}
	return d.of([]sql.Expression{args[0], n, expression.NewLiteral(unit, types.LongText)})
}

// dateUnit tells whether a unit is of days or longer.
func dateUnit(unit string) bool {
	switch unit {
	case "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "YEAR_MONTH":
		return true
	}
	return false
}

// clockUnit tells whether a unit is of hours or shorter.
func clockUnit(unit string) bool { return !dateUnit(unit) && !strings.HasPrefix(unit, "DAY_") }

// unitDigits is how many digits behind the point an interval has.
func unitDigits(ctx *sql.Context, n sql.Expression, unit string) int {
	switch {
	case strings.HasSuffix(unit, "MICROSECOND"):
		return maxMicro
	case unit == "SECOND":
		return fractionOf(ctx, n)
	}
	return 0
}

// intervalText is the type of what is added to a text.
var intervalText = varchar(29)

func dateAddType(ctx *sql.Context, args []sql.Expression) sql.Type {
	unit := unitText(args[2])
	digits := unitDigits(ctx, args[1], unit)
	switch t := args[0].Type(ctx); {
	case types.IsDateType(t) && dateUnit(unit):
		return types.Date
	case types.IsTime(t):
		return datetimeType(max(digits, fractionOf(ctx, args[0])))
	case isTimespan(t) && clockUnit(unit):
		return NewTime(max(digits, fractionOf(ctx, args[0])))
	case isTimespan(t):
		return datetimeType(max(digits, fractionOf(ctx, args[0])))
	}
	return intervalText
}

// interval is how much is added to a time: months, and microseconds.
type interval struct{ months, us int64 }

// intervalOf is so many units; false if they are more than any time has.
func (c *call) intervalOf(ctx *sql.Context, i int, v any, unit string) (span interval, ok bool, err error) {
	const most = int64(9999) * 366 * 86400 // seconds
	sizes := map[string]int64{"WEEK": 7 * usDay, "DAY": usDay, "HOUR": usHour, "MINUTE": usMinute, "SECOND": usSecond, "MICROSECOND": 1}
	add := func(unit string, n int64) bool {
		switch unit {
		case "YEAR", "QUARTER", "MONTH":
			size := map[string]int64{"YEAR": 12, "QUARTER": 3, "MONTH": 1}[unit]
			if abs(n) > 120_000 || n == math.MinInt64 {
				return false
			}
			span.months += n * size
			return true
		}
		size := sizes[unit]
		if size == 0 || n == math.MinInt64 || abs(n) > most*usSecond/size {
			return false
		}
		span.us += n * size
		return true
	}
	parts := timeUnits[unit]
	switch {
	case parts == nil && unit == "SECOND":
		n, err := c.number(ctx, i, v)
		if err != nil {
			return span, false, err
		}
		us := n.exactly().Shift(maxMicro).Truncate(0)
		if us.Abs().GreaterThan(decimal.New(most, maxMicro)) {
			return span, false, nil
		}
		span.us = us.IntPart()
		return span, true, nil
	case parts == nil:
		n, err := c.integer(ctx, i, v)
		return span, err == nil && add(unit, n), err
	}
	text, err := c.text(ctx, i, v)
	if err != nil {
		return span, false, err
	}
	text = strings.TrimLeft(text, blanks)
	negative := strings.HasPrefix(text, "-")
	numbers, last := numbersIn(text)
	if len(numbers) > len(parts) {
		return span, false, nil
	}
	for n, part := range parts[len(parts)-len(numbers):] {
		amount := numbers[n]
		if part == "MICROSECOND" {
			for ; last < maxMicro; last++ {
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

// plus is m and an interval; false if there is no such time.
func (m moment) plus(span interval) (moment, bool) {
	if span.months != 0 {
		months := int64(m.year)*12 + int64(m.month) - 1 + span.months
		if months < 0 || months >= 120_000 {
			return m, false
		}
		m.year, m.month = int(months/12), int(months%12)+1
		m.day = min(m.day, daysIn(m.year, m.month))
	}
	if span.us == 0 {
		return m, true
	}
	hasTime := m.hasTime
	m, ok := momentAt(m.total()+span.us, m.digits)
	m.hasTime = hasTime
	return m, ok
}

func addInterval(ctx *sql.Context, c *call, args []any, sign int64) (any, error) {
	unit := unitText(c.args[2])
	t := c.Type(ctx)
	span, ok, err := c.intervalOf(ctx, 1, args[1], unit)
	if err != nil {
		return nil, err
	}
	span.months, span.us = span.months*sign, span.us*sign
	m, read, err := momentIn(ctx, c.argument(ctx, 0), args[0], false)
	if !read || err != nil {
		return nil, err
	}
	overflow := func() (any, error) {
		return nil, complain(ctx, 1441, "22008", "Datetime function: datetime field overflow")
	}
	if own, isTime := t.(*Time); isTime {
		if !ok || abs(m.us+span.us) > longestTime {
			return nil, complain(ctx, 1441, "22008", "Datetime function: time field overflow")
		}
		m.us += span.us
		return timeValue(m, own.digits), nil
	}
	if !m.hasDate {
		m = m.dated(ctx)
	}
	if !m.whole() {
		return nil, wrongValue(ctx, "datetime", m.text())
	}
	if !ok {
		return overflow()
	}
	if !dateUnit(unit) {
		m.hasTime = true
	}
	if m, ok = m.plus(span); !ok {
		return overflow()
	}
	if d, ok := t.(sql.DatetimeType); ok {
		return datetimeValue(m, d.Precision()), nil
	}
	m.digits = 0
	if m.us%usSecond != 0 {
		m.digits = maxMicro
	}
	return m.text(), nil
}

func addTimeType(ctx *sql.Context, args []sql.Expression) sql.Type {
	digits := max(fractionOf(ctx, args[0]), fractionOf(ctx, args[1]))
	switch t := args[0].Type(ctx); {
	case types.IsTime(t):
		return datetimeType(digits)
	case isTimespan(t):
		return NewTime(digits)
	}
	return intervalText
}

// clockMoment is a value as the DATETIME that it is, else as a TIME.
func clockMoment(ctx *sql.Context, t sql.Type, v any) (moment, bool, error) {
	switch text := v.(type) {
	case []byte:
		v = string(text)
	case string:
	default:
		return momentIn(ctx, t, v, true)
	}
	text := v.(string)
	if m, ok, whole := parseDate(text); ok && m.hasTime && whole && strings.ContainsAny(text, "-/T") && strings.Count(text, ":") > 0 {
		return m, true, nil
	}
	return momentIn(ctx, t, v, true)
}

func addTime(sign int64) func(*sql.Context, *call, []any) (any, error) {
	return func(ctx *sql.Context, c *call, args []any) (any, error) {
		m, ok, err := clockMoment(ctx, c.argument(ctx, 0), args[0])
		if !ok || err != nil {
			return nil, err
		}
		span, ok, err := clockMoment(ctx, c.argument(ctx, 1), args[1])
		if !ok || err != nil || span.hasDate {
			return nil, err
		}
		t := c.Type(ctx)
		if m.hasDate {
			if !m.whole() {
				return nil, wrongValue(ctx, "datetime", m.text())
			}
			sum, ok := momentAt(m.total()+sign*span.us, max(m.digits, span.digits))
			if !ok {
				return nil, complain(ctx, 1441, "22008", "Datetime function: datetime field overflow")
			}
			if d, ok := t.(sql.DatetimeType); ok {
				return datetimeValue(sum, d.Precision()), nil
			}
			return withMicros(sum).text(), nil
		}
		m.us = min(max(m.us+sign*span.us, -longestTime), longestTime)
		if own, ok := t.(*Time); ok {
			return timeValue(m, own.digits), nil
		}
		return withMicros(m).text(), nil
	}
}

// withMicros is m with six digits if it has any, else with none.
func withMicros(m moment) moment {
	m.digits = 0
	if m.us%usSecond != 0 {
		m.digits = maxMicro
	}
	return m
}

func timeDiff(ctx *sql.Context, c *call, args []any) (any, error) {
	a, ok, err := clockMoment(ctx, c.argument(ctx, 0), args[0])
	if !ok || err != nil {
		return nil, err
	}
	b, ok, err := clockMoment(ctx, c.argument(ctx, 1), args[1])
	if !ok || err != nil || a.hasDate != b.hasDate {
		return nil, err
	}
	us := a.total() - b.total()
	if abs(us) > longestTime {
		if err := wrongValue(ctx, "time", timeText(us, 0)); err != nil {
			return nil, err
		}
	}
	return timeValue(moment{us: us}, c.Type(ctx).(*Time).digits), nil
}

func timestampType(ctx *sql.Context, args []sql.Expression) sql.Type {
	digits := fractionOf(ctx, args[0])
	if len(args) == 2 {
		digits = max(digits, fractionOf(ctx, args[1]))
	}
	return datetimeType(digits)
}

func timestamp(ctx *sql.Context, c *call, args []any) (any, error) {
	m, ok, err := momentIn(ctx, c.argument(ctx, 0), args[0], false)
	if !ok || err != nil {
		return nil, err
	}
	m = m.dated(ctx)
	if len(args) == 2 {
		span, ok, err := momentIn(ctx, c.argument(ctx, 1), args[1], true)
		if !ok || err != nil {
			return nil, err
		}
		if m, ok = momentAt(m.total()+span.us, max(m.digits, span.digits)); !ok {
			return nil, nil
		}
	}
	return datetimeValue(m, c.Type(ctx).(sql.DatetimeType).Precision()), nil
}

func timestampDiff(ctx *sql.Context, c *call, args []any) (any, error) {
	unit, ok := args[0].(string)
	if !ok {
		return nil, nil
	}
	var both [2]moment
	for i := range both {
		m, ok, err := momentIn(ctx, c.argument(ctx, i+1), args[i+1], false)
		if !ok || err != nil {
			return nil, err
		}
		if both[i] = m.dated(ctx); !both[i].whole() {
			return nil, wrongValue(ctx, "datetime", both[i].text())
		}
	}
	us := both[1].total() - both[0].total()
	switch unit = unitOf(unit); unit {
	case "YEAR", "QUARTER", "MONTH":
		return monthsBetween(both[0], both[1]) / map[string]int64{"YEAR": 12, "QUARTER": 3, "MONTH": 1}[unit], nil
	case "WEEK":
		return us / usDay / 7, nil
	case "DAY":
		return us / usDay, nil
	case "HOUR":
		return us / usHour, nil
	case "MINUTE":
		return us / usMinute, nil
	case "SECOND":
		return us / usSecond, nil
	case "MICROSECOND":
		return us, nil
	}
	return nil, mysql.NewSQLError(mysql.ERParseError, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '%s' at line 1", unit)
}

// monthsBetween is how many whole months there are from a to b.
func monthsBetween(a, b moment) int64 {
	if a.total() > b.total() {
		return -monthsBetween(b, a)
	}
	months := int64(b.year*12+b.month) - int64(a.year*12+a.month)
	if b.day < a.day || b.day == a.day && b.us < a.us {
		months--
	}
	return months
}

func extract(ctx *sql.Context, c *call, args []any) (any, error) {
	unit, ok := args[0].(string)
	if !ok {
		return nil, nil
	}
	unit = unitOf(unit)
	t := c.argument(ctx, 1)
	var m moment
	var err error
	if dateUnit(unit) {
		if m, ok, err = momentIn(ctx, t, args[1], false); ok {
			m = m.dated(ctx)
		}
	} else {
		m, ok, err = clockMoment(ctx, t, args[1])
	}
	if !ok || err != nil {
		return nil, err
	}
	part := func(unit string) int64 {
		switch unit {
		case "YEAR":
			return int64(m.year)
		case "QUARTER":
			return int64(m.month+2) / 3
		case "MONTH":
			return int64(m.month)
		case "WEEK":
			week, _ := m.week(0)
			return int64(week)
		case "DAY":
			return int64(m.day)
		case "HOUR":
			return int64(m.hour())
		case "MINUTE":
			return int64(m.minute())
		case "SECOND":
			return int64(m.second())
		}
		return int64(m.micro())
	}
	parts := timeUnits[unit]
	if parts == nil {
		parts = []string{unit}
	}
	if unit == "WEEK" && !m.whole() {
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
	if !m.hasDate && m.us < 0 {
		n = -n
	}
	return n, nil
}
