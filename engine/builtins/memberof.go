package builtins

import (
	"encoding/json"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
	"pfsd/engine/syntax"
)

// MemberOf is the function syntax.MemberOf. It reports whether a value is an element of a JSON
// array, or equal to a JSON value that is no array.
//
// go-mysql-server: has no such operator. MySQL: compares a text as a text, and other values as JSON.
var MemberOf = newValueFunction(syntax.MemberOf, 2, types.Boolean, func(ctx *sql.Context, args []sql.Expression, values []any) (any, error) {
	value, err := jsonOf(ctx, args[0], values[0])
	if err != nil {
		return nil, err
	}
	in, err := jsonDocument(ctx, args[1], values[1])
	if err != nil {
		return nil, err
	}
	elements, ok := in.([]any)
	if !ok {
		elements = []any{in}
	}
	c := jsonComparer{ctx, sqlvalue.NewWork(ctx)}
	for _, e := range elements {
		if equal, err := c.equal(value, e); equal || err != nil {
			return equal, err
		}
	}
	return false, nil
})

// jsonOf returns a value of SQL as a value of JSON.
func jsonOf(ctx *sql.Context, e sql.Expression, v any) (any, error) {
	if w, ok := v.(sql.JSONWrapper); ok {
		return w.ToInterface(ctx)
	}
	switch t := e.Type(ctx); {
	case types.IsInteger(t), types.IsFloat(t), types.IsDecimal(t):
		n, _, err := types.Float64.Convert(ctx, v)
		return n, err
	}
	return sqlexpr.TextOf(ctx, e, v)
}

// jsonDocument returns v if it is a JSON value, else the JSON value in the text v.
func jsonDocument(ctx *sql.Context, e sql.Expression, v any) (document any, err error) {
	if w, ok := v.(sql.JSONWrapper); ok {
		return w.ToInterface(ctx)
	}
	if !types.IsText(e.Type(ctx)) {
		return nil, mysql.NewSQLError(3146, "22032", "Invalid data type for JSON data in argument 2 to function member_of; a JSON string or JSON type is required.")
	}
	text, err := sqlexpr.TextOf(ctx, e, v)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return nil, mysql.NewSQLError(3141, "22032", "%s", fmt.Sprintf("Invalid JSON text in argument 2 to function member_of: \"%s\"", err))
	}
	return document, nil
}
