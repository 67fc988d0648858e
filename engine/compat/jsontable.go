package compat

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/iters"
)

// JSONTableNulls lets paths of JSON_TABLE lead through null.
//
// go-mysql-server: looks for the elements of null, and panics. MySQL: there are none. Here null is something else, that has no elements
// either, until it becomes the value of a column.
func JSONTableNulls(t *iters.JsonTableRowIter) {
	replaced := false
	data, _ := replaceNull(t.Data, &replaced).([]any)
	if !replaced {
		return
	}
	t.Data = data
	var restore func(cols []*iters.JsonTableCol)
	restore = func(cols []*iters.JsonTableCol) {
		for _, c := range cols {
			if c.Opts != nil {
				c.Opts.Typ = nullRestoring{c.Opts.Typ}
			}
			restore(c.Cols)
		}
	}
	restore(t.Cols)
}

// jsonNull stands for null.
type jsonNull struct{}

// nullRestoring is the type of a column whose values may have jsonNull in them.
type nullRestoring struct{ columnType }

type columnType = sql.Type // a method has its name

// Convert implements sql.Type.
func (t nullRestoring) Convert(ctx context.Context, v any) (any, sql.ConvertInRange, error) {
	return t.columnType.Convert(ctx, restoreNull(v))
}

// replaceNull is v with jsonNull in the place of each null; replaced is set if there is one.
func replaceNull(v any, replaced *bool) any {
	switch v := v.(type) {
	case nil:
		*replaced = true
		return jsonNull{}
	case []any:
		return mapped(v, func(e any) any { return replaceNull(e, replaced) })
	case map[string]any:
		return mappedObject(v, func(e any) any { return replaceNull(e, replaced) })
	}
	return v
}

// restoreNull is v with null in the place of each jsonNull.
func restoreNull(v any) any {
	switch v := v.(type) {
	case jsonNull:
		return nil
	case []any:
		return mapped(v, restoreNull)
	case map[string]any:
		return mappedObject(v, restoreNull)
	}
	return v
}

func mapped(all []any, of func(any) any) []any {
	to := make([]any, len(all))
	for i, e := range all {
		to[i] = of(e)
	}
	return to
}

func mappedObject(all map[string]any, of func(any) any) map[string]any {
	to := make(map[string]any, len(all))
	for name, e := range all {
		to[name] = of(e)
	}
	return to
}
