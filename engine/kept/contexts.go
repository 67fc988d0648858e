package kept

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Uses says how a statement uses its values.
type Uses struct {
	// Free says of each value whether the plan stays the same if the value changes.
	Free []bool
	// columns are the operands of each column that is compared several times.
	columns [][]operand
	// lists are the values of each IN. or is true if a condition has an OR.
	lists [][]int
	or    bool
}

// operand is compared with a column: it is a value, or a number in the statement.
type operand struct {
	value    int // the number of the value, below 0 for a constant
	constant int64
}

// Parameters finds out how the n parameters of a prepared statement are used.
func Parameters(s ast.Statement, n int) *Uses {
	return usesOf(s, n, func(v *ast.SQLVal) int {
		if v.Type != ast.ValArg {
			return -1
		}
		i, err := strconv.Atoi(strings.TrimPrefix(string(v.Val), ":v"))
		if err != nil || i > n {
			return -1
		}
		return i - 1
	})
}

// Uses finds out how the values of a statement are used. s is the parsed text that StandIn returns
// for the first plan.
func (t *Trial) Uses(s ast.Statement) *Uses {
	numbers := make(map[string]int, len(t.classes))
	for i := range t.classes {
		numbers[strings.Trim(literal(t.standIn(i, false)), "'")] = i
	}
	return usesOf(s, len(t.classes), func(v *ast.SQLVal) int {
		if i, ok := numbers[string(v.Val)]; ok {
			return i
		}
		return -1
	})
}

// Literals replaces the integers and texts with which the statement s compares columns by
// parameters, and returns them. s has n parameters before. A plan that is made for a literal may
// not contain the literal.
func Literals(s ast.Statement, n int) (all []ast.Expr) {
	c := contexts{number: func(v *ast.SQLVal) int {
		copied := *v
		if class, _ := Bound(&copied); v.Type != ast.ValArg && !class.fixed() && n+len(all) < MaxValues {
			all = append(all, &copied)
			*v = *ast.NewValArg([]byte(":v" + strconv.Itoa(n+len(all))))
		}
		return -1
	}, columns: map[string]*comparisons{}}
	c.conditions(s)
	return all
}

func usesOf(s ast.Statement, n int, number func(v *ast.SQLVal) int) *Uses {
	c := contexts{number: number, free: make([]int, n), all: make([]int, n), columns: map[string]*comparisons{}, uses: &Uses{Free: make([]bool, n)}}
	c.statement(s)
	for i := range n {
		c.uses.Free[i] = c.free[i] == 1 && c.all[i] == 1
	}
	for _, name := range slices.Sorted(maps.Keys(c.columns)) {
		o := c.columns[name]
		if o.known != o.all || o.unknown && len(o.operands) > 0 { // other parts may use the values in an unknown way
			for _, x := range o.operands {
				if x.value >= 0 {
					c.uses.Free[x.value] = false
				}
			}
		}
		if len(o.operands) > 1 {
			c.uses.columns = append(c.uses.columns, o.operands)
		}
	}
	return c.uses
}

// contexts finds where the values of a statement are. The plan stays the same for another value in
// these places: alone on one side of a comparison whose other side has columns and no values, in
// the list of IN with a column, in a row of VALUES, and in the expression that a column is set to.
// Conditions may be joined by AND and OR. Other conditions on a column that is compared with a
// value must be comparisons with values, integers or columns: then the plan depends only on the
// order of these operands.
type contexts struct {
	number    func(v *ast.SQLVal) int // returns the number of a value, below 0 if v is not one
	free, all []int                   // how often each value is in such a place, and anywhere
	columns   map[string]*comparisons // by the name of the column, without that of its table
	uses      *Uses
}

// comparisons are the comparisons of a column.
type comparisons struct {
	operands   []operand
	unknown    bool // the column is also compared with something other than operands
	known, all int  // how often the column is in comparisons that contexts understands, and in any conditions
}

func (c *contexts) statement(s ast.Statement) {
	c.conditions(s)
	switch s := s.(type) {
	case *ast.Select:
	case *ast.Update:
		for _, e := range s.Exprs {
			c.assigned(e.Expr)
		}
	case *ast.Delete:
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

// conditions visits the conditions of a statement.
func (c *contexts) conditions(s ast.Statement) {
	switch s := s.(type) {
	case *ast.Select:
		for _, t := range s.From {
			c.table(t)
		}
		c.where(s.Where)
		c.where(s.Having)
	case *ast.Update:
		c.where(s.Where)
	case *ast.Delete:
		c.where(s.Where)
	}
}

func (c *contexts) table(t ast.TableExpr) {
	switch t := t.(type) {
	case *ast.JoinTableExpr:
		c.table(t.LeftExpr)
		c.table(t.RightExpr)
		if t.Condition.On != nil {
			c.whole(t.Condition.On)
		}
	case *ast.ParenTableExpr:
		for _, t := range t.Exprs {
			c.table(t)
		}
	}
}

func (c *contexts) where(w *ast.Where) {
	if w != nil {
		c.whole(w.Expr)
	}
}

// whole visits a condition, and counts the columns in it.
func (c *contexts) whole(e ast.Expr) {
	c.condition(e)
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.FuncExpr:
			if compared[n.Name.Lowered()] && len(n.Exprs) > 1 { // the other arguments compare the same column
				return false, nil
			}
		case *ast.ColName:
			c.column(n).all++
		}
		return true, nil
	}, e)
}

func (c *contexts) column(n *ast.ColName) *comparisons {
	name := n.Name.Lowered()
	o := c.columns[name]
	if o == nil {
		o = &comparisons{}
		c.columns[name] = o
	}
	return o
}

func (c *contexts) condition(e ast.Expr) {
	switch e := e.(type) {
	case *ast.AndExpr:
		c.condition(e.Left)
		c.condition(e.Right)
	case *ast.OrExpr:
		if c.uses != nil {
			c.uses.or = true
		}
		c.condition(e.Left)
		c.condition(e.Right)
	case *ast.ParenExpr:
		c.condition(e.Expr)
	case *ast.IsExpr:
		if column := columnIn(e.Expr); column != nil && (e.Operator == ast.IsNullStr || e.Operator == ast.IsNotNullStr) {
			c.column(column).known++ // NULL is below all values
		}
	case *ast.ComparisonExpr:
		switch e.Operator {
		case ast.EqualStr, ast.NotEqualStr, ast.LessThanStr, ast.LessEqualStr, ast.GreaterThanStr, ast.GreaterEqualStr:
			c.sides(e.Left, e.Right)
		case ast.InStr, ast.NotInStr:
			if list, ok := e.Right.(ast.ValTuple); ok {
				c.list(e.Left, list)
			}
		}
	case *ast.RangeCond:
		if e.Operator == ast.BetweenStr {
			c.compare(e.Left, e.From, e.To)
		}
	}
}

// sides visits the two sides of a comparison.
func (c *contexts) sides(left, right ast.Expr) {
	a, b := columnIn(left), columnIn(right)
	switch {
	case a != nil && b != nil:
		c.column(a).known++
		c.column(b).known++
	case hasColumn(left):
		c.compare(left, right)
	case hasColumn(right):
		c.compare(right, left)
	}
}

// list visits the list of an IN.
func (c *contexts) list(e ast.Expr, list ast.ValTuple) {
	if columnIn(e) == nil {
		return
	}
	var all []int
	for _, x := range list {
		v := valueIn(x)
		if v == nil {
			return
		}
		if i := c.number(v); i >= 0 {
			all = append(all, i)
		}
	}
	c.compare(e, list...)
	if len(all) > 1 && c.uses != nil {
		c.uses.lists = append(c.uses.lists, all)
	}
}

// compare notes the operands with which an expression that has columns is compared.
func (c *contexts) compare(e ast.Expr, with ...ast.Expr) {
	o := &comparisons{}
	if column := columnIn(e); column != nil {
		o = c.column(column)
		o.known++
	}
	for _, x := range with {
		v := valueIn(x)
		if v == nil {
			o.unknown = true
			continue
		}
		n, err := strconv.ParseInt(string(v.Val), 10, 64)
		isNumber := v.Type == ast.IntVal && err == nil
		if i := c.number(v); i >= 0 {
			c.free[i]++
			o.operands = append(o.operands, operand{value: i})
		} else if isNumber {
			o.operands = append(o.operands, operand{-1, n})
		} else {
			o.unknown = true
		}
	}
}

// assigned visits the expression that a column is set to.
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

// value counts e as in a place where it may change, if e is a value.
func (c *contexts) value(e ast.Expr) {
	if v := valueIn(e); v != nil {
		if i := c.number(v); i >= 0 {
			c.free[i]++
		}
	}
}

// valueIn returns e if it is a literal or a parameter, else nil.
func valueIn(e ast.Expr) *ast.SQLVal {
	v, _ := plain(e).(*ast.SQLVal)
	return v
}

// columnIn returns e if it is a column, else nil.
func columnIn(e ast.Expr) *ast.ColName {
	c, _ := plain(e).(*ast.ColName)
	return c
}

// plain returns e without the functions that syntax rules put around it.
func plain(e ast.Expr) ast.Expr {
	if f, ok := e.(*ast.FuncExpr); ok && compared[f.Name.Lowered()] && len(f.Exprs) > 0 {
		if a, ok := f.Exprs[0].(*ast.AliasedExpr); ok {
			return a.Expr
		}
	}
	return e
}

// compared are the functions that syntax rules put around the sides of a comparison.
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
