package compat

import (
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"
)

// moment is a DATE, a DATETIME or a TIME, as MySQL takes it apart: months and days can be 0, and a TIME can have
// more than 24 hours and be negative.
type moment struct {
	hasDate, hasTime bool // both: a DATETIME
	year, month, day int
	us               int64 // since midnight; of a TIME the whole
	digits           int   // behind the point
}

const (
	usSecond = int64(1_000_000)
	usMinute = 60 * usSecond
	usHour   = 60 * usMinute
	usDay    = 24 * usHour
	// longestTime is the longest TIME.
	longestTime = 838*usHour + 59*usMinute + 59*usSecond
)

// hour, minute, second and micro are the parts of the time of day, or of a TIME without its sign.
func (m moment) hour() int   { return int(abs(m.us) / usHour) }
func (m moment) minute() int { return int(abs(m.us) / usMinute % 60) }
func (m moment) second() int { return int(abs(m.us) / usSecond % 60) }
func (m moment) micro() int  { return int(abs(m.us) % usSecond) }

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// isZero tells whether the date is 0000-00-00.
func (m moment) isZero() bool { return m.year == 0 && m.month == 0 && m.day == 0 }

// whole tells whether neither month nor day is 0.
func (m moment) whole() bool { return m.month > 0 && m.day > 0 }

// dayNumber is the number of the day, 1 for 0000-01-01 as MySQL counts.
func (m moment) dayNumber() int { return dayNumber(m.year, m.month, m.day) }

// goDays is the number that MySQL has for 1970-01-01.
const goDays = 719528

func dayNumber(year, month, day int) int {
	seconds := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix()
	return int(seconds/86400) + goDays
}

// total is the microseconds since the year 0, of a TIME since it was 0.
func (m moment) total() int64 {
	if !m.hasDate {
		return m.us
	}
	return int64(m.dayNumber())*usDay + m.us
}

// momentAt is the DATETIME so many microseconds after the year 0; false if MySQL has none.
func momentAt(total int64, digits int) (moment, bool) {
	days := total / usDay
	us := total % usDay
	if us < 0 {
		days, us = days-1, us+usDay
	}
	if days < 1 || days > 3652424 {
		return moment{}, false
	}
	t := time.Unix((days-goDays)*86400, 0).UTC()
	return moment{hasDate: true, hasTime: true, year: t.Year(), month: int(t.Month()), day: t.Day(), us: us, digits: digits}, true
}

// goTime is a date as the SQL engine holds it.
func (m moment) goTime() time.Time {
	if m.isZero() {
		return types.ZeroTime
	}
	return time.Date(m.year, time.Month(m.month), m.day, 0, 0, 0, 0, time.UTC).Add(time.Duration(m.us) * time.Microsecond)
}

// timeOfDay is a TIME: of a DATETIME its time.
func (m moment) timeOfDay() moment {
	if !m.hasTime {
		return moment{hasTime: true}
	}
	return moment{hasTime: true, us: m.us, digits: m.digits}
}

// dated is a DATETIME: of a TIME that of today.
func (m moment) dated(ctx *sql.Context) moment {
	if m.hasDate {
		m.hasTime = true
		return m
	}
	today := now(ctx)
	d, _ := momentAt(int64(dayNumber(today.Year(), int(today.Month()), today.Day()))*usDay+m.us, m.digits)
	return d
}

// now is when the statement began, in the session's zone.
func now(ctx *sql.Context) time.Time { return inSession(ctx, ctx.QueryTime()) }

// inSession is the clock of the session's zone at a moment, as the SQL engine holds times.
func inSession(ctx *sql.Context, at time.Time) time.Time { return naive(at.In(sessionZone(ctx))) }

// naive is what a clock shows, as the SQL engine holds it.
func naive(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// sessionZone is the session's time_zone.
func sessionZone(ctx *sql.Context) *time.Location {
	v, err := ctx.GetSessionVariable(ctx, "time_zone")
	name, ok := v.(string)
	if err != nil || !ok || strings.EqualFold(name, "SYSTEM") {
		return time.Local
	}
	if offset, err := sql.MySQLOffsetToDuration(name); err == nil {
		return time.FixedZone(name, int(offset/time.Second))
	}
	if zone, err := time.LoadLocation(name); err == nil {
		return zone
	}
	return time.Local
}

// text is m as a client is shown it.
func (m moment) text() string {
	date := fmt.Sprintf("%04d-%02d-%02d", m.year, m.month, m.day)
	switch {
	case !m.hasTime:
		return date
	case !m.hasDate:
		return timeText(m.us, m.digits)
	}
	return date + " " + timeText(m.us, m.digits)
}

// rounded is m with so many digits behind the point; false if there is no such time.
func (m moment) rounded(digits int) (moment, bool) {
	digits = min(max(digits, 0), maxMicro)
	unit := usSecond
	for range digits {
		unit /= 10
	}
	half := unit / 2
	if m.us < 0 {
		half = -half
	}
	us := (m.us + half) / unit * unit
	if m.hasDate && us >= usDay {
		return momentAt(int64(m.dayNumber())*usDay+us, digits)
	}
	m.us, m.digits = us, digits
	return m, true
}

// momentIn is a value of a type as a moment. A text or a number is read as a TIME if asTime is set, else as a date.
// false is what is none, of which a warning tells.
func momentIn(ctx *sql.Context, t sql.Type, v any, asTime bool) (m moment, ok bool, err error) {
	switch v := v.(type) {
	case time.Time:
		m = moment{hasDate: true, hasTime: !types.IsDateType(t), year: v.Year(), month: int(v.Month()), day: v.Day()}
		if v.Equal(types.ZeroTime) {
			m.year, m.month, m.day = 0, 0, 0
		}
		if m.hasTime {
			m.us = int64(v.Hour())*usHour + int64(v.Minute())*usMinute + int64(v.Second())*usSecond + int64(v.Nanosecond()/1000)
			m.digits = maxMicro
			if d, ok := t.(sql.DatetimeType); ok {
				m.digits = d.Precision()
			}
		}
		return m, true, nil
	case types.Timespan:
		m = moment{hasTime: true, us: int64(v), digits: maxMicro}
		if d, ok := t.(*Time); ok {
			m.digits = d.digits
		}
		return m, true, nil
	case string:
		return textMoment(ctx, v, asTime)
	case []byte:
		return textMoment(ctx, string(v), asTime)
	}
	if types.IsJSON(t) {
		text, err := shownText(ctx, t, v)
		if err != nil {
			return m, false, err
		}
		return textMoment(ctx, strings.Trim(text, `"`), asTime)
	}
	n, err := numberOf(ctx, t, v)
	if err != nil {
		return m, false, err
	}
	if asTime {
		if m, ok = numberTime(n); !ok {
			return m, false, wrongValue(ctx, "time", n.exactly().String())
		}
		return m, true, nil
	}
	if m, ok = numberDate(n); !ok || zeroRefused(ctx, m) {
		return m, false, wrongValue(ctx, "datetime", n.exactly().String())
	}
	return m, true, nil
}

func textMoment(ctx *sql.Context, s string, asTime bool) (moment, bool, error) {
	word, parse := "datetime", parseDate
	if asTime {
		word, parse = "time", parseTime
	}
	m, ok, whole := parse(s)
	switch {
	case !ok || !asTime && zeroRefused(ctx, m):
		return m, false, wrongValue(ctx, word, s)
	case !whole:
		return m, true, complain(ctx, mysql.ERTruncatedWrongValue, stateValue, "Truncated incorrect "+word+" value: '"+s+"'")
	}
	return m, true, nil
}

// zeroRefused tells whether m is 0000-00-00 and must not be so.
func zeroRefused(ctx *sql.Context, m moment) bool {
	return m.hasDate && m.isZero() && sql.LoadSqlMode(ctx).ModeEnabled("NO_ZERO_DATE")
}

// wrongValue complains of a text that is no time.
func wrongValue(ctx *sql.Context, word, s string) error {
	verb := "Incorrect "
	if word == "time" {
		verb = "Truncated incorrect "
	}
	return complain(ctx, mysql.ERTruncatedWrongValue, stateValue, verb+word+" value: '"+s+"'")
}

// reader reads the parts of a text from left to right.
type reader struct {
	s  string
	at int
}

// digits reads at most n digits: their number, and how many there are.
func (r *reader) digits(n int) (value, length int) {
	for length < n && r.at < len(r.s) && isDigit(r.s[r.at]) {
		value = value*10 + int(r.s[r.at]-'0')
		length++
		r.at++
	}
	return value, length
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isSpace(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }

func isPunctuation(c byte) bool {
	return c > ' ' && c < 0x7F && !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z')
}

func (r *reader) spaces() {
	for r.at < len(r.s) && isSpace(r.s[r.at]) {
		r.at++
	}
}

// fraction reads the digits behind a point: microseconds, rounded, and how many digits there are.
func (r *reader) fraction() (us int64, digits int) {
	us64, n := r.digits(maxMicro)
	us = int64(us64)
	for i := n; i < maxMicro; i++ {
		us *= 10
	}
	if r.at < len(r.s) && isDigit(r.s[r.at]) {
		if r.s[r.at] >= '5' {
			us++
		}
		for r.at < len(r.s) && isDigit(r.s[r.at]) {
			r.at++
		}
	}
	return us, n
}

// ended tells whether nothing but spaces follows.
func (r *reader) ended() bool {
	r.spaces()
	return r.at == len(r.s)
}

// century is the year that two digits mean.
func century(year int) int {
	if year < 70 {
		return year + 2000
	}
	return year + 1900
}

// parseDate reads a text as a DATE or DATETIME; whole tells whether nothing else follows it.
func parseDate(s string) (m moment, ok, whole bool) {
	r := reader{s: s}
	r.spaces()
	start := r.at
	for r.at < len(s) && isDigit(s[r.at]) {
		r.at++
	}
	run := r.at - start
	r.at = start
	if run > 4 && (start+run == len(s) || s[start+run] == '.' || isSpace(s[start+run]) || s[start+run]|0x20 == 't') {
		return digitsDate(&r, run)
	}
	parts := [6]int{}
	found := 0
	m = moment{hasDate: true}
	for i := range parts {
		most := 2
		if i == 0 {
			most = 4
		}
		n, length := r.digits(most)
		if length == 0 {
			break
		}
		if i == 0 && length == 2 {
			n = century(n)
		}
		parts[i] = n
		found++
		if i == 2 && r.at < len(s) && (isSpace(s[r.at]) || s[r.at]|0x20 == 't') {
			mark := r.at
			if s[r.at]|0x20 == 't' {
				r.at++
			}
			r.spaces()
			if r.at == len(s) || !isDigit(s[r.at]) {
				r.at = mark
				break
			}
			continue
		}
		if i == 5 || r.at == len(s) || !isPunctuation(s[r.at]) || s[r.at] == '+' || i > 2 && s[r.at] == '-' {
			break
		}
		mark := r.at
		for r.at < len(s) && isPunctuation(s[r.at]) {
			r.at++
		}
		if r.at == len(s) || !isDigit(s[r.at]) {
			r.at = mark
			break
		}
	}
	if found < 3 {
		return m, false, false
	}
	m.year, m.month, m.day = parts[0], parts[1], parts[2]
	m.hasTime = found > 3
	return m.withClock(&r, parts[3], parts[4], parts[5], found == 6)
}

// digitsDate reads a date that is a run of digits.
func digitsDate(r *reader, run int) (m moment, ok, whole bool) {
	m = moment{hasDate: true}
	if run == 8 || run >= 14 {
		m.year, _ = r.digits(4)
	} else {
		year, _ := r.digits(2)
		m.year = century(year)
	}
	m.month, _ = r.digits(2)
	m.day, _ = r.digits(2)
	if run <= 8 {
		if run < 6 || run == 7 {
			return m, false, false
		}
		if r.at < len(r.s) && r.s[r.at]|0x20 == 't' || r.at+1 < len(r.s) && isSpace(r.s[r.at]) && isDigit(r.s[r.at+1]) {
			r.at++
			hour, n := r.digits(2)
			if n > 0 {
				m.hasTime = true
				minute, second := 0, 0
				for _, part := range []*int{&minute, &second} {
					if r.at < len(r.s) && r.s[r.at] == ':' {
						r.at++
					}
					*part, _ = r.digits(2)
				}
				return m.withClock(r, hour, minute, second, true)
			}
		}
		return m.withClock(r, 0, 0, 0, false)
	}
	m.hasTime = true
	hour, _ := r.digits(2)
	minute, _ := r.digits(2)
	second, _ := r.digits(2)
	return m.withClock(r, hour, minute, second, true)
}

// withClock adds the time of day, whose fraction and zone r stands before, if they may follow.
func (m moment) withClock(r *reader, hour, minute, second int, seconds bool) (_ moment, ok, whole bool) {
	if m.month > 12 || m.day > 31 || hour > 23 || minute > 59 || second > 59 {
		return m, false, false
	}
	if m.month > 0 && m.day > daysIn(m.year, m.month) {
		return m, false, false
	}
	m.us = int64(hour)*usHour + int64(minute)*usMinute + int64(second)*usSecond
	if seconds && r.at < len(r.s) && r.s[r.at] == '.' {
		r.at++
		var us int64
		us, m.digits = r.fraction()
		m.us += us
		if m.us >= usDay {
			m, _ = momentAt(m.total(), m.digits)
		}
	}
	return m, true, r.ended()
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// parseTime reads a text as a TIME, of one that is a DATETIME its time of day; whole tells whether nothing else follows.
func parseTime(s string) (m moment, ok, whole bool) {
	r := reader{s: s}
	r.spaces()
	negative := false
	if r.at < len(s) && s[r.at] == '-' {
		negative = true
		r.at++
	} else if len(s)-r.at >= 12 && strings.ContainsAny(strings.TrimRight(s[r.at:], blanks), " Tt") {
		if m, ok, whole := parseDate(s); ok && m.hasTime {
			return m.timeOfDay(), true, whole
		}
	}
	start := r.at
	first, n := r.digits(10)
	if n == 0 {
		if r.at == len(s) || s[r.at] != '.' && s[r.at] != ':' || s[r.at] == ':' {
			return m, false, false
		}
	}
	var hour, minute, second int
	days := 0
	mark := r.at
	r.spaces()
	switch {
	case r.at > mark && r.at < len(s) && isDigit(s[r.at]): // days hours:minutes:seconds
		days = first
		hour, _ = r.digits(4)
		for _, part := range []*int{&minute, &second} {
			if r.at+1 >= len(s) || s[r.at] != ':' || !isDigit(s[r.at+1]) {
				break
			}
			r.at++
			*part, _ = r.digits(4)
		}
	case mark < len(s) && s[mark] == ':' && mark+1 < len(s) && isDigit(s[mark+1]):
		hour = first
		r.at = mark
		for _, part := range []*int{&minute, &second} {
			if r.at+1 >= len(s) || s[r.at] != ':' || !isDigit(s[r.at+1]) {
				break
			}
			r.at++
			*part, _ = r.digits(4)
		}
	default:
		r.at = mark
		if n > 7 {
			r.at = start
			if m, ok, whole := parseDate(s[start:]); ok && !negative {
				return m.timeOfDay(), true, whole
			}
			return m, false, false
		}
		hour, minute, second = first/10000, first/100%100, first%100
	}
	if minute > 59 || second > 59 {
		return m, false, false
	}
	m = moment{hasTime: true, us: int64(days)*usDay + int64(hour)*usHour + int64(minute)*usMinute + int64(second)*usSecond}
	if r.at < len(s) && s[r.at] == '.' {
		r.at++
		us, digits := r.fraction()
		m.us, m.digits = m.us+us, digits
	}
	whole = r.ended()
	if m.us > longestTime {
		m.us, whole = longestTime, false
	}
	if negative {
		m.us = -m.us
	}
	return m, true, whole
}

// parts are the digits of n in front of the point, and its microseconds.
func (n number) parts() (whole, us int64, digits int, ok bool) {
	d := n.exactly().Abs()
	if n.kind == exact {
		digits = min(max(0, int(-n.decimal.Exponent())), maxMicro)
	} else if n.kind == approximate {
		digits = maxMicro
	}
	d = d.Round(maxMicro)
	i := d.Truncate(0)
	if i.GreaterThan(decimal.New(1, 17)) {
		return 0, 0, 0, false
	}
	return i.IntPart(), d.Sub(i).Shift(maxMicro).IntPart(), digits, true
}

func (n number) isNegative() bool {
	return n.kind == exact && n.decimal.IsNegative() || n.kind == approximate && n.double < 0 || n.kind == integer && n.negative
}

// numberDate is a number such as 20240131 or 20240131235959 as a date; false if it is none.
func numberDate(n number) (m moment, ok bool) {
	whole, us, digits, ok := n.parts()
	if !ok || n.isNegative() {
		return m, false
	}
	m = moment{hasDate: true, hasTime: whole > 99_999_999, digits: digits}
	date, clock := whole, int64(0)
	switch {
	case whole == 0:
		return m, true
	case whole < 101 || whole > 691231 && whole < 700101 || whole > 991231 && whole < 1_000_0101:
		return m, false
	case whole <= 691231:
		date += 20_000_000
	case whole <= 991231:
		date += 19_000_000
	case whole <= 99_991_231:
	case whole < 101_000_000:
		return m, false
	default:
		date, clock = whole/1_000_000, whole%1_000_000
		if date <= 691231 {
			date += 20_000_000
		} else if date <= 991231 {
			date += 19_000_000
		}
	}
	m.year, m.month, m.day = int(date/10000), int(date/100%100), int(date%100)
	m, ok, _ = m.withClock(&reader{}, int(clock/10000), int(clock/100%100), int(clock%100), false)
	if m.hasTime {
		m.us += us
	} else {
		m.digits = 0
	}
	return m, ok
}

// numberTime is a number such as 101112 as a TIME; false if it is none.
func numberTime(n number) (m moment, ok bool) {
	whole, us, digits, ok := n.parts()
	if !ok {
		return m, false
	}
	if whole > 8_385_959 {
		if whole >= 10_000_000_000 {
			if m, ok = numberDate(n); ok {
				return m.timeOfDay(), true
			}
			return m, false
		}
		whole, us = 8_385_959, 0
	}
	minute, second := whole/100%100, whole%100
	if minute > 59 || second > 59 {
		return m, false
	}
	m = moment{hasTime: true, us: whole/10000*usHour + minute*usMinute + second*usSecond + us, digits: digits}
	if n.isNegative() {
		m.us = -m.us
	}
	return m, true
}

// numberFraction is how many digits behind the point the time has that is made of e as a number.
func numberFraction(ctx *sql.Context, e sql.Expression) int {
	if types.IsText(e.Type(ctx)) {
		return maxMicro
	}
	return fractionOf(ctx, e)
}

// fractionOf is how many digits behind the point the time has that a value of e is.
func fractionOf(ctx *sql.Context, e sql.Expression) int {
	if a, ok := e.(*expression.Alias); ok {
		e = a.Child
	}
	switch t := e.Type(ctx).(type) {
	case *Time:
		return t.digits
	case sql.DatetimeType:
		if t.Type() == querypb.Type_DATE {
			return 0
		}
		return t.Precision()
	case sql.StringType:
		l, ok := e.(*expression.Literal)
		if !ok {
			return maxMicro
		}
		s, _ := l.Value().(string)
		if m, ok, _ := parseTime(s); ok {
			return m.digits
		}
		if m, ok, _ := parseDate(s); ok {
			return m.digits
		}
		return 0
	default:
		if types.IsNull(ctx, e) {
			return 0
		}
		if isTimespan(t) {
			return maxMicro
		}
	}
	c := classOf(ctx, e)
	switch c.kind {
	case exact:
		return min(c.fraction, maxMicro)
	case approximate:
		return maxMicro
	}
	return 0
}

// datetimeType is DATETIME(digits).
func datetimeType(digits int) sql.Type {
	return types.MustCreateDatetimeType(querypb.Type_DATETIME, min(max(digits, 0), maxMicro))
}
