package top

import (
	"strconv"
	"time"
)

// A Kind says how a column's values are shown and compared.
type Kind int

// The kinds of columns. Values come from the server as text: numbers in decimal.
const (
	Text    Kind = iota
	Count        // a number
	Time         // picoseconds
	Seconds      // seconds, with a fraction
	Bytes
	Moment // a time in UTC
)

// A Value is a cell as the server sent it, but cleaned. Null is true for NULL.
type Value struct {
	Text string
	Null bool
}

const momentLayout = "2006-01-02 15:04:05.999999"

// number is the value as a number, to compare; ok is false if it is none.
func (v Value) number() (n float64, ok bool) {
	if v.Null {
		return 0, false
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	return n, err == nil
}

// show returns the value as people read it.
func (v Value) show(k Kind) string {
	if v.Null {
		return "-"
	}
	switch n, ok := v.number(); {
	case k == Moment:
		if t, err := time.Parse(momentLayout, v.Text); err == nil {
			return t.Local().Format("15:04:05")
		}
	case k == Text || !ok:
	case k == Time:
		return showTime(n)
	case k == Seconds:
		return showTime(n * 1e12)
	case k == Bytes:
		return showBytes(n)
	}
	return v.Text
}

// showTime returns picoseconds with three digits and a unit.
func showTime(ps float64) string {
	switch {
	case ps < 0:
		return "-" + showTime(-ps)
	case ps < 1e3:
		return digits(ps) + " ps"
	case ps < 1e6:
		return digits(ps/1e3) + " ns"
	case ps < 1e9:
		return digits(ps/1e6) + " us"
	case ps < 1e12:
		return digits(ps/1e9) + " ms"
	case ps < 120e12:
		return digits(ps/1e12) + " s"
	case ps < 7200e12:
		return digits(ps/60e12) + " min"
	}
	return digits(ps/3600e12) + " h"
}

// showBytes returns a number of bytes with three digits and a unit.
func showBytes(n float64) string {
	for _, unit := range []string{" B", " KiB", " MiB", " GiB"} {
		if n > -1000 && n < 1000 {
			return digits(n) + unit
		}
		n /= 1024
	}
	return digits(n) + " TiB"
}

// digits returns a number with three digits, or with all that are before the point.
func digits(n float64) string {
	places := 0
	switch {
	case n == float64(int64(n)) && n < 1000:
	case n < 10:
		places = 2
	case n < 100:
		places = 1
	}
	return strconv.FormatFloat(n, 'f', places, 64)
}
