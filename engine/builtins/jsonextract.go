package builtins

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// JSONExtract is JSON_EXTRACT.
//
// go-mysql-server: does not know [last], [1 to 3] and ** in a path, and panics if one of several
// paths leads to nothing. MySQL: knows them, and ignores paths that lead to nothing.
var JSONExtract = &sqlexpr.Definition{Name: "json_extract", Least: 2, Most: sqlexpr.AnyNumber, TypeOf: sqlexpr.AlwaysType(types.JSON), Value: func(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	document, err := sqlvalue.ConvertJSON(ctx, args[0])
	if err != nil {
		return nil, mysql.NewSQLError(3141, "22032", "Invalid JSON text in argument 1 to function json_extract: \"Invalid value.\" at position 0.")
	}
	wrapper, ok := document.(sql.JSONWrapper)
	if !ok {
		return nil, nil
	}
	value, err := wrapper.ToInterface(ctx)
	if err != nil {
		return nil, err
	}
	// Each value and what stands between it and the next have three characters or more in the result.
	finder := sqlvalue.JSONFinder{Work: sqlvalue.NewWork(ctx), Most: int(sqlvalue.MaxDocument(ctx) / 3)}
	many := len(args) > 2
	for i := range args[1:] {
		text, err := c.Text(ctx, i+1, args[i+1])
		if err != nil {
			return nil, err
		}
		steps, err := sqlvalue.ParseJSONPath(text)
		if err != nil {
			return nil, err
		}
		many = many || slices.ContainsFunc(steps, sqlvalue.JSONStep.IsMany)
		if err := finder.Follow(value, steps); err != nil {
			return nil, err
		}
	}
	switch found := finder.Found; {
	case finder.Full:
		return sqlvalue.TooLongText(ctx, c.Name)
	case len(found) == 0:
		return nil, nil
	case many:
		return types.JSONDocument{Val: found}, nil
	default:
		return types.JSONDocument{Val: found[0]}, nil
	}
}}
