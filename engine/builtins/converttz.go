package builtins

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// ConvertTZFunctions returns CONVERT_TZ.
//
// go-mysql-server: the result has another number of digits than the argument. It searches time
// zones with names of any length. MySQL: the result has as many digits as the argument. It is NULL
// for a time zone that does not exist.
func ConvertTZFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	sqlexpr.DefineAll(all, &sqlexpr.Definition{Name: "convert_tz", Least: 3, Most: 3, TypeOf: convertTZType, Value: convertTZ})
	return all
}

// convertTZType returns a DATETIME with as many digits as the argument.
func convertTZType(ctx *sql.Context, args []sql.Expression) sql.Type {
	if args[0].Type(ctx).Type() == querypb.Type_DATE {
		return types.Datetime
	}
	return sqlvalue.DatetimeType(FractionOf(ctx, args[0]))
}

// convertTZ returns the value of CONVERT_TZ. It is NULL for a time zone that does not exist.
func convertTZ(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	m, ok, err := sqlvalue.MomentIn(ctx, c.Argument(ctx, 0), args[0], false)
	if !ok || err != nil {
		return nil, err
	}
	if m = m.Dated(ctx); !m.HasMonthAndDay() {
		return nil, nil
	}
	var zones [2]string
	for i := range zones {
		name, err := c.Text(ctx, i+1, args[i+1])
		if err != nil || len(name) > maxZoneName {
			return nil, err
		}
		if zones[i] = name; name == "SYSTEM" {
			zones[i] = sql.SystemTimezoneOffset()
		}
	}
	converted, ok := sql.ConvertTimeZone(m.GoTime(), zones[0], zones[1])
	if !ok {
		return nil, nil
	}
	return converted, nil
}

// maxZoneName is longer than the name of any time zone, in bytes.
const maxZoneName = 64
