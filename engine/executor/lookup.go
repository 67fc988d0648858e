package executor

import (
	"errors"
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// LookUp returns the rows of n, which finds rows of a table by an index, often by values of row: it is the inner side of a join, or
// in a correlated subquery. find returns what the index has for the values, scan all rows of the table.
//
// go-mysql-server: converts the values to the types of the columns, and does not test the rows that the index has for what comes
// out: 1.5 finds 2, NULL finds NULL, and a text finds those that are equal by the collation of the index. MySQL: tests the
// condition.
//
// Where the index may not find all rows that are equal, all rows of the table are tested.
func LookUp(ctx *sql.Context, n *plan.IndexedTableAccess, row sql.Row, find, scan func() (sql.RowIter, error)) (sql.RowIter, error) {
	keys := n.Expressions()
	if len(keys) == 0 || !mends.CheckedLookups.On() {
		return find()
	}
	var tests []lookupTest
	var schema sql.Schema
	complete := true
	for i, key := range keys {
		v, err := key.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		nullSafe := n.NullMask()[i]
		if v == nil && !nullSafe {
			return sql.RowsToRowIter(), nil
		}
		if schema == nil {
			schema = n.TableNode.Schema(ctx)
		}
		column := columnOf(schema, n.Index().Expressions()[i])
		if column < 0 {
			continue // the column of an expression, which has no name
		}
		field := expression.NewGetField(column, schema[column].Type, schema[column].Name, schema[column].Nullable)
		finds := findsAll(ctx, field, key, v)
		if finds == exactly && v != nil && isPrefix(n.Index(), i) {
			finds = atLeast
		}
		if finds == exactly {
			continue
		}
		complete = complete && finds == atLeast
		tests = append(tests, lookupTest{field, key, v, nullSafe})
	}
	if len(tests) == 0 {
		return find()
	}
	var rows sql.RowIter
	err := errNotAll
	if complete {
		rows, err = find() // which fails for a value that is out of the range of the column
	}
	if err != nil {
		rows, err = scan()
	}
	if err != nil {
		return nil, err
	}
	l := &lookup{rows: rows, tests: tests}
	return l, l.prepare(ctx, len(schema))
}

// isPrefix reports whether an index has only the beginning of the values of column i.
func isPrefix(x sql.Index, i int) bool {
	lengths := x.PrefixLengths()
	return i < len(lengths) && lengths[i] > 0
}

// errNotAll says that an index does not find all rows.
var errNotAll = errors.New("the index has no order for these values")

// columnOf returns the index of the column that an index names, -1 if there is none.
func columnOf(schema sql.Schema, name string) int {
	name = name[strings.LastIndexByte(name, '.')+1:]
	for i, c := range schema {
		if strings.EqualFold(c.Name, name) {
			return i
		}
	}
	return -1
}

// finding says which rows an index finds for a value.
type finding int

const (
	notAll  finding = iota // not all rows that are equal to the value
	atLeast                // all rows that are equal, and maybe others
	exactly                // the rows that are equal
)

// exactDouble is the smallest DOUBLE that may be equal to several integers.
const exactDouble = 1 << 53

// findsAll says what the index of a column finds for the value v of key.
func findsAll(ctx *sql.Context, column, key sql.Expression, v any) finding {
	c, k := column.Type(ctx), key.Type(ctx)
	switch {
	case v == nil:
		return exactly
	case types.IsInteger(c) && types.IsInteger(k):
		return exactly
	case types.IsInteger(c) && types.IsDecimal(k):
		if n, err := sqlvalue.NumberOf(ctx, k, v); err == nil && math.Abs(n.Float()) < 1<<62 { // beyond, go-mysql-server clips it
			return atLeast
		}
	case isExact(c) && isExact(k), types.IsFloat(c) && (isExact(k) || types.IsFloat(k)):
		return atLeast
	case types.IsInteger(c) && types.IsFloat(k):
		if n, err := sqlvalue.NumberOf(ctx, k, v); err == nil && math.Abs(n.Float()) < exactDouble {
			return atLeast
		}
	case types.IsTextOnly(c) && types.IsTextOnly(k):
		compared := sqlexpr.CommonCollation(ctx, column, key)
		switch own := c.(sql.TypeWithCollation).Collation(); {
		case compared == own:
			return exactly
		case compared == sql.Collation_binary || compared == sql.Collation_utf8mb4_0900_bin:
			return atLeast
		}
	case types.IsText(c) && types.IsText(k) && types.IsBinaryType(k): // bytes are compared, and equal bytes are equal texts
		return atLeast
	case types.IsTime(c) && types.IsTime(k):
		if c.Type() == k.Type() && c.Equals(k) {
			return exactly
		}
		return atLeast
	case types.IsTimespan(c) && types.IsTimespan(k):
		return atLeast
	}
	if types.IsEnum(c) && types.IsEnum(k) && c.Equals(k) || types.IsYear(c) && types.IsYear(k) || types.IsBit(c) && types.IsBit(k) {
		return exactly
	}
	return notAll
}

// isExact reports whether t is an exact number.
func isExact(t sql.Type) bool { return types.IsInteger(t) || types.IsDecimal(t) }

// lookup returns the rows that are equal to values. Owned by one goroutine.
type lookup struct {
	rows  sql.RowIter
	tests []lookupTest
	conds []sql.Expression
	width int
	pair  sql.Row // a row and the values that it is compared with
}

// lookupTest compares a column with a value.
type lookupTest struct {
	column   sql.Expression
	key      sql.Expression
	value    any
	nullSafe bool
}

// prepare makes the conditions of l for rows with width columns.
func (l *lookup) prepare(ctx *sql.Context, width int) error {
	l.width, l.pair = width, make(sql.Row, width+len(l.tests))
	for i, t := range l.tests {
		l.pair[width+i] = t.value
		value := sqlexpr.NewOperand(t.key, width+i)
		equals := expression.NewEquals(t.column, value)
		var e sql.Expression = equals
		if t.nullSafe {
			e = expression.NewNullSafeEquals(t.column, value)
		}
		e, err := sqlexpr.MendExpression(ctx, e)
		if err != nil {
			return err
		}
		l.conds = append(l.conds, e)
	}
	return nil
}

// Next implements sql.RowIter.
func (l *lookup) Next(ctx *sql.Context) (sql.Row, error) {
next:
	for {
		row, err := l.rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		copy(l.pair[:l.width], row[len(row)-l.width:])
		for _, c := range l.conds {
			ok, err := sql.EvaluateCondition(ctx, c, l.pair)
			if err != nil {
				return nil, err
			}
			if !sql.IsTrue(ok) {
				continue next
			}
		}
		return row, nil
	}
}

// Close implements sql.RowIter.
func (l *lookup) Close(ctx *sql.Context) error { return l.rows.Close(ctx) }
