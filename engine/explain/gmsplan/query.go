package gmsplan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/explain"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/planning"
	"pfsd/engine/sqlexpr"
)

// planner converts a plan of go-mysql-server to a plan of package explain. Owned by one goroutine.
type planner struct {
	ctx    *sql.Context
	blocks int
	// conditionColumns are the columns in conditions, in lower case, as TABLE.COLUMN.
	conditionColumns map[string]bool
	// subqueries are the blocks of the subqueries in expressions.
	subqueries map[*plan.Subquery]*explain.Query
	// actual has the measurements of the nodes, nil if the plan has not run.
	actual map[nodeKey]*explain.Actual
}

// Query is plan n as package explain has it.
func Query(ctx *sql.Context, n sql.Node) *explain.Query {
	return newQuery(ctx, n, nil)
}

// newQuery converts a plan; actual has the measurements of its nodes, nil for none.
func newQuery(ctx *sql.Context, n sql.Node, actual map[nodeKey]*explain.Actual) *explain.Query {
	p := &planner{ctx: ctx, conditionColumns: map[string]bool{}, subqueries: map[*plan.Subquery]*explain.Query{}, actual: actual}
	p.addConditionColumns(n)
	q := p.block(n, "PRIMARY")
	if len(q.Nested) == 0 && q.Union == nil {
		q.Kind = "SIMPLE"
	}
	return q
}

// addConditionColumns notes the columns that the conditions of a plan are about.
func (p *planner) addConditionColumns(n sql.Node) {
	transform.Inspect(n, func(n sql.Node) bool {
		switch n := n.(type) {
		case *plan.Filter, *plan.JoinNode, *plan.HashLookup, *plan.IndexedTableAccess:
			for _, e := range n.(sql.Expressioner).Expressions() {
				sql.Inspect(p.ctx, e, func(_ *sql.Context, e sql.Expression) bool {
					if f, ok := e.(*expression.GetField); ok {
						p.conditionColumns[strings.ToLower(f.Table()+"."+f.Name())] = true
					}
					return true
				})
			}
		case *plan.SubqueryAlias:
			p.addConditionColumns(n.Child)
		}
		return true
	})
}

// block converts n to a query block.
func (p *planner) block(n sql.Node, kind string) *explain.Query {
	p.blocks++
	q := &explain.Query{ID: p.blocks, Kind: kind}
	q.Root = p.node(q, n)
	produced := 1.0
	for _, t := range q.Tables {
		if !t.Unknown {
			produced *= t.Rows * t.Filtered / 100
			t.Produced = produced
		}
	}
	return q
}

// nestedBlock converts n to a block inside block q.
func (p *planner) nestedBlock(q *explain.Query, n sql.Node, kind, place string) *explain.Query {
	in := &explain.NestedQuery{Place: place}
	q.Nested = append(q.Nested, in)
	in.Query = p.block(n, kind)
	return in.Query
}

// step returns the step of n with the steps below it.
func (p *planner) step(n sql.Node, text string, children ...*explain.Step) *explain.Step {
	s := &explain.Step{Text: text}
	for _, c := range children {
		if c != nil {
			s.Children = append(s.Children, c)
		}
	}
	if len(s.Children) > 0 {
		s.Cost, s.Rows, s.Estimated = s.Children[0].Cost, s.Children[0].Rows, s.Children[0].Estimated
	}
	if p.actual != nil {
		s.Actual = p.actual[nodeKeyOf(n)]
		if s.Actual == nil {
			s.Actual = &explain.Actual{}
		}
	}
	return s
}

// node converts n, a node of block q, to a step, in one case for each kind of nodes.
func (p *planner) node(q *explain.Query, n sql.Node) *explain.Step {
	switch n := n.(type) {
	case *plan.Project:
		s := p.node(q, n.Child)
		p.columns(q, n.Projections)
		return s
	case *plan.Filter:
		return p.filter(q, n)
	case *plan.Having:
		s := p.node(q, n.Child)
		text, inner := p.condition(q, n.Cond, explain.InHaving)
		return p.step(n, "Filter: "+text, append([]*explain.Step{s}, inner...)...)
	case *plan.JoinNode:
		return p.join(q, n)
	case *plan.HashLookup:
		return p.node(q, n.Child)
	case *plan.Sort:
		q.Sorted = true
		return p.step(n, "Sort: "+p.fields(n.SortFields), p.node(q, n.Child))
	case *plan.TopN:
		q.Sorted = true
		limit := n.Limit.String()
		sorted := p.step(n, "Sort: "+p.fields(n.Fields)+", limit input to "+limit+" row(s) per chunk", p.node(q, n.Child))
		return p.withLimit(p.step(n, "Limit: "+limit+" row(s)", sorted), n.Limit)
	case *plan.Limit:
		child := p.node(q, n.Child)
		text := "Limit: " + n.Limit.String() + " row(s)"
		if child != nil && child.Text == text {
			return child // the sort has the limit already
		}
		return p.withLimit(p.step(n, text, child), n.Limit)
	case *plan.Offset:
		return p.step(n, "Limit/Offset: rows behind the first "+n.Offset.String(), p.node(q, n.Child))
	case *plan.GroupBy:
		return p.group(q, n)
	case *plan.Distinct:
		q.Distinct, q.Temporary = true, true
		return withoutEstimate(p.step(n, "Table scan on <temporary>", withoutEstimate(p.step(n, "Temporary table with deduplication", p.node(q, n.Child)))))
	case *plan.OrderedDistinct:
		q.Distinct = true
		return p.step(n, "Remove duplicates from input sorted by the columns", p.node(q, n.Child))
	case *plan.Window:
		q.Windows, q.Sorted, q.Temporary = true, true, true
		p.columns(q, n.SelectExprs)
		return p.step(n, "Window aggregate with buffering: "+p.windows(n.SelectExprs), p.node(q, n.Child))
	case *plan.SetOp:
		return p.union(q, n)
	case *plan.RecursiveCte:
		s := p.union(q, n.Union())
		q.Union.Materialized = false
		s.Text = "Repeat until convergence"
		return s
	case *plan.InsertInto:
		return p.insert(q, n)
	case *plan.Update:
		s := p.node(q, n.Child)
		p.markWritten(q, "UPDATE")
		return p.step(n, "Update "+p.targets(q)+" (immediate)", s)
	case *plan.DeleteFrom:
		s := p.node(q, n.Child)
		p.markWritten(q, "DELETE")
		return p.step(n, "Delete from "+p.targets(q)+" (immediate)", s)
	case *plan.TriggerExecutor:
		return p.node(q, n.Left())
	case *planning.Triggered:
		return p.node(q, n.Child)
	case *plan.Values, *plan.EmptyTable, *plan.TableCountLookup:
		return p.constant(q, n)
	}
	if s, ok := p.table(q, n); ok {
		return s
	}
	var first *explain.Step
	for _, c := range n.Children() {
		if s := p.node(q, c); first == nil {
			first = s
		}
	}
	if first == nil {
		return p.step(n, "Rows fetched before execution")
	}
	return first
}

// withoutEstimate removes the estimate of a step.
func withoutEstimate(s *explain.Step) *explain.Step {
	s.Estimated = false
	return s
}

// withLimit bounds the estimated rows of a step by the limit.
func (p *planner) withLimit(s *explain.Step, limit sql.Expression) *explain.Step {
	if n, err := iters.GetInt64Value(p.ctx, limit); err == nil && s.Estimated {
		s.Rows = min(s.Rows, float64(n))
	}
	return s
}

// constant returns the step of a query without tables.
func (p *planner) constant(q *explain.Query, n sql.Node) *explain.Step {
	text := "Rows fetched before execution"
	switch n := n.(type) {
	case *plan.EmptyTable:
		q.Message, text = "Impossible WHERE", "Zero rows (Impossible WHERE)"
	case *plan.TableCountLookup:
		q.Message, text = "Select tables optimized away", "Count rows in "+n.Name()
	case *plan.Values:
		if len(q.Tables) == 0 {
			q.Message = "No tables used"
		}
	}
	return p.step(n, text)
}

// columns adds the subqueries in a select list.
func (p *planner) columns(q *explain.Query, columns []sql.Expression) {
	for _, e := range columns {
		for _, in := range p.subqueryBlocks(q, e, explain.InColumns) {
			how := "run only once"
			if in.Dependent {
				how = "dependent"
			}
			s := &explain.Step{Text: fmt.Sprintf("Select #%d (subquery in projection; %s)", in.ID, how), Children: []*explain.Step{in.Root}}
			q.SelectListSteps = append(q.SelectListSteps, s)
		}
	}
}

// subqueryBlocks adds and returns the blocks of the subqueries in an expression.
func (p *planner) subqueryBlocks(q *explain.Query, e sql.Expression, place string) (all []*explain.Query) {
	sql.Inspect(p.ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		var s *plan.Subquery
		switch e := e.(type) {
		case *plan.ExistsSubquery:
			s = e.Query
		case *plan.Subquery:
			s = e
		}
		if s == nil {
			return true
		}
		if p.subqueries[s] == nil {
			in := p.nestedBlock(q, s.Query, "SUBQUERY", place)
			in.Dependent = !s.CanCacheResults()
			p.subqueries[s] = in
			all = append(all, in)
		}
		return false
	})
	return all
}

// condition returns the text of a condition of block q, and the steps of its subqueries.
func (p *planner) condition(q *explain.Query, e sql.Expression, place string) (text string, inner []*explain.Step) {
	for _, in := range p.subqueryBlocks(q, e, place) {
		how := "run only once"
		if in.Dependent {
			how = "dependent"
		}
		inner = append(inner, &explain.Step{Text: fmt.Sprintf("Select #%d (subquery in condition; %s)", in.ID, how), Children: []*explain.Step{in.Root}})
	}
	return p.text(e, false), inner
}

// filter converts a filter.
func (p *planner) filter(q *explain.Query, n *plan.Filter) *explain.Step {
	tables := len(q.Tables)
	child := p.node(q, n.Child)
	place := explain.InCondition
	if isGrouped(n.Child) {
		place = explain.InHaving
	}
	text, inner := p.condition(q, n.Expression, place)
	s := p.step(n, "Filter: "+text, append([]*explain.Step{child}, inner...)...)
	if place == explain.InCondition && len(q.Tables) > tables {
		p.addCondition(q.Tables[len(q.Tables)-1], n.Expression)
	}
	if s.Estimated {
		s.Rows *= selectivity(n.Expression, s.Rows)
	}
	return s
}

// addCondition sets the condition of a table, unless the index access has applied it already.
func (p *planner) addCondition(t *explain.Table, e sql.Expression) {
	var rest []sql.Expression
	for _, c := range expression.SplitConjunction(p.ctx, e) {
		if !servedByIndex(t, c) {
			rest = append(rest, c)
		}
	}
	if len(rest) == 0 {
		return
	}
	e = expression.JoinAnd(rest...)
	text := p.text(e, true)
	if t.Condition != "" {
		text = "(" + t.Condition + " and " + text + ")"
	} else {
		t.Extra = append([]string{"Using where"}, t.Extra...)
	}
	t.Condition = text
	if !t.Unknown {
		t.Filtered = max(t.Filtered*selectivity(e, t.Rows), min(100, 100/max(1, t.Rows)))
	}
}

// servedByIndex reports whether the index access of t applies a condition.
func servedByIndex(t *explain.Table, e sql.Expression) bool {
	if t.Access != "const" && t.Access != "eq_ref" && t.Access != "ref" {
		return false
	}
	eq, ok := e.(*expression.Equals)
	if !ok {
		return false
	}
	for _, side := range []sql.Expression{eq.Left(), eq.Right()} {
		if f, ok := side.(*expression.GetField); ok && strings.EqualFold(f.Table(), t.Name) && contains(t.KeyParts, f.Name()) {
			return true
		}
	}
	return false
}

// isGrouped reports whether a condition comes after a GROUP BY.
func isGrouped(n sql.Node) bool {
	switch n := n.(type) {
	case *plan.GroupBy, *plan.Window:
		return true
	case *plan.Project:
		return isGrouped(n.Child)
	}
	return false
}

// group converts GROUP BY, and aggregation without it.
func (p *planner) group(q *explain.Query, n *plan.GroupBy) *explain.Step {
	child := p.node(q, n.Child)
	p.columns(q, n.SelectDeps)
	if len(n.GroupByExprs) == 0 {
		var all []string
		for _, e := range n.SelectDeps {
			if _, ok := e.(sql.Aggregation); ok {
				all = append(all, p.text(e, false))
			}
		}
		s := p.step(n, "Aggregate: "+strings.Join(all, ", "), child)
		s.Rows = 1
		return s
	}
	q.Grouped, q.Temporary = true, true
	return withoutEstimate(p.step(n, "Table scan on <temporary>", withoutEstimate(p.step(n, "Aggregate using temporary table", child))))
}

// windows lists the window functions among expressions.
func (p *planner) windows(all []sql.Expression) string {
	var texts []string
	for _, e := range all {
		sql.Inspect(p.ctx, e, func(_ *sql.Context, e sql.Expression) bool {
			if w, ok := e.(sql.WindowAdaptableExpression); ok && w.Window() != nil {
				texts = append(texts, p.text(e, false))
				return false
			}
			return true
		})
	}
	return strings.Join(texts, ", ")
}

// fields lists the columns of a sort.
func (p *planner) fields(all sql.SortFields) string {
	var texts []string
	for _, f := range all {
		text := p.text(f.Column, false)
		if f.Order == sql.Descending {
			text += " DESC"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// union converts a set operation, whose first part is block q.
func (p *planner) union(q *explain.Query, n *plan.SetOp) *explain.Step {
	kind := map[int]string{plan.UnionType: "UNION", plan.IntersectType: "INTERSECT", plan.ExceptType: "EXCEPT"}[n.SetOpType]
	var parts []sql.Node
	var split func(sql.Node)
	split = func(c sql.Node) {
		if s, ok := c.(*plan.SetOp); ok && s.SetOpType == n.SetOpType && s.Distinct == n.Distinct && len(s.SortFields) == 0 && s.Limit == nil && s.Offset == nil {
			split(s.Left())
			split(s.Right())
			return
		}
		parts = append(parts, c)
	}
	split(n.Left())
	split(n.Right())
	u := &explain.Union{Kind: kind, Sorted: len(n.SortFields) > 0}
	u.Materialized = n.Distinct || n.SetOpType != plan.UnionType || u.Sorted
	steps := []*explain.Step{p.node(q, parts[0])}
	for _, c := range parts[1:] {
		o := p.block(c, kind)
		u.Others = append(u.Others, o)
		steps = append(steps, o.Root)
	}
	q.Union = u
	cost := 0.0
	for i, s := range steps {
		if s != nil && s.Estimated {
			cost += s.Cost
		}
		if u.Materialized && s != nil && i > 0 {
			cost += s.Rows * rowCost
		}
	}
	text := "Append"
	if u.Materialized {
		p.blocks++
		u.ID = p.blocks
		text = kind[:1] + strings.ToLower(kind[1:]) + " materialize"
		if n.Distinct {
			text += " with deduplication"
		}
	}
	s := p.step(n, text, steps...)
	s.Cost, s.Estimated = cost, false
	if u.Materialized {
		s = withoutEstimate(p.step(n, "Table scan on <"+strings.ToLower(kind)+" temporary>", s))
	}
	if u.Sorted {
		s = withoutEstimate(p.step(n, "Sort: "+p.fields(n.SortFields), s))
	}
	if n.Limit != nil {
		s = withoutEstimate(p.step(n, "Limit: "+n.Limit.String()+" row(s)", s))
	}
	return s
}

// insert converts INSERT and REPLACE.
func (p *planner) insert(q *explain.Query, n *plan.InsertInto) *explain.Step {
	kind, text := "INSERT", "Insert into "
	if n.IsReplace {
		kind, text = "REPLACE", "Replace into "
	}
	name := ""
	if rt := mysqlerr.WrittenTable(n); rt != nil {
		name = rt.Name()
	}
	q.Tables = append(q.Tables, &explain.Table{Name: name, Kind: kind, Access: "ALL", Unknown: true})
	return withoutEstimate(p.step(n, text+name, p.node(q, n.Source)))
}

// markWritten marks the first table of a block as written.
func (p *planner) markWritten(q *explain.Query, kind string) {
	if len(q.Tables) > 0 {
		q.Tables[0].Kind = kind
		q.Tables[0].Extra = slices.DeleteFunc(q.Tables[0].Extra, func(e string) bool { return e == "Using index" })
	}
}

func (p *planner) targets(q *explain.Query) string {
	if len(q.Tables) == 0 {
		return "nothing"
	}
	return q.Tables[0].Name
}

// join converts a join, in one case for each way to join.
func (p *planner) join(q *explain.Query, n *plan.JoinNode) *explain.Step {
	left := p.node(q, n.Left())
	before := len(q.Tables)
	var right *explain.Step
	if n.Op.IsPartial() && isOwnBlock(n.Right()) {
		in := p.nestedBlock(q, n.Right(), "SUBQUERY", explain.InCondition)
		right = p.step(n.Right(), fmt.Sprintf("Table scan on <subquery%d>", in.ID), p.step(n.Right(), "Materialize", in.Root))
	} else {
		right = p.node(q, n.Right())
	}
	word := "inner "
	switch {
	case n.Op.IsSemi():
		word = "semi"
	case n.Op.IsAnti():
		word = "anti"
	case n.Op.IsLeftOuter(), n.Op == plan.JoinTypeLateralLeft:
		word = "left "
	case n.Op.IsFullOuter():
		word = "full "
	}
	last := (*explain.Table)(nil)
	if len(q.Tables) > 0 {
		last = q.Tables[len(q.Tables)-1]
		switch {
		case len(q.Tables) == before:
		case n.Op.IsSemi() && before > 0:
			last.Extra = append(last.Extra, "FirstMatch("+q.Tables[before-1].Name+")")
		case n.Op.IsAnti():
			last.Extra = append(last.Extra, "Not exists")
		}
	}
	condition := "no condition"
	if n.Filter != nil {
		condition, _ = p.condition(q, n.Filter, explain.InCondition)
	}
	bracketed := "(" + condition + ")"
	if strings.HasPrefix(condition, "(") {
		bracketed = condition
	}
	text := "Nested loop " + word + "join"
	factor := 1.0
	switch {
	case n.Op.IsHash():
		text = strings.TrimSpace(strings.ToUpper(word[:1])+word[1:]) + " hash join " + bracketed
		right = p.step(n.Right(), "Hash", right)
	case n.Op.IsMerge():
		text = "Merge " + word + "join " + bracketed
	}
	if n.Filter != nil && !n.Op.IsLookup() {
		factor = selectivity(n.Filter, rowsOfStep(right))
		if last != nil {
			p.addCondition(last, n.Filter)
			if n.Op.IsHash() {
				last.Joins = "hash join"
			}
		}
		if !n.Op.IsHash() && !n.Op.IsMerge() {
			right = p.step(n, "Filter: "+condition, right)
			right.Actual = nil
		}
	} else if n.Op.IsHash() && last != nil {
		last.Joins = "hash join"
	}
	s := p.step(n, text, left, right)
	if l, r := left, right; l != nil && r != nil && l.Estimated && r.Estimated {
		s.Cost = l.Cost + l.Rows*r.Cost
		if n.Op.IsHash() || n.Op.IsMerge() {
			s.Cost = l.Cost + r.Cost + l.Rows*rowCost
		}
		s.Rows = l.Rows * r.Rows * factor
		if n.Op.IsPartial() {
			s.Rows = l.Rows
		}
		if n.Op.IsLeftOuter() {
			s.Rows = max(s.Rows, l.Rows)
		}
	} else {
		s.Estimated = false
	}
	return s
}

func rowsOfStep(s *explain.Step) float64 {
	if s == nil || !s.Estimated {
		return 1
	}
	return s.Rows
}

// isOwnBlock reports whether the right side of a semijoin is a block of its own.
func isOwnBlock(n sql.Node) bool {
	switch n := n.(type) {
	case *plan.GroupBy, *plan.Having, *plan.Distinct, *plan.Limit, *plan.TopN, *plan.SetOp, *plan.Window:
		return true
	case *plan.Project:
		return isOwnBlock(n.Child)
	case *plan.Filter:
		return isOwnBlock(n.Child)
	case *plan.Max1Row:
		return isOwnBlock(n.Child)
	case *plan.HashLookup:
		return isOwnBlock(n.Child)
	case *plan.CachedResults:
		return isOwnBlock(n.Child)
	}
	return false
}

// selectivity estimates the share of rows that a condition leaves, with MySQL's constants.
func selectivity(e sql.Expression, rows float64) float64 {
	part := 1.0
	switch e := e.(type) {
	case *expression.And:
		if _, _, like := sqlexpr.LikeText(e); like {
			part = 1.0 / 9
			break
		}
		part = selectivity(e.LeftChild, 0) * selectivity(e.RightChild, 0)
	case *expression.Or:
		l, r := selectivity(e.LeftChild, 0), selectivity(e.RightChild, 0)
		part = l + r - l*r
	case *expression.Not:
		part = 1 - selectivity(e.Child, 0)
	case *expression.Equals, *expression.NullSafeEquals, *expression.IsNull:
		part = 0.1
	case *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual:
		part = 1.0 / 3
	case *expression.Between, *expression.Like:
		part = 1.0 / 9
	case *expression.InTuple:
		if t, ok := e.Right().(expression.Tuple); ok {
			part = min(0.5, 0.1*float64(len(t)))
		}
	case *expression.HashInTuple:
		if t, ok := e.Right().(expression.Tuple); ok {
			part = min(0.5, 0.1*float64(len(t)))
		}
	}
	if rows >= 1 {
		part = max(part, 1/rows)
	}
	return part
}

// exprWithText is an expression that is shown with another text.
type exprWithText struct {
	sql.Expression
	text string
}

// String implements sql.Expression.
func (s exprWithText) String() string { return s.text }

// text returns an expression as MySQL shows it; full adds database, table and quotes to columns.
func (p *planner) text(e sql.Expression, full bool) string {
	switch e := e.(type) {
	case *expression.And:
		if column, text, ok := sqlexpr.LikeText(e); ok {
			return "(" + p.text(column, full) + " like " + p.text(expression.NewLiteral(text+"%", types.LongText), full) + ")"
		}
		return "(" + p.text(e.LeftChild, full) + " and " + p.text(e.RightChild, full) + ")"
	case *expression.Not:
		if equal, ok := e.Child.(*expression.Equals); ok {
			return "(" + p.text(equal.Left(), full) + " <> " + p.text(equal.Right(), full) + ")"
		}
		return "(not(" + p.text(e.Child, full) + "))"
	case *expression.Or:
		return "(" + p.text(e.LeftChild, full) + " or " + p.text(e.RightChild, full) + ")"
	case *expression.Alias:
		return p.text(e.Child, full)
	case *plan.ExistsSubquery:
		return "exists" + p.subqueryText(e.Query)
	case *plan.InSubquery:
		in := e.RightChild
		if s, ok := in.(*plan.Subquery); ok {
			return "<in_optimizer>(" + p.text(e.LeftChild, full) + "," + p.text(e.LeftChild, full) + " in " + p.subqueryText(s) + ")"
		}
	}
	shown, _, err := transform.Expr(p.ctx, e, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		switch e := e.(type) {
		case *expression.GetField:
			return exprWithText{e, p.columnText(e, full)}, transform.NewTree, nil
		case *plan.Subquery:
			return exprWithText{e, p.subqueryText(e)}, transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
	if err != nil {
		return e.String()
	}
	return shown.String()
}

func (p *planner) columnText(f *expression.GetField, full bool) string {
	if !full {
		if f.Table() == "" {
			return f.Name()
		}
		return f.Table() + "." + f.Name()
	}
	text := "`" + f.Name() + "`"
	if f.Table() != "" {
		text = "`" + f.Table() + "`." + text
		if db := f.Database(); db != "" {
			text = "`" + db + "`." + text
		}
	}
	return text
}

// subqueryText returns the text of a subquery in an expression.
func (p *planner) subqueryText(s *plan.Subquery) string {
	if q := p.subqueries[s]; q != nil {
		return fmt.Sprintf("(select #%d)", q.ID)
	}
	return "(select ...)"
}

// contains reports whether a list has a name, in any letter case.
func contains(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}
