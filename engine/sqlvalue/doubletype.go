package sqlvalue

import (
	"fmt"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// Double is DOUBLE(M,D): a DOUBLE whose columns show D digits behind the point. Safe for concurrent
// use.
//
// go-mysql-server: does not know (M,D). Such a column is a DOUBLE, which shows as few digits as
// possible. MySQL: shows D digits behind the point.
type Double struct {
	sql.NumberType
	digits, decimals int
}

// NewDouble returns the type DOUBLE(digits,decimals).
func NewDouble(digits, decimals int) *Double {
	return &Double{types.Float64, digits, decimals}
}

// Decimals returns the number of digits behind the point.
func (d *Double) Decimals() int { return d.decimals }

// Append appends the text that clients see of a value.
func (d *Double) Append(to []byte, v float64) []byte {
	return strconv.AppendFloat(to, v, 'f', d.decimals, 64)
}

// SQL implements sql.Type.
func (d *Double) SQL(ctx *sql.Context, dest []byte, v any) (sqltypes.Value, error) {
	if v == nil {
		return sqltypes.NULL, nil
	}
	f, _, err := d.Convert(ctx, v)
	if err != nil {
		return sqltypes.Value{}, err
	}
	start := len(dest)
	return sqltypes.MakeTrusted(d.Type(), d.Append(dest, f.(float64))[start:]), nil
}

// String implements sql.Type.
func (d *Double) String() string { return fmt.Sprintf("double(%d,%d)", d.digits, d.decimals) }

// MaxTextResponseByteLength implements sql.Type.
func (d *Double) MaxTextResponseByteLength(*sql.Context) uint32 { return uint32(d.digits) }

// Equals implements sql.Type.
func (d *Double) Equals(o sql.Type) bool {
	other, ok := o.(*Double)
	return ok && *d == *other
}
