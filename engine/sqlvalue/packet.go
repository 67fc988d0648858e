package sqlvalue

import (
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// LeastPacket is the smallest possible max_allowed_packet, in bytes.
const LeastPacket = 1024

// FitsPacket reports whether a value of this many bytes is at most as large as max_allowed_packet.
func FitsPacket(ctx *sql.Context, size int64) bool {
	return size <= LeastPacket || size <= MaxAllowedPacket(ctx)
}

// MaxAllowedPacket returns max_allowed_packet, in bytes.
func MaxAllowedPacket(ctx *sql.Context) int64 {
	if ctx != nil && ctx.Session != nil {
		if v, err := ctx.GetSessionVariable(ctx, "max_allowed_packet"); err == nil {
			if n, ok := IntegerLiteral(v); ok && n.Size > 0 && n.Fits(false) {
				return int64(n.Size)
			}
		}
	}
	return 1 << 20
}

// TooLongText returns NULL, and adds the warning, or returns the error, that the value of the
// function name is too long.
func TooLongText(ctx *sql.Context, name string) (any, error) {
	most := strconv.FormatInt(MaxAllowedPacket(ctx), 10)
	return nil, Complain(ctx, 1301, "HY000", "Result of "+name+"() was larger than max_allowed_packet ("+most+") - truncated")
}

// LimitedValue returns v, the value of the function name. If v is larger than max_allowed_packet,
// it returns what [TooLongText] returns. A JSON document that is too deep, or a geometry that no
// column can keep, is an error.
func LimitedValue(ctx *sql.Context, name string, v any) (any, error) {
	switch s := v.(type) {
	case string:
		if !FitsPacket(ctx, int64(len(s))) {
			return TooLongText(ctx, name)
		}
		return v, nil
	case []byte:
		if !FitsPacket(ctx, int64(len(s))) {
			return TooLongText(ctx, name)
		}
		return v, nil
	case sql.JSONWrapper:
		m, err := MeasureJSON(ctx, s)
		switch {
		case err != nil:
			return nil, err
		case m.Deepest > MaxDocumentDepth:
			return nil, ErrTooDeep()
		case m.TooLarge(ctx):
			return TooLongText(ctx, name)
		}
	case types.GeometryValue:
		if !fitsColumn(s) {
			return nil, ErrGISData(name)
		}
		if !FitsPacket(ctx, GeometrySize(s)) {
			return TooLongText(ctx, name)
		}
	}
	return v, nil
}
