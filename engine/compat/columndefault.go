package compat

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// literalDefault returns the default of a column as its values are shown. It reports false if the default is NULL, or no literal.
//
// go-mysql-server: shows the number of an ENUM or SET, a DECIMAL with the digits of the statement, and in SHOW CREATE TABLE the bytes of
// a binary default in hexadecimal. MySQL: shows it like a value of the column.
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

// asValue returns the text of a default as a value of type t is shown, or the text itself if it is no value of t.
func asValue(ctx *sql.Context, t sql.Type, text string) string {
	if v, in, err := Target(t).Convert(ctx, text); err == nil && in == sql.InRange {
		if value, err := t.SQL(ctx, nil, v); err == nil {
			return value.ToString()
		}
	}
	return text
}

// listedDefault returns the default of a column as SHOW COLUMNS shows it.
func listedDefault(ctx *sql.Context, c *sql.Column) (text string, ok bool) {
	if text, ok = literalDefault(ctx, c); ok && types.IsBinaryType(c.Type) {
		return "0x" + strings.ToUpper(hex.EncodeToString([]byte(text))), true
	}
	return text, ok
}
