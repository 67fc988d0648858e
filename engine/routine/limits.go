package routine

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/syntax"
)

// LimitMarkers returns the names of the markers ? that are the LIMIT or OFFSET of a query in s.
func LimitMarkers(s ast.Statement) (names []string) {
	inLimits(s, func(e ast.Expr) {
		if v, ok := e.(*ast.SQLVal); ok && v.Type == ast.ValArg {
			names = append(names, strings.TrimPrefix(string(v.Val), ":"))
		}
	})
	return names
}

// limitColumns returns the names that are the LIMIT or OFFSET of a query in s.
func limitColumns(s ast.Statement) (all []*ast.ColName) {
	inLimits(s, func(e ast.Expr) {
		if c, ok := e.(*ast.ColName); ok {
			all = append(all, c)
		}
	})
	return all
}

// inLimits calls f with each expression that is the LIMIT or OFFSET of a query in s.
func inLimits(s ast.Statement, f func(ast.Expr)) {
	limits.Walk(reflect.ValueOf(s), func(v reflect.Value) {
		if l, ok := v.Interface().(*ast.Limit); ok && l != nil {
			for _, e := range []ast.Expr{l.Offset, l.Rowcount} {
				if e != nil {
					f(e)
				}
			}
		}
	})
}

// limits finds those of UNION too, which ast.Walk does not.
var limits = syntax.NewWalker(func(t reflect.Type) bool { return t == reflect.TypeFor[*ast.Limit]() })

// LimitValue returns the value of a LIMIT or OFFSET as an integer. The error is that it is none that
// is at least 0: NULL, negative, of another type, or a text that is no such integer. command is what
// has the value.
//
// go-mysql-server by itself panics at NULL, deletes all rows if the number is negative, and rounds numbers
// with a fraction. MySQL: refuses numbers that are not integers, and reads an integer in a text.
// Differs: MySQL's manual does not say what NULL is; here it is an error too.
func LimitValue(value ast.Expr, command string) (ast.Expr, error) {
	if v, ok := value.(*ast.SQLVal); ok && (v.Type == ast.IntVal || v.Type == ast.StrVal) {
		if n, err := strconv.ParseUint(string(v.Val), 10, 64); err == nil {
			return ast.NewIntVal(strconv.AppendUint(nil, n, 10)), nil
		}
	}
	return nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to %s", command)
}
