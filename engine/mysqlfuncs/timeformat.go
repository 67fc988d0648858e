package mysqlfuncs

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// formatFunctions returns the functions that write and read times in a format.
//
// go-mysql-server: DATE_FORMAT of an invalid date is an error, and its weeks and years follow other
// modes; TIME_FORMAT has no hours beyond 23; STR_TO_DATE has no fractions, AM, PM and weeks, and
// takes February 30 for March 1. MySQL: as here.
func formatFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	sqlexpr.DefineAll(all,
		&sqlexpr.Definition{Name: "date_format", Least: 2, Most: 2, Value: dateFormat, TypeOf: func(ctx *sql.Context, args []sql.Expression) sql.Type {
			return formattedType(ctx, args[1:])
		}},
		&sqlexpr.Definition{Name: "time_format", Least: 2, Most: 2, Value: timeFormat, TypeOf: func(ctx *sql.Context, args []sql.Expression) sql.Type {
			return formattedType(ctx, args[1:])
		}},
		&sqlexpr.Definition{Name: "str_to_date", Least: 2, Most: 2, Value: strToDate, TypeOf: strToDateType},
	)
	return all
}

// formattedType returns the type of a formatted time. The format may be a literal or any expression.
func formattedType(_ *sql.Context, format []sql.Expression) sql.Type {
	const longest = 9 // a name
	l, ok := format[0].(*expression.Literal)
	if !ok {
		return sqlexpr.VarChar(100 * longest)
	}
	text, _ := l.Value().(string)
	length := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i == len(text)-1 {
			length++
			continue
		}
		i++
		switch text[i] {
		case 'M', 'W':
			length += longest
		case 'r':
			length += 11
		case 'T':
			length += 8
		case 'f':
			length += 6
		case 'D', 'Y', 'X', 'x':
			length += 4
		case 'a', 'b', 'j', 'H', 'k':
			length += 3
		default:
			length += 2
		}
	}
	return sqlexpr.VarChar(length)
}

func dateFormat(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	m, ok, err := sqlvalue.MomentIn(ctx, c.Argument(ctx, 0), args[0], false)
	if !ok || err != nil {
		return nil, err
	}
	format, err := c.Text(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	return formatMoment(m.Dated(ctx), format), nil
}

func timeFormat(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	m, ok, err := sqlvalue.MomentIn(ctx, c.Argument(ctx, 0), args[0], true)
	if !ok || err != nil {
		return nil, err
	}
	format, err := c.Text(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	return formatMoment(m.TimeOfDay(), format), nil
}

// ordinal returns the English suffix of a day's number.
func ordinal(n int) string {
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

// formatMoment returns m in a format of DATE_FORMAT; NULL if the format is empty, or has a name or
// a week that m does not have. It is one case for each letter of a format.
func formatMoment(m sqlvalue.Moment, format string) any {
	if format == "" {
		return nil
	}
	var b strings.Builder
	if !m.HasDate && m.Micros < 0 {
		b.WriteByte('-')
	}
	half := func() int { return (m.Hour()+11)%12 + 1 }
	day := func() string {
		if m.Hour()%24 < 12 {
			return "AM"
		}
		return "PM"
	}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i == len(format)-1 {
			b.WriteByte(format[i])
			continue
		}
		i++
		switch letter := format[i]; letter {
		case 'M', 'b':
			if m.Month == 0 {
				return nil
			}
			name := time.Month(m.Month).String()
			if letter == 'b' {
				name = name[:3]
			}
			b.WriteString(name)
		case 'W', 'a':
			if !m.HasDate || !m.HasMonthAndDay() {
				return nil
			}
			name := time.Weekday(weekday(m)).String()
			if letter == 'a' {
				name = name[:3]
			}
			b.WriteString(name)
		case 'D':
			fmt.Fprintf(&b, "%d%s", m.Day, ordinal(m.Day))
		case 'Y':
			fmt.Fprintf(&b, "%04d", m.Year)
		case 'y':
			fmt.Fprintf(&b, "%02d", m.Year%100)
		case 'm':
			fmt.Fprintf(&b, "%02d", m.Month)
		case 'c':
			fmt.Fprint(&b, m.Month)
		case 'd':
			fmt.Fprintf(&b, "%02d", m.Day)
		case 'e':
			fmt.Fprint(&b, m.Day)
		case 'f':
			fmt.Fprintf(&b, "%06d", m.Micro())
		case 'H':
			fmt.Fprintf(&b, "%02d", m.Hour())
		case 'k':
			fmt.Fprint(&b, m.Hour())
		case 'h', 'I':
			fmt.Fprintf(&b, "%02d", half())
		case 'l':
			fmt.Fprint(&b, half())
		case 'i':
			fmt.Fprintf(&b, "%02d", m.Minute())
		case 's', 'S':
			fmt.Fprintf(&b, "%02d", m.Second())
		case 'p':
			b.WriteString(day())
		case 'r':
			fmt.Fprintf(&b, "%02d:%02d:%02d %s", half(), m.Minute(), m.Second(), day())
		case 'T':
			fmt.Fprintf(&b, "%02d:%02d:%02d", m.Hour(), m.Minute(), m.Second())
		case 'j':
			if !m.HasDate || !m.HasMonthAndDay() {
				return nil
			}
			fmt.Fprintf(&b, "%03d", dayOfYear(m))
		case 'w':
			if !m.HasDate || !m.HasMonthAndDay() {
				return nil
			}
			fmt.Fprint(&b, weekday(m))
		case 'U', 'u', 'V', 'v', 'X', 'x':
			if !m.HasDate || !m.HasMonthAndDay() {
				return nil
			}
			week, year := week(m, map[byte]int{'U': 0, 'u': 1, 'V': 2, 'v': 3, 'X': 2, 'x': 3}[letter])
			if letter == 'X' || letter == 'x' {
				fmt.Fprintf(&b, "%04d", year)
			} else {
				fmt.Fprintf(&b, "%02d", week)
			}
		default:
			b.WriteByte(letter)
		}
	}
	return b.String()
}

// The parts of a time that a format can have.
const (
	dateLetters     = "MbWaDYymcdejUuVvXxw"
	timeLetters     = "HkhIlisSprTf"
	fractionLetters = "f"
)

// strToDateType returns the type of STR_TO_DATE. It depends on the parts in the format, if that is
// a literal.
func strToDateType(_ *sql.Context, args []sql.Expression) sql.Type {
	l, ok := args[1].(*expression.Literal)
	if !ok {
		return types.DatetimeMaxPrecision
	}
	format, _ := l.Value().(string)
	date, clock, fraction := lettersIn(format)
	switch {
	case clock && !date:
		return sqlvalue.NewTime(fraction)
	case clock:
		return sqlvalue.DatetimeType(fraction)
	}
	return types.Date
}

func lettersIn(format string) (date, clock bool, digits int) {
	for i := 0; i+1 < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		date = date || strings.IndexByte(dateLetters, format[i]) >= 0
		clock = clock || strings.IndexByte(timeLetters, format[i]) >= 0
		if strings.IndexByte(fractionLetters, format[i]) >= 0 {
			digits = sqlvalue.MaxMicro
		}
	}
	return date, clock, digits
}

func strToDate(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	text, err := c.Text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	format, err := c.Text(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	m, ok := readFormat(text, format)
	if !ok {
		return nil, sqlvalue.Complain(ctx, 1411, "HY000", "Incorrect datetime value: '"+text+"' for function str_to_date")
	}
	switch t := c.Type(ctx).(type) {
	case *sqlvalue.Time:
		return sqlvalue.TimeValue(m, t.Digits()), nil
	case sql.DatetimeType:
		if !m.HasMonthAndDay() && (!m.IsZero() || sqlvalue.ZeroRefused(ctx, sqlvalue.Moment{HasDate: true})) {
			return nil, sqlvalue.Complain(ctx, 1411, "HY000", "Incorrect datetime value: '"+text+"' for function str_to_date")
		}
		if types.IsDateType(t) {
			m.Micros = 0
		}
		return sqlvalue.DatetimeValue(m, t.Precision()), nil
	}
	return nil, nil
}

// readFormat reads a text in a format of STR_TO_DATE. ok is false if the text does not match, or is
// not a time. It is one case for each letter of a format.
func readFormat(text, format string) (m sqlvalue.Moment, ok bool) {
	r := sqlvalue.TextReader{Text: text}
	m.HasDate, m.HasTime = true, true
	var hour, minute, second, us int
	half, afternoon, monday := false, false, false
	weekday, dayOfYear, week, weekYear := -1, 0, -1, -1
	strict := false
	number := func(to *int, most int) bool {
		n, length := r.Digits(most)
		*to = n
		return length > 0
	}
	name := func(of func(int) string, n, short int) int {
		rest := strings.ToLower(text[r.At:])
		for i := range n {
			full := strings.ToLower(of(i))
			if short > 0 {
				full = full[:short]
			}
			if strings.HasPrefix(rest, full) {
				r.At += len(full)
				return i
			}
		}
		return -1
	}
	monthName := func(i int) string { return time.Month(i + 1).String() }
	dayName := func(i int) string { return time.Weekday(i).String() }
	meridiem := func() bool {
		if r.At+2 > len(text) {
			return false
		}
		switch strings.ToUpper(text[r.At : r.At+2]) {
		case "AM":
		case "PM":
			afternoon = true
		default:
			return false
		}
		r.At += 2
		half = true
		return true
	}
	clock := func() bool {
		for i, part := range []*int{&hour, &minute, &second} {
			if i > 0 {
				if r.At == len(text) || text[r.At] != ':' {
					return false
				}
				r.At++
			}
			if !number(part, 2) {
				return false
			}
		}
		return true
	}
	for i := 0; i < len(format); i++ {
		if sqlvalue.IsSpace(format[i]) {
			r.Spaces()
			continue
		}
		r.Spaces()
		if r.At == len(text) {
			break
		}
		if format[i] != '%' || i == len(format)-1 {
			if text[r.At] != format[i] {
				return m, false
			}
			r.At++
			continue
		}
		i++
		good := true
		switch format[i] {
		case 'Y':
			length := 0
			m.Year, length = r.Digits(4)
			if good = length > 0; length == 2 {
				m.Year = sqlvalue.Century(m.Year)
			}
		case 'y':
			good = number(&m.Year, 2)
			m.Year = sqlvalue.Century(m.Year)
		case 'm', 'c':
			good = number(&m.Month, 2)
		case 'M':
			m.Month = name(monthName, 12, 0) + 1
			good = m.Month > 0
		case 'b':
			m.Month = name(monthName, 12, 3) + 1
			good = m.Month > 0
		case 'd', 'e':
			good = number(&m.Day, 2)
		case 'D':
			good = number(&m.Day, 2)
			r.At = min(r.At+2, len(text))
		case 'h', 'I', 'l':
			half = true
			good = number(&hour, 2)
		case 'k', 'H':
			good = number(&hour, 2)
		case 'i':
			good = number(&minute, 2)
		case 's', 'S':
			good = number(&second, 2)
		case 'f':
			n, length := r.Digits(sqlvalue.MaxMicro)
			for range sqlvalue.MaxMicro - length {
				n *= 10
			}
			us, m.Digits, good = n, sqlvalue.MaxMicro, length > 0
		case 'p':
			good = half && meridiem()
		case 'W':
			weekday = name(dayName, 7, 0)
			good = weekday >= 0
		case 'a':
			weekday = name(dayName, 7, 3)
			good = weekday >= 0
		case 'w':
			good = number(&weekday, 1) && weekday < 7
		case 'j':
			good = number(&dayOfYear, 3) && dayOfYear > 0 && dayOfYear <= 366
		case 'V', 'U', 'v', 'u':
			monday = format[i] == 'v' || format[i] == 'u'
			strict = format[i] == 'V' || format[i] == 'v'
			good = number(&week, 2) && week <= 53 && (!strict || week > 0)
		case 'X', 'x':
			good = number(&weekYear, 4)
		case 'r':
			good = clock()
			r.Spaces()
			half = true
			good = good && meridiem()
		case 'T':
			good = clock()
		case '.':
			for r.At < len(text) && sqlvalue.IsPunctuation(text[r.At]) {
				r.At++
			}
		case '@':
			for r.At < len(text) && (text[r.At]|0x20 >= 'a' && text[r.At]|0x20 <= 'z') {
				r.At++
			}
		case '#':
			for r.At < len(text) && sqlvalue.IsDigit(text[r.At]) {
				r.At++
			}
		default:
			good = false
		}
		if !good {
			return m, false
		}
	}
	if half {
		if hour < 1 || hour > 12 {
			return m, false
		}
		hour %= 12
		if afternoon {
			hour += 12
		}
	}
	if dayOfYear > 0 {
		d, _ := sqlvalue.MomentAt(int64(sqlvalue.DayNumber(m.Year, 1, 1)+dayOfYear-1)*sqlvalue.MicrosPerDay, 0)
		m.Year, m.Month, m.Day = d.Year, d.Month, d.Day
	}
	if week >= 0 && weekday >= 0 {
		year := m.Year
		if strict {
			year = weekYear
		}
		if year < 0 {
			return m, false
		}
		mode := 0
		if strict {
			mode = 2
		}
		day := weekday
		if monday {
			mode |= 1
			day = (weekday + 6) % 7
		}
		d, ok := sqlvalue.MomentAt(int64(firstWeek(year, mode)+(week-1)*7+day)*sqlvalue.MicrosPerDay, 0)
		if !ok {
			return m, false
		}
		m.Year, m.Month, m.Day = d.Year, d.Month, d.Day
	}
	if m.Month > 12 || m.Day > 31 || hour > 23 || minute > 59 || second > 59 || m.Month > 0 && m.Day > sqlvalue.DaysIn(m.Year, m.Month) {
		return m, false
	}
	m.Micros = int64(hour)*sqlvalue.MicrosPerHour + int64(minute)*sqlvalue.MicrosPerMinute + int64(second)*sqlvalue.MicrosPerSecond + int64(us)
	return m, true
}

// timeUnits are the composite units of INTERVAL and EXTRACT, with their parts.
var timeUnits = map[string][]string{
	"YEAR_MONTH": {"YEAR", "MONTH"},
	"DAY_HOUR":   {"DAY", "HOUR"}, "DAY_MINUTE": {"DAY", "HOUR", "MINUTE"}, "DAY_SECOND": {"DAY", "HOUR", "MINUTE", "SECOND"},
	"DAY_MICROSECOND": {"DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND"},
	"HOUR_MINUTE":     {"HOUR", "MINUTE"}, "HOUR_SECOND": {"HOUR", "MINUTE", "SECOND"}, "HOUR_MICROSECOND": {"HOUR", "MINUTE", "SECOND", "MICROSECOND"},
	"MINUTE_SECOND": {"MINUTE", "SECOND"}, "MINUTE_MICROSECOND": {"MINUTE", "SECOND", "MICROSECOND"},
	"SECOND_MICROSECOND": {"SECOND", "MICROSECOND"},
}

// unitOf returns the name of a unit; for SQL_TSI_DAY it is DAY.
func unitOf(name string) string { return strings.TrimPrefix(strings.ToUpper(name), "SQL_TSI_") }

// isUnit reports whether a name is one of MySQL's units.
func isUnit(unit string) bool {
	switch unit {
	case "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND":
		return true
	}
	return timeUnits[unit] != nil
}

// numbersIn returns the whole numbers in a text, and the number of digits of the last one.
func numbersIn(s string) (numbers []int64, last int) {
	for i := 0; i < len(s); {
		if !sqlvalue.IsDigit(s[i]) {
			i++
			continue
		}
		from := i
		for i < len(s) && sqlvalue.IsDigit(s[i]) {
			i++
		}
		n, err := strconv.ParseInt(s[from:i], 10, 64)
		if err != nil {
			n = 1<<63 - 1
		}
		numbers, last = append(numbers, n), i-from
	}
	return numbers, last
}
