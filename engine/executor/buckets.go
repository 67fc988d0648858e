package executor

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/sqlexpr"
)

func BucketFunctions() map[string]sql.Function {
	name := sqlexpr.BucketsName.Lowered()
	return map[string]sql.Function{name: sql.Function1{Name: name, Fn: func(_ *sql.Context, e sql.Expression) sql.Expression {
		return &buckets{expression.UnaryExpressionStub{Child: e}}
	}}}
}

// buckets is the argument of NTILE. Safe for concurrent use.
//
// go-mysql-server: panics if the argument is not a BIGINT. MySQL: error 1210, also for an argument
// that is not a constant.
type buckets struct{ expression.UnaryExpressionStub }

// Eval implements sql.Expression.
func (b *buckets) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := b.Child.Eval(ctx, row)
	if err == nil {
		v, _, err = types.Int64.Convert(ctx, v)
	}
	if n, ok := v.(int64); !ok || err != nil || n <= 0 {
		return nil, mysql.NewSQLError(1210, "HY000", "Incorrect arguments to ntile")
	}
	return v, nil
}

// Type implements sql.Expression.
func (*buckets) Type(*sql.Context) sql.Type { return types.Int64 }

// String implements sql.Expression.
func (b *buckets) String() string { return b.Child.String() }

// WithChildren implements sql.Expression.
func (b *buckets) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(b, len(children), 1)
	}
	return &buckets{expression.UnaryExpressionStub{Child: children[0]}}, nil
}
