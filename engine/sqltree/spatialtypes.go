package sqltree

import (
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/sqlvalue"
	"pfsd/engine/syntax"
)

// columnTypes finds the types that a statement declares.
var columnTypes = syntax.NewWalker(func(t reflect.Type) bool { return t == reflect.TypeFor[ast.ColumnType]() })

// SpatialTypes has the spatial types that s, the syntax tree of query, declares be a
// [sqlvalue.Spatial]: those of columns, of columns of JSON_TABLE, and of the parameters and variables
// of a stored program.
func SpatialTypes(query string, s ast.Statement) {
	if s == nil || !mayDeclare(query, s) {
		return
	}
	columnTypes.Walk(reflect.ValueOf(s), func(v reflect.Value) {
		if !v.CanAddr() {
			return
		}
		declared := v.Addr().Interface().(*ast.ColumnType)
		if declared.ResolvedType != nil || !spatial(declared.Type) {
			return
		}
		t, err := types.ColumnTypeToType(declared)
		if _, ok := t.(sql.SpatialColumnType); ok && err == nil {
			declared.ResolvedType = sqlvalue.ReadsSafely(t)
		}
	})
}

// mayDeclare reports whether a statement may declare a type. A statement that reads and writes rows
// does so in JSON_TABLE alone.
func mayDeclare(query string, s ast.Statement) bool {
	switch s.(type) {
	case *ast.Select, *ast.SetOp, *ast.ParenSelect, *ast.Insert, *ast.Update, *ast.Delete, *ast.Set, *ast.Call:
		const before, whole = len("json"), len("json_table")
		for i := 0; ; i++ {
			n := strings.IndexByte(query[i:], '_')
			if n < 0 {
				return false
			}
			if i += n; i >= before && i-before+whole <= len(query) && strings.EqualFold(query[i-before:i-before+whole], "json_table") {
				return true
			}
		}
	}
	return true
}

// spatial reports whether a type of this name may be a spatial one.
func spatial(name string) bool {
	for _, part := range [...]string{"geom", "point", "line", "polygon"} {
		if strings.Contains(strings.ToLower(name), part) {
			return true
		}
	}
	return false
}
