package wire

import (
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// MendTemporal corrects the value of a marker of a prepared statement, if the client has sent a
// date or a time.
//
// The protocol layer makes a text of the value without leading zeros in its numbers. So 5
// microseconds would be half a second.
func MendTemporal(p *mysql.PrepareData, name string, b *querypb.BindVariable) {
	n, err := strconv.Atoi(strings.TrimPrefix(name, "v"))
	if err != nil || n < 1 || n > len(p.ParamsType) || b == nil || b.Type != querypb.Type_VARCHAR {
		return
	}
	switch querypb.Type(p.ParamsType[n-1]) {
	case querypb.Type_DATE, querypb.Type_DATETIME, querypb.Type_TIMESTAMP:
		b.Value = []byte(padded(string(b.Value), len("2006")))
	case querypb.Type_TIME:
		b.Value = []byte(clipped(padded(string(b.Value), len("15"))))
	}
}

// clipped returns a time of more than 838 hours as 838:59:59, as MySQL does.
func clipped(s string) string {
	hours, rest, _ := strings.Cut(s, ":")
	if n, err := strconv.Atoi(strings.TrimPrefix(hours, "-")); err != nil || n <= 838 {
		return s
	}
	sign := ""
	if hours[0] == '-' {
		sign = "-"
	}
	_, fraction, found := strings.Cut(rest, ".")
	if found {
		fraction = "." + fraction
	}
	return sign + "838:59:59" + fraction
}

// padded returns a date or a time with leading zeros in its numbers. The first number gets this
// many digits, the others the usual number.
func padded(s string, first int) string {
	const zeros = "000000"
	if strings.TrimSpace(s) == "" {
		return "0000-00-00 00:00:00"
	}
	whole, micros, fraction := strings.Cut(s, ".")
	to, width := make([]byte, 0, len("2006-01-02 15:04:05.000000")), first
	for i := 0; i < len(whole); {
		end := i
		for end < len(whole) && whole[end] >= '0' && whole[end] <= '9' {
			end++
		}
		if end == i {
			to = append(to, whole[i])
			i++
			continue
		}
		to = append(append(to, zeros[:max(0, width-(end-i))]...), whole[i:end]...)
		i, width = end, len("01")
	}
	if fraction {
		to = append(append(append(to, '.'), zeros[:max(0, len(zeros)-len(micros))]...), micros...)
	}
	return string(to)
}
