package collations

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/mends"
)

// Illegal returns MySQL's error if e compares texts that have no collation in common: 1267 for two, 1270 for three, 1271 for more. It looks only
// where columns of tables and texts with COLLATE are compared, beside literals: of functions nobody knows exactly how strong they are.
//
// go-mysql-server: compares by the collation of the first. MySQL: refuses it.
func Illegal(ctx *sql.Context, e sql.Expression) error {
	if ctx == nil || !mends.MixedCollations.On() {
		return nil
	}
	operation := ""
	switch e := e.(type) {
	case *expression.Equals:
		operation = "="
	case *expression.NullSafeEquals:
		operation = "<=>"
	case *expression.LessThan:
		operation = "<"
	case *expression.LessThanOrEqual:
		operation = "<="
	case *expression.GreaterThan:
		operation = ">"
	case *expression.GreaterThanOrEqual:
		operation = ">="
	case *expression.Between:
		operation = "between"
	case *expression.InTuple:
		if list, ok := e.Right().(expression.Tuple); ok {
			return illegal(ctx, " IN ", append([]sql.Expression{e.Left()}, list...))
		}
		return nil
	default:
		return nil
	}
	return illegal(ctx, operation, e.Children())
}

// illegal returns the error for texts that have no collation in common.
func illegal(ctx *sql.Context, operation string, texts []sql.Expression) error {
	common, strength, none := sql.Collation_binary, byte(nullStrength), false
	for _, e := range texts {
		if e.Resolved() && e.Type(ctx) == types.Null {
			continue
		}
		if !e.Resolved() || !exact(e) || !types.IsTextOnly(e.Type(ctx)) {
			return nil
		}
		c, s := sql.GetCoercibility(ctx, e)
		found, with, mixed := Resolve(common, strength, c, s)
		switch {
		case mixed:
			none = true
		case s < strength:
			none = false
		case none:
			continue
		}
		common, strength = found, with
	}
	if !none {
		return nil
	}
	told := make([]string, len(texts))
	for i, e := range texts {
		c, s := sql.GetCoercibility(ctx, e)
		told[i] = fmt.Sprintf("(%s,%s)", c.Name(), derivations[s])
	}
	switch len(texts) {
	case 2:
		return mysql.NewSQLError(1267, "HY000", "Illegal mix of collations %s and %s for operation '%s'", told[0], told[1], operation)
	case 3:
		return mysql.NewSQLError(1270, "HY000", "Illegal mix of collations %s, %s, %s for operation '%s'", told[0], told[1], told[2], operation)
	}
	return mysql.NewSQLError(1271, "HY000", "Illegal mix of collations for operation '%s'", operation)
}

// derivations are MySQL's words for the coercibilities that a column, a COLLATE and a literal have.
var derivations = map[byte]string{ExplicitStrength: "EXPLICIT", ColumnStrength: "IMPLICIT", LiteralStrength: "COERCIBLE", nullStrength: "IGNORABLE"}

// exact reports whether go-mysql-server knows the collation of e and how strong it is.
func exact(e sql.Expression) bool {
	switch e := e.(type) {
	case *expression.GetField:
		return e.Database() != ""
	case *expression.CollatedExpression, *expression.Literal:
		return true
	}
	return false
}
