package builtins

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// PowerFunctions returns POW and POWER.
//
// go-mysql-server: a value that is too large is infinite or NULL. MySQL: it is error 1690.
func PowerFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	power := func(n ...float64) float64 { return math.Pow(n[0], n[1]) }
	sqlexpr.DefineAll(all, RealFunction("pow", 2, power), RealFunction("power", 2, power))
	return all
}

// RealFunction returns a function of DOUBLEs. A value out of the range of DOUBLE is error 1690.
func RealFunction(name string, arguments int, of func(...float64) float64) *sqlexpr.Definition {
	return &sqlexpr.Definition{Name: name, Least: arguments, Most: arguments, TypeOf: sqlexpr.AlwaysType(types.Float64), Value: func(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
		var numbers []float64
		for i, v := range args {
			n, err := c.Number(ctx, i, v)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, n.Float())
		}
		f := of(numbers...)
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, sqlvalue.ErrOutOfRange(sqlvalue.NumberClass{Kind: sqlvalue.Approximate}, sqlexpr.ErrorText(c))
		}
		return f, nil
	}}
}
