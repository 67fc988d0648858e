package sqlexpr

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
)

// IsCondition reports whether e is a comparison, or a condition that is made of others.
func IsCondition(e sql.Expression) bool {
	switch e.(type) {
	case expression.Comparer, *expression.Between, *between, *inList, expression.Tuple, *expression.And, *expression.Or, *expression.Xor,
		*expression.Not, *expression.IsTrue:
		return true
	}
	return false
}

// Passes reports whether the value of e is that of one of its operands.
func Passes(e sql.Expression) bool {
	switch e := e.(type) {
	case *conditional, *nullIf, *function.If, *function.IfNull, *function.Coalesce, *expression.Case:
		return true
	case *exactFunction:
		return e.name == "greatest" || e.name == "least"
	}
	return false
}
