package mysqlfuncs

import (
	"math"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"

	"pfsd/engine/builtins"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// timeFunctions are the functions of times, except those that read and write formats.
//
// go-mysql-server: has no ADDTIME, SUBTIME, MAKEDATE, MAKETIME, PERIOD_ADD, PERIOD_DIFF,
// SEC_TO_TIME, TO_SECONDS, UTC_DATE and UTC_TIME. HOUR, MINUTE, SECOND, MICROSECOND, TIME_TO_SEC
// and EXTRACT do not accept a TIME, and refuse a text of one as a bad date; numbers are bad dates;
// all modes of weeks are the same; every time has six digits or none. MySQL: as here.
func timeFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	whole := sqlexpr.AlwaysType(types.Int32)
	sqlexpr.DefineAll(all,
		dateFunction("year", func(m sqlvalue.Moment) any { return int32(m.Year) }),
		dateFunction("month", func(m sqlvalue.Moment) any { return int32(m.Month) }),
		dateFunction("day", func(m sqlvalue.Moment) any { return int32(m.Day) }),
		dateFunction("dayofmonth", func(m sqlvalue.Moment) any { return int32(m.Day) }),
		dateFunction("quarter", func(m sqlvalue.Moment) any { return int32(m.Month+2) / 3 }),
		fullDateFunction("dayofweek", types.Int32, func(m sqlvalue.Moment) any { return int32(weekday(m)) + 1 }),
		fullDateFunction("weekday", types.Int32, func(m sqlvalue.Moment) any { return int32(weekday(m)+6) % 7 }),
		fullDateFunction("dayofyear", types.Int32, func(m sqlvalue.Moment) any { return int32(dayOfYear(m)) }),
		fullDateFunction("weekofyear", types.Int32, func(m sqlvalue.Moment) any { w, _ := week(m, 3); return int32(w) }),
		fullDateFunction("to_days", types.Int64, func(m sqlvalue.Moment) any { return int64(m.DayNumber()) }),
		fullDateFunction("to_seconds", types.Int64, func(m sqlvalue.Moment) any { return m.Total() / sqlvalue.MicrosPerSecond }),
		fullDateFunction("dayname", sqlexpr.VarChar(9), func(m sqlvalue.Moment) any { return time.Weekday(weekday(m)).String() }),
		&sqlexpr.Definition{Name: "monthname", Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(sqlexpr.VarChar(9)), Value: withDate(func(_ *sql.Context, _ *sqlexpr.Call, m sqlvalue.Moment) (any, error) {
			if m.Month == 0 {
				return nil, nil
			}
			return time.Month(m.Month).String(), nil
		})},
		&sqlexpr.Definition{Name: "last_day", Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(types.Date), Value: withDate(func(_ *sql.Context, _ *sqlexpr.Call, m sqlvalue.Moment) (any, error) {
			if m.Month == 0 {
				return nil, nil
			}
			return sqlvalue.Moment{Year: m.Year, Month: m.Month, Day: sqlvalue.DaysIn(m.Year, m.Month)}.GoTime(), nil
		})},
		&sqlexpr.Definition{Name: "date", Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(types.Date), Value: withDate(func(_ *sql.Context, _ *sqlexpr.Call, m sqlvalue.Moment) (any, error) {
			if !m.HasMonthAndDay() && !m.IsZero() {
				return nil, nil // go-mysql-server has no value for such a date
			}
			m.Micros = 0
			return m.GoTime(), nil
		})},
		clockFunction("hour", types.Int32, func(m sqlvalue.Moment) any { return int32(m.Hour()) }),
		clockFunction("minute", types.Int32, func(m sqlvalue.Moment) any { return int32(m.Minute()) }),
		clockFunction("second", types.Int32, func(m sqlvalue.Moment) any { return int32(m.Second()) }),
		clockFunction("microsecond", types.Int32, func(m sqlvalue.Moment) any { return int32(m.Micro()) }),
		clockFunction("time_to_sec", types.Int64, func(m sqlvalue.Moment) any { return m.Micros / sqlvalue.MicrosPerSecond }),
		&sqlexpr.Definition{Name: "time", Least: 1, Most: 1, TypeOf: timeOfFirst, Value: withTime(func(ctx *sql.Context, c *sqlexpr.Call, m sqlvalue.Moment) (any, error) {
			return sqlvalue.TimeValue(m, builtins.FractionOf(ctx, c.Args[0])), nil
		})},
		&sqlexpr.Definition{Name: "week", Least: 1, Most: 2, TypeOf: whole, Value: weekOf},
		&sqlexpr.Definition{Name: "yearweek", Least: 1, Most: 2, TypeOf: whole, Value: yearWeekOf},
		&sqlexpr.Definition{Name: "from_days", Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(types.Date), Value: fromDays},
		&sqlexpr.Definition{Name: "makedate", Least: 2, Most: 2, TypeOf: sqlexpr.AlwaysType(types.Date), Value: makeDate},
		&sqlexpr.Definition{Name: "maketime", Least: 3, Most: 3, TypeOf: func(ctx *sql.Context, args []sql.Expression) sql.Type {
			return sqlvalue.NewTime(builtins.FractionOfNumber(ctx, args[2]))
		}, Value: makeTime},
		&sqlexpr.Definition{Name: "sec_to_time", Least: 1, Most: 1, TypeOf: func(ctx *sql.Context, args []sql.Expression) sql.Type {
			return sqlvalue.NewTime(builtins.FractionOfNumber(ctx, args[0]))
		}, Value: secToTime},
		&sqlexpr.Definition{Name: "period_add", Least: 2, Most: 2, TypeOf: sqlexpr.AlwaysType(types.Int64), Value: periodAdd},
		&sqlexpr.Definition{Name: "period_diff", Least: 2, Most: 2, TypeOf: sqlexpr.AlwaysType(types.Int64), Value: periodDiff},
		&sqlexpr.Definition{Name: "from_unixtime", Least: 1, Most: 2, TypeOf: fromUnixtimeType, Value: fromUnixtime},
		&sqlexpr.Definition{Name: "unix_timestamp", Most: 1, TypeOf: unixTimestampType, Value: unixTimestamp},
		&sqlexpr.Definition{Name: "datediff", Least: 2, Most: 2, TypeOf: sqlexpr.AlwaysType(types.Int64), Value: dateDiff},
		&sqlexpr.Definition{Name: "utc_date", Most: 0, TypeOf: sqlexpr.AlwaysType(types.Date), Value: func(ctx *sql.Context, _ *sqlexpr.Call, _ []any) (any, error) {
			return ctx.QueryTime().UTC().Truncate(24 * time.Hour), nil
		}},
		clockNow("curtime", sqlvalue.Now), clockNow("current_time", sqlvalue.Now),
		clockNow("utc_time", func(ctx *sql.Context) time.Time { return ctx.QueryTime().UTC() }),
		dateNow("curdate"), dateNow("current_date"),
		sqlexpr.DatetimeNow("utc_timestamp", func(ctx *sql.Context) time.Time { return sqlvalue.WallClock(ctx.QueryTime().UTC()) }),
		sqlexpr.DatetimeNow("sysdate", func(ctx *sql.Context) time.Time { return sqlvalue.InSession(ctx, sql.Now()) }),
	)
	return all
}

// weekday returns the day of the week, 0 for Sunday.
func weekday(m sqlvalue.Moment) int { return (m.DayNumber() + 6) % 7 }

// dayOfYear returns the day of the year, 1 for January 1.
func dayOfYear(m sqlvalue.Moment) int { return m.DayNumber() - sqlvalue.DayNumber(m.Year, 1, 1) + 1 }

// week returns the week of a date in one of MySQL's eight modes, and the year that the week belongs
// to.
func week(m sqlvalue.Moment, mode int) (week, year int) {
	inYear := mode&2 != 0 // weeks are 1 to 53, of the year that the week belongs to; else 0 to 53
	day := m.DayNumber()
	switch first := firstWeek(m.Year, mode); {
	case day < first && !inYear:
		return 0, m.Year
	case day < first:
		return (day-firstWeek(m.Year-1, mode))/7 + 1, m.Year - 1
	case inYear && day >= firstWeek(m.Year+1, mode):
		return 1, m.Year + 1
	default:
		return (day-first)/7 + 1, m.Year
	}
}

// firstWeek returns the first day of week 1 of a year.
func firstWeek(year, mode int) int {
	monday := mode&1 != 0           // weeks begin with Monday, else with Sunday
	most := monday != (mode&4 != 0) // week 1 has at least four days of the year; else it is the first week that begins in the year
	newYear := sqlvalue.DayNumber(year, 1, 1)
	before := (newYear + 6) % 7 // days of the week of January 1 that are in the year before
	if monday {
		before = (newYear + 5) % 7
	}
	if before == 0 || most && before <= 3 {
		return newYear - before
	}
	return newYear + 7 - before
}

// withDate returns the Value of a function whose argument is a date.
func withDate(of func(*sql.Context, *sqlexpr.Call, sqlvalue.Moment) (any, error)) func(*sql.Context, *sqlexpr.Call, []any) (any, error) {
	return func(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
		m, ok, err := sqlvalue.MomentIn(ctx, c.Argument(ctx, 0), args[0], false)
		if !ok || err != nil {
			return nil, err
		}
		return of(ctx, c, m.Dated(ctx))
	}
}

// withTime returns the Value of a function whose argument is a time.
func withTime(of func(*sql.Context, *sqlexpr.Call, sqlvalue.Moment) (any, error)) func(*sql.Context, *sqlexpr.Call, []any) (any, error) {
	return func(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
		m, ok, err := sqlvalue.MomentIn(ctx, c.Argument(ctx, 0), args[0], true)
		if !ok || err != nil {
			return nil, err
		}
		return of(ctx, c, m.TimeOfDay())
	}
}

func dateFunction(name string, of func(sqlvalue.Moment) any) *sqlexpr.Definition {
	return &sqlexpr.Definition{Name: name, Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(types.Int32), Value: withDate(func(_ *sql.Context, _ *sqlexpr.Call, m sqlvalue.Moment) (any, error) {
		return of(m), nil
	})}
}

// fullDateFunction returns a function of a date whose month and day are not 0.
func fullDateFunction(name string, t sql.Type, of func(sqlvalue.Moment) any) *sqlexpr.Definition {
	return &sqlexpr.Definition{Name: name, Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(t), Value: withDate(func(ctx *sql.Context, _ *sqlexpr.Call, m sqlvalue.Moment) (any, error) {
		if !m.HasMonthAndDay() {
			return nil, sqlvalue.WrongValue(ctx, "datetime", m.Text())
		}
		return of(m), nil
	})}
}

func clockFunction(name string, t sql.Type, of func(sqlvalue.Moment) any) *sqlexpr.Definition {
	return &sqlexpr.Definition{Name: name, Least: 1, Most: 1, TypeOf: sqlexpr.AlwaysType(t), Value: withTime(func(_ *sql.Context, _ *sqlexpr.Call, m sqlvalue.Moment) (any, error) {
		return of(m), nil
	})}
}

// timeOfFirst returns TIME with the digits of the first argument.
func timeOfFirst(ctx *sql.Context, args []sql.Expression) sql.Type {
	return sqlvalue.NewTime(builtins.FractionOf(ctx, args[0]))
}

// weekMode returns the mode of WEEK and YEARWEEK: their argument, or default_week_format.
func weekMode(ctx *sql.Context, c *sqlexpr.Call, args []any) (int, error) {
	if len(args) > 1 {
		mode, err := c.Integer(ctx, 1, args[1])
		return int(mode & 7), err
	}
	if c.Name == "yearweek" {
		return 0, nil
	}
	v, err := ctx.GetSessionVariable(ctx, "default_week_format")
	if err != nil {
		return 0, nil // a session without variables
	}
	n, err := sqlvalue.NumberOf(ctx, types.Int64, v)
	return int(n.Bits() & 7), err
}

func weekOf(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	return inWeek(ctx, c, args, func(m sqlvalue.Moment, mode int) any {
		w, _ := week(m, mode)
		return int32(w)
	})
}

func yearWeekOf(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	return inWeek(ctx, c, args, func(m sqlvalue.Moment, mode int) any {
		w, y := week(m, mode|2)
		return int32(y*100 + w)
	})
}

func inWeek(ctx *sql.Context, c *sqlexpr.Call, args []any, of func(sqlvalue.Moment, int) any) (any, error) {
	mode, err := weekMode(ctx, c, args)
	if err != nil {
		return nil, err
	}
	return withDate(func(ctx *sql.Context, _ *sqlexpr.Call, m sqlvalue.Moment) (any, error) {
		if !m.HasMonthAndDay() {
			return nil, sqlvalue.WrongValue(ctx, "datetime", m.Text())
		}
		return of(m, mode), nil
	})(ctx, c, args)
}

func fromDays(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	n, err := c.Integer(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	m, ok := sqlvalue.MomentAt(min(max(n, 0), 3652425)*sqlvalue.MicrosPerDay, 0)
	if !ok || n < 366 {
		return types.ZeroTime, nil
	}
	return m.GoTime(), nil
}

func makeDate(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	year, err := c.Integer(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	day, err := c.Integer(ctx, 1, args[1])
	if err != nil || year < 0 || year > 9999 || day <= 0 || day > 3652424 {
		return nil, err
	}
	if year < 100 {
		year = int64(sqlvalue.Century(int(year)))
	}
	m, ok := sqlvalue.MomentAt((int64(sqlvalue.DayNumber(int(year), 1, 1))+day-1)*sqlvalue.MicrosPerDay, 0)
	if !ok {
		return nil, nil
	}
	return m.GoTime(), nil
}

func makeTime(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	hour, err := c.Integer(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	minute, err := c.Integer(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	second, err := c.Number(ctx, 2, args[2])
	if err != nil || minute < 0 || minute > 59 || second.IsNegative() || second.Exactly().GreaterThanOrEqual(decimal.New(60, 0)) {
		return nil, err
	}
	us := sqlvalue.LongestTime
	if h := sqlvalue.Abs(hour); h <= 838 && h >= 0 {
		us = h*sqlvalue.MicrosPerHour + minute*sqlvalue.MicrosPerMinute + second.Exactly().Shift(sqlvalue.MaxMicro).Round(0).IntPart()
	} else if err := sqlvalue.WrongValue(ctx, "time", sqlvalue.TimeText(hour*sqlvalue.MicrosPerHour, 0)); err != nil {
		return nil, err
	}
	if hour < 0 {
		us = -us
	}
	return sqlvalue.TimeValue(sqlvalue.Moment{Micros: us}, builtins.FractionOfNumber(ctx, c.Args[2])), nil
}

func secToTime(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	n, err := c.Number(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	seconds := n.Exactly()
	most := decimal.New(sqlvalue.LongestTime, -sqlvalue.MaxMicro)
	if seconds.Abs().GreaterThan(most) {
		if err := sqlvalue.WrongValue(ctx, "time", seconds.String()); err != nil {
			return nil, err
		}
		if seconds.IsNegative() {
			most = most.Neg()
		}
		seconds = most
	}
	return sqlvalue.TimeValue(sqlvalue.Moment{Micros: seconds.Shift(sqlvalue.MaxMicro).Round(0).IntPart()}, builtins.FractionOfNumber(ctx, c.Args[0])), nil
}

// months returns the months of a period YYMM or YYYYMM. ok is false if it is not a period.
func months(period int64) (int64, bool) {
	year, month := period/100, period%100
	if period <= 0 || month < 1 || month > 12 {
		return 0, false
	}
	if year < 100 {
		year = int64(sqlvalue.Century(int(year)))
	}
	return year*12 + month - 1, true
}

func errArguments(name string) error {
	return mysql.NewSQLError(1210, "HY000", "Incorrect arguments to %s", name)
}

func periodAdd(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	period, err := c.Integer(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	n, err := c.Integer(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	m, ok := months(period)
	if !ok {
		return nil, errArguments("period_add")
	}
	m += n
	return m/12*100 + m%12 + 1, nil
}

func periodDiff(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	var both [2]int64
	for i := range both {
		period, err := c.Integer(ctx, i, args[i])
		if err != nil {
			return nil, err
		}
		var ok bool
		if both[i], ok = months(period); !ok {
			return nil, errArguments("period_diff")
		}
	}
	return both[0] - both[1], nil
}

// lastSecond is the largest number of seconds that FROM_UNIXTIME and UNIX_TIMESTAMP accept.
const lastSecond = 32536771199

func fromUnixtimeType(ctx *sql.Context, args []sql.Expression) sql.Type {
	if len(args) == 2 {
		return formattedType(ctx, args[1:])
	}
	return sqlvalue.DatetimeType(builtins.FractionOfNumber(ctx, args[0]))
}

func fromUnixtime(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	n, err := c.Number(ctx, 0, args[0])
	if err != nil || n.Kind == sqlvalue.Approximate && math.Abs(n.Double) > 1e12 {
		return nil, err
	}
	digits := sqlvalue.MaxMicro
	if len(c.Args) == 1 {
		digits = builtins.FractionOfNumber(ctx, c.Args[0])
	}
	seconds := n.Exactly().Round(int32(digits))
	if seconds.IsNegative() || seconds.GreaterThanOrEqual(decimal.New(lastSecond+1, 0)) {
		return nil, nil
	}
	at := sqlvalue.InSession(ctx, time.UnixMicro(seconds.Shift(sqlvalue.MaxMicro).IntPart()))
	if len(args) == 1 {
		return at, nil
	}
	m, _, err := sqlvalue.MomentIn(ctx, types.DatetimeMaxPrecision, at, false)
	if err != nil {
		return nil, err
	}
	format, err := c.Text(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	return formatMoment(m, format), nil
}

func dateDiff(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	var days [2]int
	for i := range days {
		m, ok, err := sqlvalue.MomentIn(ctx, c.Argument(ctx, i), args[i], false)
		if !ok || err != nil {
			return nil, err
		}
		if m = m.Dated(ctx); !m.HasMonthAndDay() {
			return nil, sqlvalue.WrongValue(ctx, "datetime", m.Text())
		}
		days[i] = m.DayNumber()
	}
	return int64(days[0] - days[1]), nil
}

func clockNow(name string, at func(*sql.Context) time.Time) *sqlexpr.Definition {
	return sqlexpr.NowFunction(name, func(digits int) sql.Type { return sqlvalue.NewTime(digits) }, func(ctx *sql.Context, digits int) any {
		t := sqlexpr.CutTime(at(ctx), digits)
		return types.Timespan(int64(t.Hour())*sqlvalue.MicrosPerHour + int64(t.Minute())*sqlvalue.MicrosPerMinute + int64(t.Second())*sqlvalue.MicrosPerSecond + int64(t.Nanosecond()/1000))
	})
}

func dateNow(name string) *sqlexpr.Definition {
	return &sqlexpr.Definition{Name: name, Most: 0, TypeOf: sqlexpr.AlwaysType(types.Date), Value: func(ctx *sql.Context, _ *sqlexpr.Call, _ []any) (any, error) {
		return sqlvalue.Now(ctx).Truncate(24 * time.Hour), nil
	}}
}

func unixTimestampType(ctx *sql.Context, args []sql.Expression) sql.Type {
	if len(args) == 0 {
		return types.Int64
	}
	if digits := builtins.FractionOf(ctx, args[0]); digits > 0 {
		return sqlvalue.DecimalType(11+digits, digits)
	}
	return types.Int64
}

func unixTimestamp(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	if len(args) == 0 {
		return ctx.QueryTime().Unix(), nil
	}
	digits := builtins.FractionOf(ctx, c.Args[0])
	m, ok, err := sqlvalue.MomentIn(ctx, c.Argument(ctx, 0), args[0], false)
	if err != nil {
		return nil, err
	}
	us := int64(0)
	if m = m.Dated(ctx); ok && m.HasMonthAndDay() {
		t := m.GoTime()
		us = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), sqlvalue.SessionZone(ctx)).UnixMicro()
		if us < 0 || us/sqlvalue.MicrosPerSecond > lastSecond {
			us = 0
		}
	}
	if digits > 0 {
		return sqlvalue.Rescale(decimal.New(us, -sqlvalue.MaxMicro).Truncate(int32(digits)), digits), nil
	}
	return us / sqlvalue.MicrosPerSecond, nil
}
