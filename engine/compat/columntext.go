package compat

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// literalDefault is the default of a column as its values are shown; it reports false where that is no literal, or NULL.
//
// go-mysql-server: the number of an ENUM or SET, a DECIMAL as it is written, the bytes of a binary text in SHOW CREATE TABLE
// in hexadecimal. MySQL: as a value of the column.
func literalDefault(ctx *sql.Context, c *sql.Column) (text string, ok bool) {
	d := c.Default
	if d == nil || !d.IsLiteral() || types.IsJSON(c.Type) {
		return "", false
	}
	v, err := d.Eval(ctx, nil)
	if err != nil || v == nil {
		return "", false
	}
	if v, _, err = Target(c.Type).Convert(ctx, v); err != nil {
		return "", false
	}
	if types.IsBit(c.Type) {
		return fmt.Sprintf("b'%b'", v), true
	}
	value, err := c.Type.SQL(ctx, nil, v)
	return value.ToString(), err == nil
}

// asValue is the text of a default as a value of type t is shown, the text itself where it is none.
func asValue(ctx *sql.Context, t sql.Type, text string) string {
	if v, in, err := Target(t).Convert(ctx, text); err == nil && in == sql.InRange {
		if value, err := t.SQL(ctx, nil, v); err == nil {
			return value.ToString()
		}
	}
	return text
}

// listedDefault is the same as SHOW COLUMNS has it.
func listedDefault(ctx *sql.Context, c *sql.Column) (text string, ok bool) {
	if text, ok = literalDefault(ctx, c); ok && types.IsBinaryType(c.Type) {
		return "0x" + strings.ToUpper(hex.EncodeToString([]byte(text))), true
	}
	return text, ok
}
