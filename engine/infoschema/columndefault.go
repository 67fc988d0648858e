package infoschema

import (
	"encoding/hex"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/executor"
	"pfsd/engine/sqlvalue"
)

// asValue returns the text of a default as a value of type t is shown, or the text itself if it is
// not a value of t.
func asValue(ctx *sql.Context, t sql.Type, text string) string {
	if v, in, err := sqlvalue.Target(t).Convert(ctx, text); err == nil && in == sql.InRange {
		if value, err := t.SQL(ctx, nil, v); err == nil {
			return value.ToString()
		}
	}
	return text
}

// listedDefault returns the default of a column as SHOW COLUMNS shows it.
func listedDefault(ctx *sql.Context, c *sql.Column) (text string, ok bool) {
	if text, ok = executor.LiteralDefault(ctx, c); ok && types.IsBinaryType(c.Type) {
		return "0x" + strings.ToUpper(hex.EncodeToString([]byte(text))), true
	}
	return text, ok
}
