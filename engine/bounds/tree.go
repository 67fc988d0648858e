package bounds

import (
	"reflect"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Tree tells whether the statement that the parser has made of a text of this weight may be planned; if not, the error
// is MySQL's. It does nothing where the weight says that no limit can be passed.
//
// What it bounds besides tables and columns is the work of planning and of evaluating a row: some parts of a statement
// are there more than once in a plan, or are gone over more than once, and so each level of them in each other
// multiplies the work. It adds up what there would be.
func (w *Weight) Tree(s ast.Statement) error {
	repeats := w.With && w.Tables+w.Queries >= minRepeats
	doubles := w.Doubling > 0 && w.Tokens<<min(w.Doubling, 30) > maxWork/queryWork
	looks := w.Blocks > 0 && w.Tokens<<min(w.Blocks, 30) > maxLookups
	columns := w.Commas >= maxTableColumns || w.Stars > maxTables
	keys := w.Creates && w.Commas >= maxKeys
	if w.Tables < maxTables && !columns && !keys && !repeats && !doubles && !looks {
		return nil
	}
	_, err := Tables(s)
	return err
}

// Tables is how many tables a statement names, each common table expression as often as it is named. The error is that
// of a limit that the statement passes.
func Tables(s ast.Statement) (int, error) {
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

// cost is what a part of a statement takes to plan.
type cost struct {
	work   int // in names and operators
	tables int
}

// most is a cost beyond all limits, far from overflowing.
const most = 1 << 30

func (c cost) add(o cost) cost { return cost{min(c.work+o.work, most), min(c.tables+o.tables, most)} }

// times is the cost of what is gone over n times.
func (c cost) times(n int) cost { return cost{min(c.work*min(n, most), most), c.tables} }

// What parts of a statement take against a name, and how often what is in them is gone over.
const (
	queryWork     = 50
	tableWork     = 20
	queryFactor   = 2  // a query in an expression, or in place of a table
	operandFactor = 2  // BETWEEN compares its first operand twice, NULLIF evaluates it twice
	existsFactor  = 3  // EXISTS is made a join, and aliases in it are renamed
	fieldDoubling = 10 // FIELD compares its first argument with each other one
	minRepeats    = 12 // queries, joins and commas that make maxReferences of common table expressions, at the least
)

// reader reads one statement. Owned by one goroutine.
type reader struct {
	named   []namedCost // common table expressions, those that are seen last
	err     error
	looking bool // it is in a trigger or an event
	scopes  int  // how many blocks and queries of that are open
	lookups int  // in how many scopes names are looked for there
}

type namedCost struct {
	name string
	cost cost
}

// check notes the error if a statement takes more than it may.
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

// cost is what v takes.
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
			if statements { // of a program: each is planned by itself
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

// rows is what rows take that are inserted: plain values take nothing.
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

// fields is what the fields of a structure take, but for those of these names.
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

// field is what one field of a structure takes.
func (r *reader) field(v reflect.Value, name string) cost { return r.cost(v.FieldByName(name)) }

// node is what a part of the tree takes; v is its structure.
func (r *reader) node(n ast.SQLNode, v reflect.Value) (c cost) {
	outer := len(r.named)
	defer func() { r.named = r.named[:outer] }()
	switch n := n.(type) {
	case *ast.Select:
		if len(n.SelectExprs) > maxColumns {
			r.fail(errColumns())
		}
		r.from(n.From)
		r.with(n.With)
		return r.fields(v, "With").add(cost{work: queryWork})
	case *ast.SetOp:
		r.with(n.With)
		return r.fields(v, "With").add(cost{work: queryWork})
	case *ast.Update:
		r.from(n.TableExprs)
		r.with(n.With)
		return r.fields(v, "With")
	case *ast.Delete:
		r.from(n.TableExprs)
		r.with(n.With)
		return r.fields(v, "With")
	case *ast.Insert:
		r.with(n.With)
		return r.fields(v, "With")
	case *ast.ValuesStatement:
		if widest(n) > maxDerived {
			r.fail(errColumns())
		}
	case *ast.JSONTableExpr:
		if jsonColumns(n.Spec) > maxDerived {
			r.fail(errColumns())
		}
	case *ast.TableSpec:
		r.defines(definitionsOf(n))
	case *ast.AlterTable:
		var all definitions
		for _, ddl := range n.Statements {
			all = all.add(alteration(ddl))
		}
		r.defines(all)
	case *ast.DDL:
		if n.TriggerSpec != nil || n.EventSpec != nil {
			r.looking = true
			defer func() { r.looking = false }()
		}
		if n.ViewSpec != nil {
			r.derived(n.ViewSpec.ViewExpr)
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
			r.derived(q.Select)
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
			for i, e := range n.Exprs { // each once, as what is gone over twice at every level never ends
				one := r.cost(reflect.ValueOf(e))
				if i == 0 {
					one = one.times(factor)
				}
				c = c.add(one)
			}
			return c
		}
	case *ast.ColName:
		r.look()
	case *ast.SetVarExpr:
		r.look()
	case ast.ColIdent, ast.TableIdent:
		return c
	case ast.TableName:
		return cost{work: 1}
	}
	c = r.fields(v)
	if _, ok := n.(ast.Expr); ok {
		c.work = min(c.work+1, most)
	}
	return c
}

// operands is how often a function's first argument is evaluated.
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

// look notes that a name is looked for: in a trigger or an event in each scope, in each of those around that scope, in each of those around that one,
// and so on.
func (r *reader) look() {
	if !r.looking {
		return
	}
	if r.lookups = min(r.lookups+1<<min(r.scopes, 30), most); r.lookups > maxLookups {
		r.fail(errLookups())
	}
}

// derived notes the error if a query has too many columns that stands in place of a table: for each column of what reads it,
// all of its columns are gone over.
func (r *reader) derived(s ast.SelectStatement) {
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

// widest is the most values of a row.
func widest(s *ast.ValuesStatement) (most int) {
	for _, row := range s.Rows {
		most = max(most, len(row))
	}
	return most
}

// jsonColumns is how many columns JSON_TABLE makes, those of nested paths with them.
func jsonColumns(s *ast.JSONTableSpec) (n int) {
	if s == nil {
		return 0
	}
	for _, c := range s.Columns {
		n += 1 + jsonColumns(c.Spec)
	}
	return n
}

// definitions are how many parts of a table a statement defines.
type definitions struct{ columns, keys, constraints int }

func (d definitions) add(o definitions) definitions {
	return definitions{d.columns + o.columns, d.keys + o.keys, d.constraints + o.constraints}
}

// definitionsOf are those of a table.
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

// alteration is what a part of ALTER TABLE defines or changes.
func alteration(d *ast.DDL) (a definitions) {
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

// defines notes the error if a statement defines too much of a table.
func (r *reader) defines(d definitions) {
	switch {
	case d.columns > maxTableColumns:
		r.fail(errColumns())
	case d.keys > maxKeys:
		r.fail(errKeys())
	case d.constraints > maxConstraints:
		r.fail(errConstraints())
	}
}

// with notes what common table expressions take, each time they are named. Those of a node are forgotten behind it.
func (r *reader) with(w *ast.With) {
	if w == nil {
		return
	}
	for _, e := range w.Ctes {
		name := strings.ToLower(e.As.String())
		if w.Recursive {
			r.named = append(r.named, namedCost{name, cost{work: tableWork, tables: 1}})
		}
		expression := reflect.ValueOf(e.Expr)
		if q, ok := e.Expr.(*ast.Subquery); ok { // a plan of its own for each time that it is named, and no more
			r.derived(q.Select)
			expression = reflect.ValueOf(q.Select)
		}
		c := r.cost(expression) // once, as what is gone over twice at every level never ends
		if w.Recursive {
			r.named = r.named[:len(r.named)-1]
		}
		r.check(c)
		r.named = append(r.named, namedCost{name, c})
	}
}

// table is what a table takes.
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

// from notes the error if there are too many tables in a list.
func (r *reader) from(list ast.TableExprs) {
	if tablesIn(list) > maxTables {
		r.fail(errTables())
	}
}

// tablesIn is how many tables are joined.
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
