package sqlvalue

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"
)

// MaxDocumentDepth is the largest depth of a JSON document.
const MaxDocumentDepth = 100

// MaxDocumentSize is the largest size of a JSON document, in bytes, unless max_allowed_packet is
// smaller. In memory a document takes about fifty times as much.
const MaxDocumentSize = 1 << 20

// MaxDocument returns the largest size of a JSON document in a session, in bytes.
func MaxDocument(ctx *sql.Context) int64 { return min(MaxDocumentSize, MaxAllowedPacket(ctx)) }

func ErrTooDeep() error {
	return mysql.NewSQLError(3157, "22032", "The JSON document exceeds the maximum depth.")
}

// ErrTooManyValues returns the error for a path that leads to more values than a document can have bytes.
func ErrTooManyValues(ctx *sql.Context) error {
	return mysql.NewSQLError(3170, "HY000", "Memory capacity of %d bytes for 'JSON_TABLE' exceeded.", MaxDocument(ctx))
}

// TextDepth returns the depth of the JSON document in a text.
func TextDepth[T string | []byte](s T) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[', c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']', c == '}':
			depth--
		}
	}
	return deepest + 1 // a document that is a single value has depth 1
}

// DocumentMeasure measures how large the text of a JSON document is, and how deep the document is.
// It stops when the document is too large or too deep. Owned by one goroutine.
type DocumentMeasure struct {
	Left     int64 // how many bytes of MaxDocumentSize are left
	Deepest  int   // the depth of the deepest value
	Indented bool  // the text has each value on a line of its own, and two spaces for each level
}

// Size returns the number of bytes, more than MaxDocumentSize if the document is too large.
func (m DocumentMeasure) Size() int64 { return MaxDocumentSize - m.Left }

// TooLarge reports whether the document is too large.
func (m DocumentMeasure) TooLarge(ctx *sql.Context) bool {
	return m.Size() > LeastPacket && m.Size() > MaxDocument(ctx)
}

// MeasureJSON returns the measure of a document.
func MeasureJSON(ctx *sql.Context, w sql.JSONWrapper) (DocumentMeasure, error) {
	m := DocumentMeasure{Left: MaxDocumentSize}
	if lazy, ok := w.(*types.LazyJSONDocument); ok {
		if m.Left -= int64(len(lazy.Bytes)); m.Left < 0 {
			return m, nil
		}
		m.Deepest = TextDepth(lazy.Bytes)
		return m, nil
	}
	v, err := w.ToInterface(ctx)
	if err != nil {
		return m, err
	}
	m.Value(v, 1)
	return m, nil
}

// Value adds v, which is at this depth of the document.
func (m *DocumentMeasure) Value(v any, depth int) {
	m.Deepest = max(m.Deepest, depth)
	if depth > MaxDocumentDepth || m.Left < 0 {
		return
	}
	if m.Left -= 2; m.Indented {
		m.Left -= 2 * int64(depth)
	}
	switch v := v.(type) {
	case nil, bool:
		m.Left -= 3
	case string:
		m.Text(v)
	case []byte:
		m.Left -= int64(len(v))
	case float64:
		m.Left -= doubleSize(v)
	case float32:
		m.Left -= doubleSize(float64(v))
	case decimal.Decimal:
		m.Left -= int64(v.Coefficient().BitLen()/3) + int64(max(v.Exponent(), -v.Exponent())) + 2
	case []any:
		for _, e := range v {
			m.Value(e, depth+1)
		}
	case map[string]any:
		for key, e := range v {
			m.Text(key)
			m.Value(e, depth+1)
		}
	case types.JSONDocument:
		m.Value(v.Val, depth)
	case *types.JSONDocument:
		m.Value(v.Val, depth)
	case *types.LazyJSONDocument:
		m.Left -= int64(len(v.Bytes))
		m.Deepest = max(m.Deepest, depth+TextDepth(v.Bytes)-1)
	default:
		m.Left -= 20
	}
}

// Text adds a text with its quotes and backslashes.
func (m *DocumentMeasure) Text(s string) {
	m.Left -= int64(len(s)) + 2
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ':
			m.Left -= 5
		case c == '"' || c == '\\':
			m.Left--
		}
	}
}

// doubleSize returns how many bytes the text of a DOUBLE has at the most if it is written without
// an exponent.
func doubleSize(f float64) int64 {
	if f == 0 || math.IsInf(f, 0) || math.IsNaN(f) {
		return 1
	}
	exponent := math.Log10(math.Abs(f))
	if exponent < 0 {
		return int64(-exponent) + 20
	}
	return int64(max(exponent, 18)) + 2
}
