package sqlexpr

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/sqlvalue"
)

// digitsOf returns the number of digits behind the point of a function such as NOW(6). The
// argument, if there is one, must be a literal.
func digitsOf(ctx *sql.Context, args []sql.Expression) int {
	if len(args) == 0 || types.IsNull(ctx, args[0]) {
		return 0
	}
	v, err := args[0].Eval(ctx, nil)
	if err != nil {
		return 0
	}
	n, _ := sqlvalue.NumberOf(ctx, args[0].Type(ctx), v)
	return int(min(n.Bits(), sqlvalue.MaxMicro))
}

// NowFunction returns a function of the current time that takes a number of digits.
func NowFunction(name string, typ func(int) sql.Type, value func(*sql.Context, int) any) *Definition {
	return &Definition{Name: name, Most: 1, Nulls: true,
		TypeOf: func(ctx *sql.Context, args []sql.Expression) sql.Type { return typ(digitsOf(ctx, args)) },
		Value: func(ctx *sql.Context, c *Call, _ []any) (any, error) {
			if len(c.Args) == 1 {
				v, err := c.Args[0].Eval(ctx, nil)
				if err != nil {
					return nil, err
				}
				if n, _ := sqlvalue.NumberOf(ctx, c.Args[0].Type(ctx), v); n.Bits() > sqlvalue.MaxMicro {
					return nil, mysql.NewSQLError(1426, "42000", "Too-big precision %d specified for '%s'. Maximum is 6.", n.Bits(), c.Name)
				}
			}
			return value(ctx, digitsOf(ctx, c.Args)), nil
		},
	}
}

// CutTime returns t with this many digits behind the point. It does not round.
func CutTime(t time.Time, digits int) time.Time {
	unit := time.Second
	for range digits {
		unit /= 10
	}
	return t.Truncate(unit)
}

func DatetimeNow(name string, at func(*sql.Context) time.Time) *Definition {
	return NowFunction(name, sqlvalue.DatetimeType, func(ctx *sql.Context, digits int) any { return CutTime(at(ctx), digits) })
}

// nowWithDigits is NOW with a number of digits.
//
// go-mysql-server: NOW has six digits, whatever the number is. MySQL: the number says how many
// digits NOW has.
var nowWithDigits = DatetimeNow("now", sqlvalue.Now)
