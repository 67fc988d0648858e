package hexliterals

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
)

// mostBytes is the length of the largest number.
const mostBytes = 8

// number returns the number that the literal e is; false if e is no hexadecimal literal, or a longer one than a number is.
func number(e sql.Expression) (sql.Expression, bool) {
	l, ok := e.(*expression.Literal)
	if !ok || l.Typ != sql.Type(types.LongBlob) || !mends.HexNumbers.On() { // no other literal has that type
		return e, false
	}
	b, ok := l.Value().([]byte)
	if !ok || len(b) > mostBytes {
		return e, false
	}
	n := uint64(0)
	for _, x := range b {
		n = n<<8 | uint64(x)
	}
	return expression.NewLiteral(n, types.Uint64), true
}

// isNumber reports whether t is a type of numbers. A BIT takes the bytes of a literal as they are.
func isNumber(t sql.Type) bool {
	return (types.IsNumber(t) || types.IsDecimal(t) || types.IsYear(t)) && !types.IsBit(t)
}

// Stored returns e as a number if it is a hexadecimal literal that a column of type t stores as one; false for anything else.
//
// go-mysql-server: converts the bytes of the literal as a text, so 0x30 becomes 0. MySQL: the literal is the number 48.
func Stored(t sql.Type, e sql.Expression) (sql.Expression, bool) {
	if t == nil || !isNumber(t) {
		return e, false
	}
	return number(e)
}

// Compared returns the comparison e with numbers in the place of hexadecimal literals that are compared with nothing but numbers; false if it has
// none.
//
// go-mysql-server: compares them as texts. MySQL: compares numbers.
func Compared(ctx *sql.Context, e sql.Expression) (sql.Expression, bool, error) {
	var all []sql.Expression
	made := func(all []sql.Expression) (sql.Expression, error) { return e.WithChildren(ctx, all...) }
	switch e := e.(type) {
	case *expression.InTuple:
		list, ok := e.Right().(expression.Tuple)
		if !ok {
			return e, false, nil
		}
		all = append([]sql.Expression{e.Left()}, list...)
		made = func(all []sql.Expression) (sql.Expression, error) {
			return expression.NewInTuple(all[0], expression.Tuple(all[1:])), nil
		}
	case *expression.Equals, *expression.NullSafeEquals, *expression.LessThan, *expression.LessThanOrEqual, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.Between:
		all = slices.Clone(e.Children())
	default:
		return e, false, nil
	}
	literals, numbers := 0, 0
	for _, one := range all {
		if _, ok := number(one); ok {
			literals++
		} else if one.Resolved() && isNumber(one.Type(ctx)) {
			numbers++
		}
	}
	if literals == 0 || numbers == 0 || literals+numbers < len(all) {
		return e, false, nil
	}
	for i := range all {
		all[i], _ = number(all[i])
	}
	to, err := made(all)
	return to, err == nil, err
}

// Values returns the rows of an INSERT with numbers in the place of the hexadecimal literals for columns of numbers; i if it has none.
func Values(ctx *sql.Context, i *plan.InsertInto) *plan.InsertInto {
	v, ok := i.Source.(*plan.Values)
	if !ok {
		return i
	}
	columns := i.Destination.Schema(ctx)
	var rows [][]sql.Expression
	for r, tuple := range v.ExpressionTuples {
		for at, e := range tuple {
			to := at
			if len(i.ColumnNames) > 0 {
				if at >= len(i.ColumnNames) {
					return i
				}
				to = columns.IndexOfColName(i.ColumnNames[at])
			}
			if to < 0 || to >= len(columns) {
				return i
			}
			n, ok := Stored(columns[to].Type, e)
			if !ok {
				continue
			}
			if rows == nil {
				rows = slices.Clone(v.ExpressionTuples)
				for j := range rows {
					rows[j] = slices.Clone(rows[j])
				}
			}
			rows[r][at] = n
		}
	}
	if rows == nil {
		return i
	}
	changed := *v
	changed.ExpressionTuples = rows
	return i.WithSource(&changed)
}
