package bounds

import (
	"reflect"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Tree returns MySQL's error if the statement that the parser made of a text of this weight must
// not be planned. It does nothing if the weight shows that no limit can be exceeded.
//
// Besides tables and columns it bounds the work of planning and of evaluating a row. The plan holds
// some parts of a statement more than once, or visits them more than once, so that each level of
// nesting multiplies the work.
func (w *Weight) Tree(s ast.Statement) error {
	repeats := w.MayHaveWith && w.Tables+w.Queries >= minRepeats
	doubles := w.Doubling > 0 && w.Tokens<<min(w.Doubling, 30) > maxWork/queryWork
	looks := w.Blocks > 0 && w.Tokens<<min(w.Blocks, 30) > maxLookups
	columns := w.Commas >= maxTableColumns || w.Stars > maxTables
	keys := w.Creates && w.Commas >= maxKeys
	if w.Tables < maxTables && !columns && !keys && !repeats && !doubles && !looks {
		return nil
	}
	_, err := tableCount(s)
	return err
}

// tableCount returns how many tables a statement refers to; the tables of a common table expression
// count for each reference to it. The error is that of a limit that the statement exceeds.
func tableCount(s ast.Statement) (int, error) {
	if s == nil {
		return 0, nil
	}
	r := &reader{}
	c := r.cost(reflect.ValueOf(s))
	if r.err == nil {
		r.check(c)
	}
	return c.tables, r.err
}

// cost is the cost of planning a part of a statement.
type cost struct {
	work   int // in names and operators
	tables int
}

// maxCost is a cost beyond all limits that does not overflow when costs are added or multiplied.
const maxCost = 1 << 30

func (c cost) add(o cost) cost {
	return cost{min(c.work+o.work, maxCost), min(c.tables+o.tables, maxCost)}
}

// times is the cost of a part that is visited n times.
func (c cost) times(n int) cost { return cost{min(c.work*min(n, maxCost), maxCost), c.tables} }

// The work of parts of a statement, relative to that of a name, and how often their contents are
// visited.
const (
	queryWork     = 50
	tableWork     = 20
	queryFactor   = 2  // a subquery or a derived table
	operandFactor = 2  // BETWEEN compares its first operand twice, NULLIF evaluates it twice
	existsFactor  = 3  // EXISTS becomes a join, and the aliases in it are renamed
	fieldDoubling = 10 // FIELD compares its first argument with each other one
	minRepeats    = 12 // the fewest queries, joins and commas with which common table expressions reach maxReferences
)

// reader adds up the cost of one statement. Owned by one goroutine.
type reader struct {
	named     []namedCost // common table expressions in scope, the innermost last
	err       error
	inProgram bool // inside a trigger or an event
	scopes    int  // open blocks and queries of that program
	lookups   int  // scopes searched for its names so far
}

type namedCost struct {
	name string
	cost cost
}

// check sets the error if a statement costs too much.
func (r *reader) check(c cost) {
	switch {
	case r.err != nil:
	case c.tables > maxReferences:
		r.err = errReferences()
	case c.work > maxWork:
		r.err = errWork()
	}
}

var (
	sqlNode      = reflect.TypeFor[ast.SQLNode]()
	grammarPath  = sqlNode.PkgPath()
	authTypeInfo = reflect.TypeFor[ast.AuthInformation]()
)

// cost returns the cost of v.
func (r *reader) cost(v reflect.Value) (c cost) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return c
		}
		return r.cost(v.Elem())
	case reflect.Pointer:
		if v.IsNil() {
			return c
		}
		if node, ok := v.Interface().(ast.SQLNode); ok {
			return r.node(node, v.Elem())
		}
		return r.cost(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return c
		}
		if rows, ok := v.Interface().(ast.Values); ok {
			return r.rows(rows)
		}
		statements := v.Type() == reflect.TypeFor[ast.Statements]()
		for i := range v.Len() {
			one := r.cost(v.Index(i))
			if statements { // the statements of a program are planned one by one
				r.check(one)
				continue
			}
			c = c.add(one)
		}
		return c
	case reflect.Struct:
		if node, ok := v.Interface().(ast.SQLNode); ok {
			return r.node(node, v)
		}
		return r.fields(v)
	}
	return c
}

// rows returns the cost of the rows of an INSERT; constants cost nothing.
func (r *reader) rows(rows ast.Values) (c cost) {
	for _, row := range rows {
		for _, e := range row {
			switch e.(type) {
			case *ast.SQLVal, *ast.NullVal, *ast.Default, ast.BoolVal:
			default:
				c = c.add(r.cost(reflect.ValueOf(e)))
			}
		}
	}
	return c
}

// fields returns the cost of a structure's fields, except those named.
func (r *reader) fields(v reflect.Value, without ...string) (c cost) {
	t := v.Type()
	if t.PkgPath() != grammarPath || t == authTypeInfo {
		return c
	}
fields:
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		for _, name := range without {
			if f.Name == name {
				continue fields
			}
		}
		c = c.add(r.cost(v.Field(i)))
	}
	return c
}

// field returns the cost of one field of a structure.
func (r *reader) field(v reflect.Value, name string) cost { return r.cost(v.FieldByName(name)) }

// node returns the cost of a node of the tree; v is its structure. It is one case for each kind of
// nodes.
func (r *reader) node(n ast.SQLNode, v reflect.Value) (c cost) {
	outer := len(r.named)
	defer func() { r.named = r.named[:outer] }()
	switch n := n.(type) {
	case *ast.Select:
		if len(n.SelectExprs) > maxColumns {
			r.fail(errColumns())
		}
		r.checkTables(n.From)
		r.addCommonTables(n.With)
		return r.fields(v, "With").add(cost{work: queryWork})
	case *ast.SetOp:
		r.addCommonTables(n.With)
		return r.fields(v, "With").add(cost{work: queryWork})
	case *ast.Update:
		r.checkTables(n.TableExprs)
		r.addCommonTables(n.With)
		return r.fields(v, "With")
	case *ast.Delete:
		r.checkTables(n.TableExprs)
		r.addCommonTables(n.With)
		return r.fields(v, "With")
	case *ast.Insert:
		r.addCommonTables(n.With)
		return r.fields(v, "With")
	case *ast.ValuesStatement:
		if widestRow(n) > maxDerived {
			r.fail(errColumns())
		}
	case *ast.JSONTableExpr:
		if jsonColumns(n.Spec) > maxDerived {
			r.fail(errColumns())
		}
	case *ast.TableSpec:
		r.checkDefinitions(definitionsOf(n))
	case *ast.AlterTable:
		var all definitions
		for _, ddl := range n.Statements {
			all = all.add(definitionsOfAlter(ddl))
		}
		r.checkDefinitions(all)
	case *ast.DDL:
		if n.TriggerSpec != nil || n.EventSpec != nil {
			r.inProgram = true
			defer func() { r.inProgram = false }()
		}
		if n.ViewSpec != nil {
			r.checkDerived(n.ViewSpec.ViewExpr)
		}
	case *ast.BeginEndBlock, *ast.Loop, *ast.While, *ast.Repeat:
		r.scopes++
		defer func() { r.scopes-- }()
	case *ast.ExistsExpr:
		return r.fields(reflect.ValueOf(n.Subquery).Elem()).times(existsFactor)
	case *ast.Subquery:
		r.scopes++
		defer func() { r.scopes-- }()
		return r.fields(v).times(queryFactor)
	case *ast.AliasedTableExpr:
		if q, ok := n.Expr.(*ast.Subquery); ok {
			r.checkDerived(q.Select)
		}
		c = r.fields(v, "Expr", "As")
		if t, ok := n.Expr.(ast.TableName); ok {
			return c.add(r.table(t))
		}
		return c.add(r.field(v, "Expr"))
	case *ast.RangeCond:
		return r.fields(v, "Left").add(r.field(v, "Left").times(operandFactor)).add(cost{work: 1})
	case *ast.ComparisonExpr:
		c = r.fields(v).add(cost{work: 1})
		if _, ok := n.Right.(*ast.Subquery); ok {
			return c.times(queryFactor)
		}
		return c
	case *ast.FuncExpr:
		if factor := operands(n); factor > 1 {
			c = r.fields(v, "Exprs").add(cost{work: 1})
			for i, e := range n.Exprs { // once each: visiting them twice on each level takes exponential time
				one := r.cost(reflect.ValueOf(e))
				if i == 0 {
					one = one.times(factor)
				}
				c = c.add(one)
			}
			return c
		}
	case *ast.ColName:
		r.countLookup()
	case *ast.SetVarExpr:
		r.countLookup()
	case ast.ColIdent, ast.TableIdent:
		return c
	case ast.TableName:
		return cost{work: 1}
	}
	c = r.fields(v)
	if _, ok := n.(ast.Expr); ok {
		c.work = min(c.work+1, maxCost)
	}
	return c
}

// operands returns how often a function evaluates its first argument.
func operands(f *ast.FuncExpr) int {
	switch {
	case len(f.Exprs) == 0:
	case f.Name.EqualString("field"):
		return len(f.Exprs) - 1
	case f.Name.EqualString("nullif"):
		return operandFactor
	}
	return 1
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// countLookup counts the scopes that are searched for a name: in a trigger or an event
// go-mysql-server searches each scope, and from each of them all scopes around it again.
func (r *reader) countLookup() {
	if !r.inProgram {
		return
	}
	if r.lookups = min(r.lookups+1<<min(r.scopes, 30), maxCost); r.lookups > maxLookups {
		r.fail(errLookups())
	}
}

// checkDerived sets the error if a derived table has too many columns: go-mysql-server visits all
// of them for each column that is read from it.
func (r *reader) checkDerived(s ast.SelectStatement) {
	for {
		switch q := s.(type) {
		case *ast.SetOp:
			s = q.Left
			continue
		case *ast.ParenSelect:
			s = q.Select
			continue
		case *ast.Select:
			stars := 0
			for _, e := range q.SelectExprs {
				if _, ok := e.(*ast.StarExpr); ok {
					stars++
				}
			}
			if len(q.SelectExprs) > maxDerived || stars > maxTables {
				r.fail(errColumns())
			}
		}
		return
	}
}

// widestRow returns the number of values in the longest row.
func widestRow(s *ast.ValuesStatement) (most int) {
	for _, row := range s.Rows {
		most = max(most, len(row))
	}
	return most
}

// jsonColumns returns the number of columns of JSON_TABLE, nested paths included.
func jsonColumns(s *ast.JSONTableSpec) (n int) {
	if s == nil {
		return 0
	}
	for _, c := range s.Columns {
		n += 1 + jsonColumns(c.Spec)
	}
	return n
}

// definitions counts the parts of a table that a statement defines.
type definitions struct{ columns, keys, constraints int }

func (d definitions) add(o definitions) definitions {
	return definitions{d.columns + o.columns, d.keys + o.keys, d.constraints + o.constraints}
}

// definitionsOf counts the definitions of CREATE TABLE.
func definitionsOf(t *ast.TableSpec) definitions {
	d := definitions{columns: len(t.Columns), keys: len(t.Indexes), constraints: len(t.Constraints)}
	for _, c := range t.Columns {
		if c.Type.KeyOpt != 0 {
			d.keys++
		}
		if c.Type.Constraint != nil || c.Type.ForeignKeyDef != nil {
			d.constraints++
		}
	}
	return d
}

// definitionsOfAlter counts the definitions of a clause of ALTER TABLE.
func definitionsOfAlter(d *ast.DDL) (a definitions) {
	if d.TableSpec != nil {
		a = definitionsOf(d.TableSpec)
	}
	if d.ColumnAction != "" {
		a.columns = max(a.columns, 1)
	}
	if d.IndexSpec != nil {
		a.keys++
	}
	if d.ConstraintAction != "" {
		a.constraints = max(a.constraints, 1)
	}
	return a
}

// checkDefinitions sets the error if a statement defines too many parts of a table.
func (r *reader) checkDefinitions(d definitions) {
	switch {
	case d.columns > maxTableColumns:
		r.fail(errColumns())
	case d.keys > maxKeys:
		r.fail(errKeys())
	case d.constraints > maxConstraints:
		r.fail(errConstraints())
	}
}

// addCommonTables puts common table expressions into scope, with the cost of a reference to each.
// The caller takes them out of scope.
func (r *reader) addCommonTables(w *ast.With) {
	if w == nil {
		return
	}
	for _, e := range w.Ctes {
		name := strings.ToLower(e.As.String())
		if w.Recursive {
			r.named = append(r.named, namedCost{name, cost{work: tableWork, tables: 1}})
		}
		expression := reflect.ValueOf(e.Expr)
		if q, ok := e.Expr.(*ast.Subquery); ok { // planned once for each reference
			r.checkDerived(q.Select)
			expression = reflect.ValueOf(q.Select)
		}
		c := r.cost(expression) // once: visiting it twice on each level takes exponential time
		if w.Recursive {
			r.named = r.named[:len(r.named)-1]
		}
		r.check(c)
		r.named = append(r.named, namedCost{name, c})
	}
}

// table returns the cost of a reference to a table.
func (r *reader) table(t ast.TableName) cost {
	if t.DbQualifier.IsEmpty() {
		for i := len(r.named) - 1; i >= 0; i-- {
			if strings.EqualFold(r.named[i].name, t.Name.String()) {
				return r.named[i].cost.add(cost{work: tableWork, tables: 1})
			}
		}
	}
	return cost{work: tableWork, tables: 1}
}

// checkTables sets the error if too many tables are joined.
func (r *reader) checkTables(list ast.TableExprs) {
	if tablesIn(list) > maxTables {
		r.fail(errTables())
	}
}

// tablesIn returns the number of joined tables.
func tablesIn(list ast.TableExprs) (n int) {
	for _, e := range list {
		for {
			j, ok := e.(*ast.JoinTableExpr)
			if !ok {
				break
			}
			n += tablesIn(ast.TableExprs{j.RightExpr})
			e = j.LeftExpr
		}
		if p, ok := e.(*ast.ParenTableExpr); ok {
			n += tablesIn(p.Exprs)
		} else {
			n++
		}
	}
	return n
}
