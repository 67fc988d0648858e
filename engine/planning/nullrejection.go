package planning

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/routine"
	"pfsd/engine/syntax"
)

// rejectsNulls reports whether one of the conditions is never true for a row that has NULL in all of these columns.
func rejectsNulls(ctx *sql.Context, conditions []sql.Expression, columns sql.ColSet) bool {
	for _, c := range conditions {
		if neverTrue(ctx, c, columns) {
			return true
		}
	}
	return false
}

// neverTrue reports whether e is certainly not true where the columns are NULL.
func neverTrue(ctx *sql.Context, e sql.Expression, columns sql.ColSet) bool {
	switch e := e.(type) {
	case *expression.And:
		return neverTrue(ctx, e.LeftChild, columns) || neverTrue(ctx, e.RightChild, columns)
	case *expression.Or:
		return neverTrue(ctx, e.LeftChild, columns) && neverTrue(ctx, e.RightChild, columns)
	case *expression.Not:
		if is, ok := e.Child.(sql.IsNullExpression); ok { // IS NOT NULL
			return isNull(ctx, is.Children()[0], columns)
		}
	case sql.IsNotNullExpression:
		return isNull(ctx, e.Children()[0], columns)
	}
	return isNull(ctx, e, columns)
}

// isNull reports whether e is certainly NULL where the columns are NULL.
func isNull(ctx *sql.Context, e sql.Expression, columns sql.ColSet) bool {
	switch e := e.(type) {
	case *expression.GetField:
		return columns.Contains(e.Id())
	case *expression.Not, *expression.Arithmetic, *expression.UnaryMinus, *expression.Like,
		*expression.Equals, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual:
		for _, child := range e.Children() {
			if isNull(ctx, child, columns) {
				return true
			}
		}
	case *expression.Between:
		return isNull(ctx, e.Val, columns)
	case *expression.InTuple:
		return isNull(ctx, e.Left(), columns)
	case *expression.HashInTuple:
		return isNull(ctx, e.Left(), columns)
	}
	return false
}

// volatileFunctions are functions whose number of calls, or order of calls, can be seen.
var volatileFunctions = map[string]bool{
	"rand": true, "uuid": true, "uuid_short": true, "random_bytes": true, "sleep": true, "get_lock": true, "release_lock": true,
	syntax.Assign: true, "release_all_locks": true, "last_insert_id": true, "benchmark": true, "nextval": true, "load_file": true,
}

// isVolatile reports whether e must be calculated once for each row for which the statement asks for it: it changes something,
// or has another value each time.
func isVolatile(ctx *sql.Context, e sql.Expression) (volatile bool) {
	sql.Inspect(ctx, e, func(ctx *sql.Context, e sql.Expression) bool {
		switch e := e.(type) {
		case *plan.Subquery:
			volatile = volatile || e.Volatile()
		case sql.FunctionExpression:
			name := strings.ToLower(e.FunctionName())
			program, isProgram := e.(*routine.FunctionCall)
			volatile = volatile || volatileFunctions[name] || isProgram && program.IsNonDeterministic()
		}
		return !volatile
	})
	return volatile
}
