package sqlvalue

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// Choice is the type of one ENUM or SET column. The executor sees a VARCHAR, clients see an ENUM or
// SET. Safe for concurrent use.
//
// go-mysql-server: the values of its ENUM and SET are numbers, which many functions do not convert
// to text (LOWER, LEFT, COALESCE, IF, REPLACE, REGEXP, MD5), and an illegal value is error 1105.
// MySQL: they are text in every function, and an illegal value is error 1265 with the name of the
// column.
type Choice struct {
	sql.StringType
	column string
	values []string
	set    bool
}

// NewChoice returns the type of a column: SET if set, else ENUM.
func NewChoice(column string, values []string, set bool) *Choice {
	return &Choice{ChoiceText(values, set, sql.Collation_utf8mb4_0900_ai_ci), column, values, set}
}

// ChoiceText returns the text type for the values of an ENUM or a SET.
func ChoiceText(values []string, set bool, c sql.CollationID) sql.StringType {
	longest := 1
	for _, v := range values {
		if set {
			longest += len(v) + 1
		} else {
			longest = max(longest, len(v))
		}
	}
	return types.MustCreateString(querypb.Type_VARCHAR, int64(longest), c)
}

// FieldType returns the type that clients see.
func (c *Choice) FieldType() querypb.Type {
	if c.set {
		return querypb.Type_SET
	}
	return querypb.Type_ENUM
}

// String implements sql.Type.
func (c *Choice) String() string {
	kind := "enum"
	if c.set {
		kind = "set"
	}
	return kind + "('" + strings.Join(c.values, "','") + "')"
}

// StringWithTableCollation implements sql.TypeWithCollation.
func (c *Choice) StringWithTableCollation(sql.CollationID) string { return c.String() }

// WithNewCollation implements sql.TypeWithCollation. It changes nothing: all values are ASCII, so
// one collation is enough.
func (c *Choice) WithNewCollation(sql.CollationID) (sql.Type, error) { return c, nil }

// Equals implements sql.Type.
func (c *Choice) Equals(o sql.Type) bool {
	other, ok := o.(*Choice)
	return ok && c.set == other.set && slices.Equal(c.values, other.values)
}

// Compare implements sql.Type. Two values of the type have the order of their numbers, as in ORDER
// BY. A value and any other text have the order of texts.
func (c *Choice) Compare(ctx context.Context, a, b any) (int, error) {
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			if i, j := c.number(x), c.number(y); i != 0 && j != 0 {
				return cmp.Compare(i, j), nil
			}
		}
	}
	return c.StringType.Compare(ctx, a, b)
}

// Convert implements sql.Type. It accepts the text of a value in any letter case, and the number of
// a value.
func (c *Choice) Convert(ctx context.Context, v any) (any, sql.ConvertInRange, error) {
	switch x := v.(type) {
	case nil:
		return nil, sql.InRange, nil
	case []byte:
		return c.Convert(ctx, string(x))
	case string:
		if s, ok := c.canonical(x); ok {
			return s, sql.InRange, nil
		}
	default:
		if s, ok := c.At(v); ok {
			return s, sql.InRange, nil
		}
	}
	row, ok := ctx.Value(types.RowNumberKey).(int64)
	if !ok {
		row = 1
	}
	err := mysql.NewSQLError(1265, "01000", "Data truncated for column '%s' at row %d", c.column, row)
	if sc, ok := ctx.(*sql.Context); ok && sc.Session != nil && !sql.LoadSqlMode(sc).Strict() {
		sc.Session.Warn(&sql.Warning{Level: "Warning", Code: err.Num, Message: err.Message})
		return "", sql.InRange, nil
	}
	return nil, sql.InRange, err
}

func (c *Choice) canonical(s string) (string, bool) {
	if !c.set {
		i := slices.IndexFunc(c.values, func(v string) bool { return strings.EqualFold(v, s) })
		if i < 0 {
			return "", false
		}
		return c.values[i], true
	}
	var bits uint64
	for _, part := range strings.Split(s, ",") {
		i := slices.IndexFunc(c.values, func(v string) bool { return strings.EqualFold(v, part) })
		if i < 0 && s != "" {
			return "", false
		}
		if i >= 0 {
			bits |= 1 << i
		}
	}
	return c.members(bits), true
}

// At returns the value whose number is v. It returns false if there is none.
func (c *Choice) At(v any) (string, bool) {
	n, err := strconv.ParseUint(numberText(v), 10, 64)
	if err != nil {
		return "", false
	}
	if c.set {
		return c.members(n), n < 1<<len(c.values)
	}
	if n < 1 || n > uint64(len(c.values)) {
		return "", false
	}
	return c.values[n-1], true
}

// number returns the number of a value, 0 if it has none. The number of an ENUM value is its
// position, counted from 1. The number of a SET value has a bit for each of its members.
func (c *Choice) number(s string) (n uint64) {
	if !c.set {
		return uint64(slices.Index(c.values, s) + 1)
	}
	for _, part := range strings.Split(s, ",") {
		if i := slices.Index(c.values, part); i >= 0 {
			n |= 1 << i
		}
	}
	return n
}

func (c *Choice) members(bits uint64) string {
	var out []string
	for i, v := range c.values {
		if bits&(1<<i) != 0 {
			out = append(out, v)
		}
	}
	return strings.Join(out, ",")
}

// numberText returns the integer part of a number as decimal text; "" for any other value.
func numberText(v any) string {
	if d, ok := v.(interface{ IntPart() int64 }); ok { // decimal.Decimal
		return strconv.FormatInt(d.IntPart(), 10)
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(r.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(r.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatInt(int64(r.Float()), 10)
	}
	return ""
}
