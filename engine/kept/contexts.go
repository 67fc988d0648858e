package kept

import (
	"strconv"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Parameters tells of each of the n parameters of a prepared statement whether its value may be another without another plan.
func Parameters(s ast.Statement, n int) []bool {
	c := contexts{free: make([]int, n), all: make([]int, n), number: func(v *ast.SQLVal) int {
		if v.Type != ast.ValArg {
			return -1
		}
		i, err := strconv.Atoi(strings.TrimPrefix(string(v.Val), ":v"))
		if err != nil || i > n {
			return -1
		}
		return i - 1
	}}
	c.statement(s)
	may := make([]bool, n)
	for i := range may {
		may[i] = c.free[i] == 1 && c.all[i] == 1
	}
	return may
}

// MayChange tells whether all values of a statement may be others without another plan; s is what StandIn says of the first plan, as it was parsed.
func MayChange(s ast.Statement, classes []Class) bool {
	n := len(classes)
	numbers := make(map[string]int, n)
	for i, class := range classes {
		numbers[strings.Trim(literal(standIn(class, i, false)), "'")] = i
	}
	c := contexts{free: make([]int, n), all: make([]int, n), number: func(v *ast.SQLVal) int {
		if i, ok := numbers[string(v.Val)]; ok {
			return i
		}
		return -1
	}}
	c.statement(s)
	for i := range n {
		if c.free[i] != 1 || c.all[i] != 1 {
			return false
		}
	}
	return true
}

// contexts finds where the values of a statement stand. A value may be another if it stands alone on one side of a comparison whose other side has none, in a row
// of VALUES, or in what a column is set to, and the conditions are joined by AND: then a plan that leaves out one of them, because others say more, reads more rows
// and not fewer.
type contexts struct {
	number    func(v *ast.SQLVal) int // of a value; below 0 if it is none
	free, all []int                   // how often each value stands where it may be another, and anywhere
}

func (c *contexts) statement(s ast.Statement) {
	switch s := s.(type) {
	case *ast.Select:
		for _, t := range s.From {
			c.table(t)
		}
		c.where(s.Where)
		c.where(s.Having)
	case *ast.Update:
		for _, e := range s.Exprs {
			c.assigned(e.Expr)
		}
		c.where(s.Where)
	case *ast.Delete:
		c.where(s.Where)
	case *ast.Insert:
		rows, _ := s.Rows.(ast.Values)
		if v, ok := s.Rows.(*ast.AliasedValues); ok {
			rows = v.Values
		}
		for _, row := range rows {
			for _, e := range row {
				c.value(e)
			}
		}
	default:
		return
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if v, ok := n.(*ast.SQLVal); ok {
			if i := c.number(v); i >= 0 {
				c.all[i]++
			}
		}
		return true, nil
	}, s)
}

func (c *contexts) table(t ast.TableExpr) {
	switch t := t.(type) {
	case *ast.JoinTableExpr:
		c.table(t.LeftExpr)
		c.table(t.RightExpr)
		if t.Condition.On != nil {
			c.condition(t.Condition.On)
		}
	case *ast.ParenTableExpr:
		for _, t := range t.Exprs {
			c.table(t)
		}
	}
}

func (c *contexts) where(w *ast.Where) {
	if w != nil {
		c.condition(w.Expr)
	}
}

func (c *contexts) condition(e ast.Expr) {
	switch e := e.(type) {
	case *ast.AndExpr:
		c.condition(e.Left)
		c.condition(e.Right)
	case *ast.ParenExpr:
		c.condition(e.Expr)
	case *ast.ComparisonExpr:
		switch e.Operator {
		case ast.EqualStr, ast.LessThanStr, ast.LessEqualStr, ast.GreaterThanStr, ast.GreaterEqualStr:
			if hasColumn(e.Left) {
				c.value(e.Right)
			} else if hasColumn(e.Right) {
				c.value(e.Left)
			}
		}
	case *ast.RangeCond:
		if e.Operator == ast.BetweenStr && hasColumn(e.Left) {
			c.value(e.From)
			c.value(e.To)
		}
	}
}

// assigned finds the values in what a column is set to.
func (c *contexts) assigned(e ast.Expr) {
	if b, ok := e.(*ast.BinaryExpr); ok && (b.Operator == ast.PlusStr || b.Operator == ast.MinusStr) {
		if hasColumn(b.Left) {
			c.value(b.Right)
		} else if hasColumn(b.Right) {
			c.value(b.Left)
		}
		return
	}
	c.value(e)
}

// value notes that e may be another value, if it is one. The engine's syntax rules have some told what they are compared with.
func (c *contexts) value(e ast.Expr) {
	if f, ok := e.(*ast.FuncExpr); ok && compared[f.Name.Lowered()] && len(f.Exprs) > 0 {
		if a, ok := f.Exprs[0].(*ast.AliasedExpr); ok {
			e = a.Expr
		}
	}
	if v, ok := e.(*ast.SQLVal); ok {
		if i := c.number(v); i >= 0 {
			c.free[i]++
		}
	}
}

// compared are functions that the engine puts around what stands in a comparison.
var compared = map[string]bool{"as compared": true, "number of": true, "text of": true}

func hasColumn(e ast.Expr) (found bool) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if _, ok := n.(*ast.ColName); ok {
			found = true
		}
		return !found, nil
	}, e)
	return found
}
