package sqlvalue

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"pfsd/engine/mends"
)

// Time is the type TIME with a number of digits behind the point. Safe for concurrent use.
//
// go-mysql-server: each TIME has six digits. MySQL: the declaration of a TIME, or the function that
// returns it, says how many digits it has.
type Time struct {
	types.TimespanType_
	digits int
}

// NewTime returns the type TIME(digits).
func NewTime(digits int) *Time {
	if !mends.DigitsOfTimes.On() {
		digits = MaxMicro
	}
	return &Time{digits: min(max(digits, 0), MaxMicro)}
}

// MaxMicro is the largest number of digits behind the point of a time.
const MaxMicro = 6

// Digits returns the number of digits behind the point.
func (t *Time) Digits() int { return t.digits }

// SQL implements sql.Type.
func (t *Time) SQL(_ *sql.Context, dest []byte, v any) (sqltypes.Value, error) {
	if v == nil {
		return sqltypes.NULL, nil
	}
	span, err := t.ConvertToTimespan(v)
	if err != nil {
		return sqltypes.Value{}, err
	}
	start := len(dest)
	return sqltypes.MakeTrusted(sqltypes.Time, append(dest, TimeText(int64(span), t.digits)...)[start:]), nil
}

// String implements sql.Type.
func (t *Time) String() string {
	if t.digits == 0 {
		return "time"
	}
	return fmt.Sprintf("time(%d)", t.digits)
}

// MaxTextResponseByteLength implements sql.Type.
func (t *Time) MaxTextResponseByteLength(*sql.Context) uint32 {
	if t.digits == 0 {
		return 10
	}
	return uint32(11 + t.digits)
}

// Equals implements sql.Type.
func (t *Time) Equals(o sql.Type) bool {
	other, ok := o.(*Time)
	return ok && *t == *other
}

// Promote implements sql.Type.
func (t *Time) Promote() sql.Type { return t }

// IsTimespan reports whether a type is TIME.
func IsTimespan(t sql.Type) bool {
	_, ok := t.(*Time)
	return ok || types.IsTimespan(t)
}

// TimeText returns a TIME of us microseconds as text, with this many digits behind the point.
func TimeText(us int64, digits int) string {
	var b strings.Builder
	if us < 0 {
		b.WriteByte('-')
		us = -us
	}
	s := us / 1e6
	fmt.Fprintf(&b, "%02d:%02d:%02d", s/3600, s/60%60, s%60)
	if digits > 0 {
		b.WriteString("." + fmt.Sprintf("%06d", us%1e6)[:digits])
	}
	return b.String()
}

// plainTime is an expression of type [Time] that has go-mysql-server's type of TIME instead, as
// go-mysql-server's comparisons need it.
type plainTime struct{ sql.Expression }

// Type implements sql.Expression.
func (plainTime) Type(*sql.Context) sql.Type { return types.Time }

// Children implements sql.Expression.
func (t plainTime) Children() []sql.Expression { return []sql.Expression{t.Expression} }

// WithChildren implements sql.Expression.
func (t plainTime) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(t, len(children), 1)
	}
	return plainTime{children[0]}, nil
}

// AsPlainTime returns e with go-mysql-server's type of TIME; false if e needs no change.
func AsPlainTime(ctx *sql.Context, e sql.Expression) (sql.Expression, bool) {
	if _, ok := e.Type(ctx).(*Time); ok {
		return plainTime{e}, true
	}
	return e, false
}
