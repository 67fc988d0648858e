package builtins

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/collations"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// inCharset is CONVERT ... USING. Safe for concurrent use.
//
// go-mysql-server: bytes stay bytes, a vector has no type and panics, and a text has the bytes of the
// other character set in the place of its characters. MySQL: bytes become the text that they are in
// the character set, or NULL with warning 1300 if they are none; without a strict sql_mode, the text
// ends before the first byte that is wrong. A text keeps its characters, and has ? in the place of
// those that the character set does not have. The result of USING binary is binary.
type inCharset struct {
	expression.UnaryExpressionStub
	charset sql.CharacterSetID
}

var _ sql.CollationCoercible = (*inCharset)(nil)

// collation returns the collation of the result.
func (c *inCharset) collation() sql.CollationID {
	if c.charset == sql.CharacterSet_utf8mb4 {
		return sql.Collation_utf8mb4_0900_ai_ci
	}
	return c.charset.DefaultCollation()
}

// binary reports whether the result is binary.
func (c *inCharset) binary() bool { return c.charset == sql.CharacterSet_binary }

// String implements sql.Expression.
func (c *inCharset) String() string {
	return fmt.Sprintf("CONVERT(%s USING %s)", c.Child.String(), c.charset.Name())
}

// Type implements sql.Expression.
func (c *inCharset) Type(ctx *sql.Context) sql.Type {
	if c.binary() {
		return types.LongBlob
	}
	return types.CreateLongText(c.collation())
}

// IsNullable implements sql.Expression.
func (c *inCharset) IsNullable(*sql.Context) bool { return true }

// CollationCoercibility implements sql.CollationCoercible.
func (c *inCharset) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	if c.binary() {
		return sql.Collation_binary, collations.ColumnStrength
	}
	return c.collation(), collations.ColumnStrength
}

// WithChildren implements sql.Expression.
func (c *inCharset) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	return &inCharset{expression.UnaryExpressionStub{Child: children[0]}, c.charset}, nil
}

// Eval implements sql.Expression.
func (c *inCharset) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	t := c.Child.Type(ctx)
	switch b := v.(type) {
	case []byte:
		return c.ofBytes(ctx, b)
	case string:
		if s, ok := t.(sql.StringType); ok && s.Collation() == sql.Collation_binary {
			return c.ofBytes(ctx, []byte(b))
		}
		return c.ofText(ctx, b)
	}
	text, err := sqlexpr.AggregatedText(ctx, c.Child, t, v, types.LongText)
	s, ok := text.(string)
	if err != nil || !ok {
		return text, err
	}
	return c.ofText(ctx, s)
}

// ofText returns a text in the character set.
func (c *inCharset) ofText(ctx *sql.Context, s string) (any, error) {
	if c.binary() {
		if own, ok := c.Child.Type(ctx).(sql.TypeWithCollation); ok && own.Collation() != sql.Collation_binary {
			return own.Collation().CharacterSet().Encoder().EncodeReplaceUnknown([]byte(s)), nil
		}
		return []byte(s), nil
	}
	if c.charset == sql.CharacterSet_utf8mb4 {
		return s, nil
	}
	encoder := c.charset.Encoder()
	if width := c.charset.MaxLength(); width > 1 && !sqlvalue.FitsPacket(ctx, int64(len(s))*width) {
		if kept := encoder.EncodeReplaceUnknown([]byte(s)); !sqlvalue.FitsPacket(ctx, int64(len(kept))) {
			return sqlvalue.TooLongText(ctx, "convert")
		}
	}
	if kept, ok := encoder.Encode([]byte(s)); ok {
		if back, ok := encoder.Decode(kept); ok && string(back) == s {
			return s, nil
		}
	}
	var known strings.Builder
	for _, r := range s {
		one := string(r)
		if _, ok := encoder.EncodeRune([]byte(one)); ok {
			known.WriteString(one)
		} else {
			known.WriteByte('?')
		}
	}
	return known.String(), nil
}

// ofBytes returns the text that the bytes are in the character set.
func (c *inCharset) ofBytes(ctx *sql.Context, b []byte) (any, error) {
	if c.binary() {
		return b, nil
	}
	text, whole := b, false
	valid := len(b)
	if c.charset == sql.CharacterSet_utf8mb4 || c.charset == sql.CharacterSet_utf8mb3 {
		valid = validPrefix(b, c.charset == sql.CharacterSet_utf8mb4)
		whole = valid == len(b)
	} else if text, whole = c.charset.Encoder().Decode(b); !whole {
		for valid = len(b); valid > 0 && !whole; valid-- {
			text, whole = c.charset.Encoder().Decode(b[:valid-1])
		}
		whole = false
	}
	if whole {
		return string(text), nil
	}
	wrong := b[valid:]
	shown := fmt.Sprintf("%X", wrong[:min(len(wrong), 6)])
	if err := sqlvalue.Complain(ctx, 1300, "HY000", "Invalid "+c.charset.Name()+" character string: '"+shown+"'"); err != nil {
		return nil, err
	}
	if sql.LoadSqlMode(ctx).Strict() {
		return nil, nil
	}
	return string(text[:min(valid, len(text))]), nil
}

// validPrefix returns how many bytes of b are characters of UTF-8, of four bytes only if long is set.
func validPrefix(b []byte, long bool) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 || n == 4 && !long {
			return i
		}
		i += n
	}
	return len(b)
}
