package sqlvalue

import (
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"
)

// Moment is a DATE, a DATETIME or a TIME in its parts, with MySQL's ranges: month and day can be 0,
// and a TIME can be negative or longer than 24 hours.
type Moment struct {
	HasDate, HasTime bool // a DATETIME has both
	Year, Month, Day int
	Micros           int64 // microseconds since midnight; for a TIME, its whole length
	Digits           int   // the number of digits behind the point
}

const (
	MicrosPerSecond = int64(1_000_000)
	MicrosPerMinute = 60 * MicrosPerSecond
	MicrosPerHour   = 60 * MicrosPerMinute
	MicrosPerDay    = 24 * MicrosPerHour
	// LongestTime is the longest TIME.
	LongestTime = 838*MicrosPerHour + 59*MicrosPerMinute + 59*MicrosPerSecond
)

// Hour, minute, second and micro are the parts of the time of day, or of a TIME without its sign.
func (m Moment) Hour() int   { return int(Abs(m.Micros) / MicrosPerHour) }
func (m Moment) Minute() int { return int(Abs(m.Micros) / MicrosPerMinute % 60) }
func (m Moment) Second() int { return int(Abs(m.Micros) / MicrosPerSecond % 60) }
func (m Moment) Micro() int  { return int(Abs(m.Micros) % MicrosPerSecond) }

func Abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// IsZero reports whether the date is 0000-00-00.
func (m Moment) IsZero() bool { return m.Year == 0 && m.Month == 0 && m.Day == 0 }

// HasMonthAndDay reports whether neither month nor day is 0.
func (m Moment) HasMonthAndDay() bool { return m.Month > 0 && m.Day > 0 }

// DayNumber returns the number of the day in MySQL's count, which is 1 for 0000-01-01.
func (m Moment) DayNumber() int { return DayNumber(m.Year, m.Month, m.Day) }

// goDays is the number of 1970-01-01 in MySQL's count of days.
const goDays = 719528

func DayNumber(year, month, day int) int {
	seconds := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix()
	return int(seconds/86400) + goDays
}

// Total returns the microseconds since the year 0; for a TIME, its length in microseconds.
func (m Moment) Total() int64 {
	if !m.HasDate {
		return m.Micros
	}
	return int64(m.DayNumber())*MicrosPerDay + m.Micros
}

// MomentAt returns the DATETIME that is total microseconds after the year 0. It returns false if
// that is out of MySQL's range.
func MomentAt(total int64, digits int) (Moment, bool) {
	days := total / MicrosPerDay
	us := total % MicrosPerDay
	if us < 0 {
		days, us = days-1, us+MicrosPerDay
	}
	if days < 1 || days > 3652424 {
		return Moment{}, false
	}
	t := time.Unix((days-goDays)*86400, 0).UTC()
	return Moment{HasDate: true, HasTime: true, Year: t.Year(), Month: int(t.Month()), Day: t.Day(), Micros: us, Digits: digits}, true
}

// GoTime returns a date as a time.Time, as go-mysql-server keeps it.
func (m Moment) GoTime() time.Time {
	if m.IsZero() {
		return types.ZeroTime
	}
	return time.Date(m.Year, time.Month(m.Month), m.Day, 0, 0, 0, 0, time.UTC).Add(time.Duration(m.Micros) * time.Microsecond)
}

// TimeOfDay returns m as a TIME. A DATETIME becomes its time of day, a DATE becomes 00:00:00.
func (m Moment) TimeOfDay() Moment {
	if !m.HasTime {
		return Moment{HasTime: true}
	}
	return Moment{HasTime: true, Micros: m.Micros, Digits: m.Digits}
}

// Dated returns m as a DATETIME. A TIME becomes that time of the current day in the session's time
// zone.
func (m Moment) Dated(ctx *sql.Context) Moment {
	if m.HasDate {
		m.HasTime = true
		return m
	}
	today := Now(ctx)
	d, _ := MomentAt(int64(DayNumber(today.Year(), int(today.Month()), today.Day()))*MicrosPerDay+m.Micros, m.Digits)
	return d
}

// Now returns the time when the statement began, in the session's time zone.
func Now(ctx *sql.Context) time.Time { return InSession(ctx, ctx.QueryTime()) }

// InSession returns what the clocks in the session's time zone show at the moment at, in the form
// in which go-mysql-server keeps times.
func InSession(ctx *sql.Context, at time.Time) time.Time { return WallClock(at.In(SessionZone(ctx))) }

// WallClock returns the date and time that t has in its own time zone as a time in UTC, which is
// how go-mysql-server keeps a DATETIME.
func WallClock(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// SessionZone returns the session's time_zone.
func SessionZone(ctx *sql.Context) *time.Location {
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

// Text returns m as the client sees it.
func (m Moment) Text() string {
	date := fmt.Sprintf("%04d-%02d-%02d", m.Year, m.Month, m.Day)
	switch {
	case !m.HasTime:
		return date
	case !m.HasDate:
		return TimeText(m.Micros, m.Digits)
	}
	return date + " " + TimeText(m.Micros, m.Digits)
}

// rounded returns m rounded to this many digits behind the point. It returns false if the result is
// out of range.
func (m Moment) rounded(digits int) (Moment, bool) {
	digits = min(max(digits, 0), MaxMicro)
	unit := MicrosPerSecond
	for range digits {
		unit /= 10
	}
	half := unit / 2
	if m.Micros < 0 {
		half = -half
	}
	us := (m.Micros + half) / unit * unit
	if m.HasDate && us >= MicrosPerDay {
		return MomentAt(int64(m.DayNumber())*MicrosPerDay+us, digits)
	}
	m.Micros, m.Digits = us, digits
	return m, true
}

// MomentIn returns a value of type t as a Moment. It reads a text or a number as a TIME if asTime
// is set, else as a DATE or DATETIME. For a text or number that is none, it returns false and adds
// a warning, or returns an error if [Strict] says so.
func MomentIn(ctx *sql.Context, t sql.Type, v any, asTime bool) (m Moment, ok bool, err error) {
	switch v := v.(type) {
	case time.Time:
		m = Moment{HasDate: true, HasTime: !types.IsDateType(t), Year: v.Year(), Month: int(v.Month()), Day: v.Day()}
		if v.Equal(types.ZeroTime) {
			m.Year, m.Month, m.Day = 0, 0, 0
		}
		if m.HasTime {
			m.Micros = int64(v.Hour())*MicrosPerHour + int64(v.Minute())*MicrosPerMinute + int64(v.Second())*MicrosPerSecond + int64(v.Nanosecond()/1000)
			m.Digits = MaxMicro
			if d, ok := t.(sql.DatetimeType); ok {
				m.Digits = d.Precision()
			}
		}
		return m, true, nil
	case types.Timespan:
		m = Moment{HasTime: true, Micros: int64(v), Digits: MaxMicro}
		if d, ok := t.(*Time); ok {
			m.Digits = d.digits
		}
		return m, true, nil
	case string:
		return textMoment(ctx, v, asTime)
	case []byte:
		return textMoment(ctx, string(v), asTime)
	}
	if types.IsJSON(t) {
		text, err := ClientText(ctx, t, v)
		if err != nil {
			return m, false, err
		}
		return textMoment(ctx, strings.Trim(text, `"`), asTime)
	}
	n, err := NumberOf(ctx, t, v)
	if err != nil {
		return m, false, err
	}
	if asTime {
		if m, ok = numberTime(n); !ok {
			return m, false, WrongValue(ctx, "time", n.Exactly().String())
		}
		return m, true, nil
	}
	if m, ok = numberDate(n); !ok || ZeroRefused(ctx, m) {
		return m, false, WrongValue(ctx, "datetime", n.Exactly().String())
	}
	return m, true, nil
}

func textMoment(ctx *sql.Context, s string, asTime bool) (Moment, bool, error) {
	word, parse := "datetime", ParseDate
	if asTime {
		word, parse = "time", ParseTime
	}
	m, ok, whole := parse(s)
	switch {
	case !ok || !asTime && ZeroRefused(ctx, m):
		return m, false, WrongValue(ctx, word, s)
	case !whole:
		return m, true, Complain(ctx, mysql.ERTruncatedWrongValue, WrongValueState, "Truncated incorrect "+word+" value: '"+s+"'")
	}
	return m, true, nil
}

// ZeroRefused reports whether m is 0000-00-00 and the sql_mode does not allow that.
func ZeroRefused(ctx *sql.Context, m Moment) bool {
	return m.HasDate && m.IsZero() && sql.LoadSqlMode(ctx).ModeEnabled("NO_ZERO_DATE")
}

// WrongValue adds the warning, or returns the error, for a text s that is no date or time. word is
// the type that the message names: "time" or "datetime".
func WrongValue(ctx *sql.Context, word, s string) error {
	verb := "Incorrect "
	if word == "time" {
		verb = "Truncated incorrect "
	}
	return Complain(ctx, mysql.ERTruncatedWrongValue, WrongValueState, verb+word+" value: '"+s+"'")
}

// TextReader reads the parts of a text from left to right.
type TextReader struct {
	Text string
	At   int
}

// Digits reads at most n digits. It returns their value, and how many there are.
func (r *TextReader) Digits(n int) (value, length int) {
	for length < n && r.At < len(r.Text) && IsDigit(r.Text[r.At]) {
		value = value*10 + int(r.Text[r.At]-'0')
		length++
		r.At++
	}
	return value, length
}

func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

func IsSpace(c byte) bool { return strings.IndexByte(Blanks, c) >= 0 }

func IsPunctuation(c byte) bool {
	return c > ' ' && c < 0x7F && !IsDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z')
}

func (r *TextReader) Spaces() {
	for r.At < len(r.Text) && IsSpace(r.Text[r.At]) {
		r.At++
	}
}

// fraction reads the digits behind a point. It returns them in microseconds, rounded, and the
// number of digits, at most 6.
func (r *TextReader) fraction() (us int64, digits int) {
	us64, n := r.Digits(MaxMicro)
	us = int64(us64)
	for i := n; i < MaxMicro; i++ {
		us *= 10
	}
	if r.At < len(r.Text) && IsDigit(r.Text[r.At]) {
		if r.Text[r.At] >= '5' {
			us++
		}
		for r.At < len(r.Text) && IsDigit(r.Text[r.At]) {
			r.At++
		}
	}
	return us, n
}

// Ended reports whether only spaces follow.
func (r *TextReader) Ended() bool {
	r.Spaces()
	return r.At == len(r.Text)
}

// Century returns the year that a year of two digits means: 1970 to 2069.
func Century(year int) int {
	if year < 70 {
		return year + 2000
	}
	return year + 1900
}

// ParseDate reads a text as a DATE or DATETIME. whole reports whether nothing but blanks follows.
func ParseDate(s string) (m Moment, ok, whole bool) {
	r := TextReader{Text: s}
	r.Spaces()
	start := r.At
	for r.At < len(s) && IsDigit(s[r.At]) {
		r.At++
	}
	run := r.At - start
	r.At = start
	if run > 4 && (start+run == len(s) || s[start+run] == '.' || IsSpace(s[start+run]) || s[start+run]|0x20 == 't') {
		return digitsDate(&r, run)
	}
	parts := [6]int{}
	found := 0
	m = Moment{HasDate: true}
	for i := range parts {
		most := 2
		if i == 0 {
			most = 4
		}
		n, length := r.Digits(most)
		if length == 0 {
			break
		}
		if i == 0 && length == 2 {
			n = Century(n)
		}
		parts[i] = n
		found++
		if i == 2 && r.At < len(s) && (IsSpace(s[r.At]) || s[r.At]|0x20 == 't') {
			mark := r.At
			if s[r.At]|0x20 == 't' {
				r.At++
			}
			r.Spaces()
			if r.At == len(s) || !IsDigit(s[r.At]) {
				r.At = mark
				break
			}
			continue
		}
		if i == 5 || r.At == len(s) || !IsPunctuation(s[r.At]) || s[r.At] == '+' || i > 2 && s[r.At] == '-' {
			break
		}
		mark := r.At
		for r.At < len(s) && IsPunctuation(s[r.At]) {
			r.At++
		}
		if r.At == len(s) || !IsDigit(s[r.At]) {
			r.At = mark
			break
		}
	}
	if found < 3 {
		return m, false, false
	}
	m.Year, m.Month, m.Day = parts[0], parts[1], parts[2]
	m.HasTime = found > 3
	return m.withClock(&r, parts[3], parts[4], parts[5], found == 6)
}

// digitsDate reads a date without separators, which begins with run digits.
func digitsDate(r *TextReader, run int) (m Moment, ok, whole bool) {
	m = Moment{HasDate: true}
	if run == 8 || run >= 14 {
		m.Year, _ = r.Digits(4)
	} else {
		year, _ := r.Digits(2)
		m.Year = Century(year)
	}
	m.Month, _ = r.Digits(2)
	m.Day, _ = r.Digits(2)
	if run <= 8 {
		if run < 6 || run == 7 {
			return m, false, false
		}
		if r.At < len(r.Text) && r.Text[r.At]|0x20 == 't' || r.At+1 < len(r.Text) && IsSpace(r.Text[r.At]) && IsDigit(r.Text[r.At+1]) {
			r.At++
			hour, n := r.Digits(2)
			if n > 0 {
				m.HasTime = true
				minute, second := 0, 0
				for _, part := range []*int{&minute, &second} {
					if r.At < len(r.Text) && r.Text[r.At] == ':' {
						r.At++
					}
					*part, _ = r.Digits(2)
				}
				return m.withClock(r, hour, minute, second, true)
			}
		}
		return m.withClock(r, 0, 0, 0, false)
	}
	m.HasTime = true
	hour, _ := r.Digits(2)
	minute, _ := r.Digits(2)
	second, _ := r.Digits(2)
	return m.withClock(r, hour, minute, second, true)
}

// withClock adds the time of day. If seconds is set, it also reads a fraction, which can follow
// them.
func (m Moment) withClock(r *TextReader, hour, minute, second int, seconds bool) (_ Moment, ok, whole bool) {
	if m.Month > 12 || m.Day > 31 || hour > 23 || minute > 59 || second > 59 {
		return m, false, false
	}
	if m.Month > 0 && m.Day > DaysIn(m.Year, m.Month) {
		return m, false, false
	}
	m.Micros = int64(hour)*MicrosPerHour + int64(minute)*MicrosPerMinute + int64(second)*MicrosPerSecond
	if seconds && r.At < len(r.Text) && r.Text[r.At] == '.' {
		r.At++
		var us int64
		us, m.Digits = r.fraction()
		m.Micros += us
		if m.Micros >= MicrosPerDay {
			m, _ = MomentAt(m.Total(), m.Digits)
		}
	}
	return m, true, r.Ended()
}

func DaysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// ParseTime reads a text as a TIME. A DATETIME becomes its time of day. whole reports whether
// nothing but blanks follows and the value is in the range of TIME.
func ParseTime(s string) (m Moment, ok, whole bool) {
	r := TextReader{Text: s}
	r.Spaces()
	negative := false
	if r.At < len(s) && s[r.At] == '-' {
		negative = true
		r.At++
	} else if len(s)-r.At >= 12 && strings.ContainsAny(strings.TrimRight(s[r.At:], Blanks), " Tt") {
		if m, ok, whole := ParseDate(s); ok && m.HasTime {
			return m.TimeOfDay(), true, whole
		}
	}
	start := r.At
	first, n := r.Digits(10)
	if n == 0 {
		if r.At == len(s) || s[r.At] != '.' && s[r.At] != ':' || s[r.At] == ':' {
			return m, false, false
		}
	}
	var hour, minute, second int
	days := 0
	mark := r.At
	r.Spaces()
	switch {
	case r.At > mark && r.At < len(s) && IsDigit(s[r.At]): // days hours:minutes:seconds
		days = first
		hour, _ = r.Digits(4)
		for _, part := range []*int{&minute, &second} {
			if r.At+1 >= len(s) || s[r.At] != ':' || !IsDigit(s[r.At+1]) {
				break
			}
			r.At++
			*part, _ = r.Digits(4)
		}
	case mark < len(s) && s[mark] == ':' && mark+1 < len(s) && IsDigit(s[mark+1]):
		hour = first
		r.At = mark
		for _, part := range []*int{&minute, &second} {
			if r.At+1 >= len(s) || s[r.At] != ':' || !IsDigit(s[r.At+1]) {
				break
			}
			r.At++
			*part, _ = r.Digits(4)
		}
	default:
		r.At = mark
		if n > 7 {
			r.At = start
			if m, ok, whole := ParseDate(s[start:]); ok && !negative {
				return m.TimeOfDay(), true, whole
			}
			return m, false, false
		}
		hour, minute, second = first/10000, first/100%100, first%100
	}
	if minute > 59 || second > 59 {
		return m, false, false
	}
	m = Moment{HasTime: true, Micros: int64(days)*MicrosPerDay + int64(hour)*MicrosPerHour + int64(minute)*MicrosPerMinute + int64(second)*MicrosPerSecond}
	if r.At < len(s) && s[r.At] == '.' {
		r.At++
		us, digits := r.fraction()
		m.Micros, m.Digits = m.Micros+us, digits
	}
	whole = r.Ended()
	if m.Micros > LongestTime {
		m.Micros, whole = LongestTime, false
	}
	if negative {
		m.Micros = -m.Micros
	}
	return m, true, whole
}

// parts returns the integer part of n without its sign, the fraction of n in microseconds, and the
// number of digits behind the point. It returns false if the integer part is above 1e17.
func (n Number) parts() (whole, us int64, digits int, ok bool) {
	d := n.Exactly().Abs()
	if n.Kind == Exact {
		digits = min(max(0, int(-n.Decimal.Exponent())), MaxMicro)
	} else if n.Kind == Approximate {
		digits = MaxMicro
	}
	d = d.Round(MaxMicro)
	i := d.Truncate(0)
	if i.GreaterThan(decimal.New(1, 17)) {
		return 0, 0, 0, false
	}
	return i.IntPart(), d.Sub(i).Shift(MaxMicro).IntPart(), digits, true
}

func (n Number) IsNegative() bool {
	return n.Kind == Exact && n.Decimal.IsNegative() || n.Kind == Approximate && n.Double < 0 || n.Kind == Integer && n.Negative
}

// NumberAsMoment returns a number such as 20240131 or 20240131235959 as the text of the date that it stands for, or of the time if asTime is set,
// any other value as it is.
//
// go-mysql-server: takes no numbers for dates where they are stored, and cuts off the fraction of times. MySQL: takes and rounds them.
func NumberAsMoment(v any, asTime bool) any {
	switch v.(type) {
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, decimal.Decimal:
	default:
		return v
	}
	n, err := NumberOf(nil, nil, v)
	if err != nil || n.IsZero() {
		return v
	}
	m, ok := Moment{}, false
	if asTime {
		m, ok = numberTime(n)
	} else {
		m, ok = numberDate(n)
	}
	if !ok {
		return v
	}
	return m.Text()
}

// numberDate returns the date that a number such as 20240131 or 20240131235959 stands for. It
// returns false if the number is no date.
func numberDate(n Number) (m Moment, ok bool) {
	whole, us, digits, ok := n.parts()
	if !ok || n.IsNegative() {
		return m, false
	}
	m = Moment{HasDate: true, HasTime: whole > 99_999_999, Digits: digits}
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
	m.Year, m.Month, m.Day = int(date/10000), int(date/100%100), int(date%100)
	m, ok, _ = m.withClock(&TextReader{}, int(clock/10000), int(clock/100%100), int(clock%100), false)
	if m.HasTime {
		m.Micros += us
	} else {
		m.Digits = 0
	}
	return m, ok
}

// numberTime returns the TIME that a number such as 101112 stands for, here 10:11:12. It returns
// false if the number is no TIME.
func numberTime(n Number) (m Moment, ok bool) {
	whole, us, digits, ok := n.parts()
	if !ok {
		return m, false
	}
	if whole > 8_385_959 {
		if whole >= 10_000_000_000 {
			if m, ok = numberDate(n); ok {
				return m.TimeOfDay(), true
			}
			return m, false
		}
		whole, us = 8_385_959, 0
	}
	minute, second := whole/100%100, whole%100
	if minute > 59 || second > 59 {
		return m, false
	}
	m = Moment{HasTime: true, Micros: whole/10000*MicrosPerHour + minute*MicrosPerMinute + second*MicrosPerSecond + us, Digits: digits}
	if n.IsNegative() {
		m.Micros = -m.Micros
	}
	return m, true
}

// DatetimeType returns the type DATETIME(digits).
func DatetimeType(digits int) sql.Type {
	return types.MustCreateDatetimeType(querypb.Type_DATETIME, min(max(digits, 0), MaxMicro))
}

// TimeValue returns the time of m as a TIME with this many digits, in the form in which
// go-mysql-server keeps it. A time out of the range of TIME becomes the nearest one in it.
func TimeValue(m Moment, digits int) types.Timespan {
	m.HasDate = false
	m, _ = m.rounded(digits)
	return types.Timespan(min(max(m.Micros, -LongestTime), LongestTime))
}

// DatetimeValue returns m as a DATETIME with this many digits, in the form in which go-mysql-server
// keeps it. It returns nil if m is out of range.
func DatetimeValue(m Moment, digits int) any {
	m, ok := m.rounded(digits)
	if !ok || !m.HasMonthAndDay() && !m.IsZero() {
		return nil
	}
	return m.GoTime()
}

// ClockMoment returns a value of type t as a Moment. A text with a date and a time becomes a
// DATETIME. [MomentIn] reads everything else as a TIME.
func ClockMoment(ctx *sql.Context, t sql.Type, v any) (Moment, bool, error) {
	switch text := v.(type) {
	case []byte:
		v = string(text)
	case string:
	default:
		return MomentIn(ctx, t, v, true)
	}
	text := v.(string)
	if m, ok, whole := ParseDate(text); ok && m.HasTime && whole && strings.ContainsAny(text, "-/T") && strings.Count(text, ":") > 0 {
		return m, true, nil
	}
	return MomentIn(ctx, t, v, true)
}
