package sqltree

import (
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// comparedRows returns what a comparison of rows means, with comparisons of their columns, each of which compare may replace. It returns
// nil for any other expression, and if the rows are not of one length, which is an error.
//
// go-mysql-server: takes NULL in a row for a value that equals itself, and cannot order rows that have one. MySQL: (a, b) = (x, y) is
// a = x AND b = y, (a, b) < (x, y) is a < x OR a = x AND b < y, and a row is IN a list if it equals one of it.
func comparedRows(e ast.Expr, compare func(ast.Expr) ast.Expr) ast.Expr {
	c, ok := e.(*ast.ComparisonExpr)
	if !ok {
		return nil
	}
	left, isRow := c.Left.(ast.ValTuple)
	right, areRows := c.Right.(ast.ValTuple)
	if !isRow || !areRows {
		return nil
	}
	inList, ordered := c.Operator == ast.InStr || c.Operator == ast.NotInStr, strict[c.Operator] != ""
	if (inList && len(right) > 1 || ordered) && parts(left) > copiedParts || ordered && parts(right) > copiedParts {
		return &ast.FuncExpr{Name: ast.NewColIdent("refused row")}
	}
	r := rowComparison{compare, false}
	var plain ast.Expr
	switch c.Operator {
	case ast.InStr, ast.NotInStr:
		if plain = r.in(left, right); len(right) > indexedRows {
			plain = &ast.FuncExpr{Name: ast.NewColIdent("coalesce"), Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: plain}}}
		}
		if c.Operator == ast.NotInStr {
			plain = &ast.NotExpr{Expr: plain}
		}
	default:
		plain = r.rows(c.Operator, left, right)
	}
	if r.uneven {
		return nil
	}
	return plain
}

// copiedParts is how many parts an expression may have of which there are several copies in what a comparison means: one inside the other,
// they would double at each level.
const copiedParts = 64

// parts is how many parts an expression has, or more than copiedParts.
func parts(e ast.Expr) (n int) {
	_ = ast.Walk(func(ast.SQLNode) (bool, error) {
		n++
		return n <= copiedParts, nil
	}, e)
	return n
}

// indexedRows is how many rows of a list an index is searched for: go-mysql-server puts each of the ranges into the right place among all
// others. MySQL: for as many as range_optimizer_max_mem_size lets it.
const indexedRows = 500

// rowComparison makes comparisons of columns.
type rowComparison struct {
	compare func(ast.Expr) ast.Expr
	uneven  bool // rows are not of one length
}

// in tells whether a row is one of a list.
func (r *rowComparison) in(row ast.Expr, list ast.ValTuple) ast.Expr {
	if len(list) > 1 { // halves, as a list may be longer than expressions may be deep
		middle := len(list) / 2
		return both(false, r.in(row, list[:middle]), r.in(row, list[middle:]))
	}
	return r.values(ast.EqualStr, row, list[0])
}

// values compares two values, which may be rows.
func (r *rowComparison) values(operator string, left, right ast.Expr) ast.Expr {
	a, isRow := left.(ast.ValTuple)
	b, too := right.(ast.ValTuple)
	switch {
	case isRow && too:
		return r.rows(operator, a, b)
	case isRow || too:
		r.uneven = true
	}
	return r.compare(&ast.ComparisonExpr{Operator: operator, Left: left, Right: right})
}

// strict has the operators that decide at the first columns that are not equal.
var strict = map[string]string{
	ast.LessThanStr: ast.LessThanStr, ast.LessEqualStr: ast.LessThanStr, ast.GreaterThanStr: ast.GreaterThanStr, ast.GreaterEqualStr: ast.GreaterThanStr,
}

func (r *rowComparison) rows(operator string, left, right ast.ValTuple) ast.Expr {
	if len(left) != len(right) || len(left) == 0 {
		r.uneven = true
		return left
	}
	first := strict[operator]
	if first == "" {
		all := r.values(operator, left[0], right[0])
		for i := 1; i < len(left); i++ {
			all = both(operator != ast.NotEqualStr, all, r.values(operator, left[i], right[i]))
		}
		return all
	}
	last := len(left) - 1
	all := r.values(operator, left[last], right[last])
	for i := last - 1; i >= 0; i-- {
		all = both(false, r.values(first, left[i], right[i]), both(true, r.values(ast.EqualStr, left[i], right[i]), all))
	}
	return all
}

// both is a AND b, or else a OR b.
func both(and bool, a, b ast.Expr) ast.Expr {
	if and {
		return &ast.ParenExpr{Expr: &ast.AndExpr{Left: a, Right: b}}
	}
	return &ast.ParenExpr{Expr: &ast.OrExpr{Left: a, Right: b}}
}
