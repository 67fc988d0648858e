package codec

import (
	"math/big"

	"github.com/dolthub/go-mysql-server/sql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// kind says how a column's values are written.
type kind uint8

const (
	kindInt kind = iota
	kindUint
	kindFloat
	kindDecimal
	kindText
	kindBytes
	kindTime
	kindSpan
	kindJSON
	kindGeometry
)

// Column says how the values of a column are written. Safe for concurrent use.
type Column struct {
	typ       sql.Type
	query     querypb.Type
	kind      kind
	scale     int32 // of a decimal
	width     int   // of a decimal's key, in bytes
	collation sql.CollationID
	weigh     sql.CollationSorter // the weights of a text; nil if texts are compared by their bytes
}

// NewColumn returns how values of a type are written.
func NewColumn(t sql.Type) Column {
	c := Column{typ: t, query: t.Type()}
	switch c.query {
	case querypb.Type_INT8, querypb.Type_INT16, querypb.Type_INT24, querypb.Type_INT32, querypb.Type_INT64, querypb.Type_YEAR:
		c.kind = kindInt
	case querypb.Type_UINT8, querypb.Type_UINT16, querypb.Type_UINT24, querypb.Type_UINT32, querypb.Type_UINT64,
		querypb.Type_ENUM, querypb.Type_SET, querypb.Type_BIT:
		c.kind = kindUint
	case querypb.Type_FLOAT32, querypb.Type_FLOAT64:
		c.kind = kindFloat
	case querypb.Type_DECIMAL:
		c.kind = kindDecimal
		if d, ok := t.(sql.DecimalType); ok {
			c.scale = int32(d.Scale())
			c.width = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Precision())), nil).BitLen()/8 + 1
		}
	case querypb.Type_VARCHAR, querypb.Type_CHAR, querypb.Type_TEXT:
		c.kind = kindText
		if s, ok := t.(sql.TypeWithCollation); ok {
			c.collation = s.Collation()
		}
		if c.collation != sql.Collation_binary {
			c.weigh = c.collation.Sorter()
		}
	case querypb.Type_DATE, querypb.Type_DATETIME, querypb.Type_TIMESTAMP:
		c.kind = kindTime
	case querypb.Type_TIME:
		c.kind = kindSpan
	case querypb.Type_JSON:
		c.kind = kindJSON
	case querypb.Type_GEOMETRY:
		c.kind = kindGeometry
	default:
		c.kind = kindBytes
	}
	return c
}

// Type returns the column's type.
func (c *Column) Type() sql.Type { return c.typ }

// Collation returns the collation of a column of texts whose keys are made of weights, and false
// for all other columns.
func (c *Column) Collation() (sql.CollationID, bool) { return c.collation, c.weigh != nil }

// Indexable tells whether the column's values have keys: not those of JSON and geometry.
func (c *Column) Indexable() bool { return c.kind != kindJSON && c.kind != kindGeometry }
