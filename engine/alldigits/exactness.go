package alldigits

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/builtins"
	"pfsd/engine/mends"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// Exactness is an analyzer rule that lets expressions calculate with all digits of a quotient.
//
// go-mysql-server: an expression gets the digits that its operands show, so that ROUND(28100/508, 2)
// rounds 55.3150 and is 55.32, and 1/100000 is false. MySQL: a quotient has more digits than it
// shows, in groups of nine. Conditions, functions of numbers, SUM and assignments use all of them.
// A client, a text, and a table that MySQL makes for a part of the query get those that are shown.
//
// The rule changes a statement as a whole. The analyzer does not call it for the plans of one table,
// so that [WithAllDigits] does the same before.
func Exactness(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, scope *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if !scope.IsEmpty() || !mends.Exactness.On() || !hasQuotient(ctx, n) {
		return n, transform.SameTree, nil
	}
	n, err := WithAllDigits(ctx, n)
	return n, transform.NewTree, err
}

// WithAllDigits returns n, the plan of a statement before it is analyzed, such that its expressions
// calculate with all digits of a quotient. See [Exactness].
func WithAllDigits(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	n, err := sqlexpr.PlainPlans(ctx, n)
	if err != nil {
		return nil, err
	}
	if !mends.Exactness.On() || !hasQuotient(ctx, n) {
		return n, nil
	}
	x := exactness{ctx: ctx, wide: map[sql.ColumnId]bool{}}
	n = x.query(n, false)
	return n, x.err
}

// hasQuotient reports whether a query has an expression with more digits than it shows.
func hasQuotient(ctx *sql.Context, n sql.Node) (found bool) {
	var inside func(sql.Node)
	inside = func(n sql.Node) {
		transform.InspectWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) bool {
			if i, ok := n.(*plan.InsertInto); ok {
				inside(i.Source)
			}
			e, ok := n.(sql.Expressioner)
			if !ok || found {
				return !found
			}
			for _, e := range e.Expressions() {
				sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
					switch e := e.(type) {
					case *sqlexpr.Arithmetic:
						found = found || e.IsQuotient()
					case sql.Aggregation:
						found = found || isAverage(e)
					case sql.ExpressionWithNodes:
						for _, n := range e.NodeChildren() {
							inside(n)
						}
					}
					return !found
				})
			}
			return !found
		})
	}
	inside(n)
	return found
}

// isAverage reports whether e is AVG, which has more digits than it shows.
func isAverage(e sql.Expression) bool {
	f, ok := e.(sql.FunctionExpression)
	return ok && strings.EqualFold(f.FunctionName(), "avg")
}

// exactness changes one statement. Owned by one goroutine.
type exactness struct {
	ctx  *sql.Context
	wide map[sql.ColumnId]bool // columns whose values can have more digits than their types
	err  error                 // the first error
}

// query changes a query. all says that its rows keep all digits.
func (x *exactness) query(n sql.Node, all bool) sql.Node { return x.node(n, true, all) }

// node changes n and what is below it. top says that no projection of the query is above n, and all
// that the rows of the query keep all digits.
func (x *exactness) node(n sql.Node, top, all bool) sql.Node {
	switch n := n.(type) {
	case *plan.InsertInto:
		return x.expressions(n.WithSource(x.query(n.Source, true)), false)
	case *plan.Values:
		return x.expressions(n, all)
	case *plan.SubqueryAlias:
		return x.derived(n)
	case *plan.Project:
		return x.project(n, top, all)
	case *plan.GroupBy:
		return x.groups(n)
	case *plan.Window:
		return x.expressions(x.children(n, false, false), false)
	case *plan.Filter, *plan.Having, *plan.JoinNode:
		return x.expressions(x.children(n, top, all), true)
	case *plan.Into:
		return x.children(n, true, true)
	case *plan.SetOp, *plan.Distinct:
		return x.children(n, true, false)
	case *plan.Sort, *plan.TopN, *plan.Limit, *plan.Offset:
		return x.expressions(x.children(n, top, all), false)
	}
	if o, ok := n.(sql.OpaqueNode); ok && o.Opaque() {
		return x.expressions(x.children(n, true, false), false)
	}
	return x.expressions(x.children(n, top, all), false)
}

func (x *exactness) children(n sql.Node, top, all bool) sql.Node {
	old := n.Children()
	if len(old) == 0 || x.err != nil {
		return n
	}
	children := make([]sql.Node, len(old))
	for i, c := range old {
		children[i] = x.node(c, top, all)
	}
	return x.kept(n.WithChildren(x.ctx, children...))(n)
}

// kept returns a function that returns changed, or the node as it was if there is an error.
func (x *exactness) kept(changed sql.Node, err error) func(sql.Node) sql.Node {
	return func(old sql.Node) sql.Node {
		if err != nil {
			if x.err == nil {
				x.err = err
			}
			return old
		}
		return changed
	}
}

// expressions changes the expressions of n. all says that n uses all digits of their values.
func (x *exactness) expressions(n sql.Node, all bool) sql.Node {
	e, ok := n.(sql.Expressioner)
	if !ok || x.err != nil {
		return n
	}
	_, sorts := n.(*plan.Sort)
	if _, top := n.(*plan.TopN); top {
		sorts = true
	}
	var changed []sql.Expression
	_, filters := n.(*plan.Filter)
	for i, old := range e.Expressions() {
		if _, column := old.(*expression.GetField); column && sorts {
			continue // a sort by all digits is a sort by those that are shown
		}
		if to, same := x.expression(old, all); !same {
			if changed == nil {
				changed = append(changed, e.Expressions()...)
			}
			if changed[i] = to; filters {
				changed[i] = typed(to)
			}
		}
	}
	if changed == nil {
		return n
	}
	return x.kept(e.WithExpressions(x.ctx, changed...))(n)
}

// project changes a projection. One that is not the last of its query keeps all digits.
func (x *exactness) project(n *plan.Project, top, all bool) sql.Node {
	to, ok := x.expressions(x.children(n, false, false), all || !top).(*plan.Project)
	if !ok {
		return n
	}
	var changed []sql.Expression
	for i, e := range to.Projections {
		a, alias := e.(*expression.Alias)
		if !x.isWide(e) {
			continue
		}
		if alias {
			x.wide[a.Id()] = true
		}
		if top && all {
			if changed == nil {
				changed = append(changed, to.Projections...)
			}
			if alias {
				kept := *a
				kept.Child = keep(a.Child)
				changed[i] = &kept
			} else {
				changed[i] = keep(e)
			}
		}
	}
	if changed == nil {
		return to
	}
	return plan.NewProject(changed, to.Child)
}

// groups changes a GROUP BY. Its keys have the digits that are shown.
func (x *exactness) groups(n *plan.GroupBy) sql.Node {
	to := x.expressions(x.children(n, false, false), false)
	if g, ok := to.(*plan.GroupBy); ok {
		for _, e := range g.SelectDeps {
			if i, ok := e.(sql.IdExpression); ok && x.isWide(e) {
				x.wide[i.Id()] = true
			}
		}
	}
	return to
}

// derived changes a derived table, a view or a common table. Its rows keep all digits if MySQL
// merges it with the query around it, and makes no table of it.
func (x *exactness) derived(n *plan.SubqueryAlias) sql.Node {
	last := lastProjection(n.Child)
	to := x.kept(n.WithChildren(x.ctx, x.query(n.Child, last != nil)))(n)
	s, ok := to.(*plan.SubqueryAlias)
	if !ok || last == nil {
		return to
	}
	last = lastProjection(s.Child)
	i := 0
	s.Columns().ForEach(func(id sql.ColumnId) {
		if last != nil && i < len(last.Projections) && x.isWide(last.Projections[i]) {
			x.wide[id] = true
		}
		i++
	})
	return to
}

// lastProjection returns the last projection of a query if MySQL merges such a query: it has a
// table, and no groups, windows, DISTINCT, LIMIT or UNION.
func lastProjection(n sql.Node) (p *plan.Project) {
	for {
		switch q := n.(type) {
		case *plan.Sort:
			n = q.Child
			continue
		case *plan.Project:
			p = q
		}
		break
	}
	if p == nil {
		return nil
	}
	for n = p.Child; ; {
		switch q := n.(type) {
		case *plan.Project:
			n = q.Child
			continue
		case *plan.Filter:
			n = q.Child
			continue
		case *plan.Sort:
			n = q.Child
			continue
		case *plan.JoinNode, *plan.ResolvedTable, *plan.TableAlias, *plan.SubqueryAlias:
			return p
		}
		return nil
	}
}

// expression returns e such that it calculates with all digits of its operands. all says that the
// value itself keeps all digits. same says that nothing has changed.
func (x *exactness) expression(e sql.Expression, all bool) (to sql.Expression, same bool) {
	switch e := e.(type) {
	case *full, *rounding, *roundedColumn, *keeping, *keptColumn:
		return e, true
	case *expression.Alias:
		child, same := x.expression(e.Child, all)
		if same {
			return e, true
		}
		changed := *e // its WithChildren forgets the number of the column
		changed.Child = child
		return &changed, false
	case *expression.SetField:
		return x.with(e, func(i int) bool { return i == 1 })
	case *expression.GetField:
		if !all && x.wide[e.Id()] {
			return newRounding(e), false
		}
		return e, true
	case *plan.Subquery:
		return e.WithQuery(x.query(e.Query, all)), false
	case sql.ExpressionWithNodes:
		nodes := e.NodeChildren()
		changed := make([]sql.Node, len(nodes))
		for i, n := range nodes {
			changed[i] = x.query(n, false)
		}
		to, err := e.WithNodeChildren(x.ctx, changed...)
		if err != nil {
			x.err = err
			return e, true
		}
		return to, false
	case sqlexpr.Calculation:
		to, same := x.with(e.(sql.Expression), func(int) bool { return true })
		if x.isWide(to) {
			return newFull(to, all), false
		}
		return to, same
	}
	to, same = x.with(e, func(i int) bool { return usesAllDigits(x.ctx, e, i) })
	if _, aggregate := to.(sql.Aggregation); !all && !aggregate && x.isWide(to) {
		return newRounding(to), false
	}
	return to, same
}

// with returns e with its operands changed. all says of which operand e uses all digits.
func (x *exactness) with(e sql.Expression, all func(i int) bool) (to sql.Expression, same bool) {
	var changed []sql.Expression
	condition := sqlexpr.IsCondition(e)
	for i, c := range e.Children() {
		if to, same := x.expression(c, all(i)); !same {
			if changed == nil {
				changed = append(changed, e.Children()...)
			}
			if changed[i] = to; condition {
				changed[i] = typed(to)
			}
		}
	}
	if changed == nil || x.err != nil {
		return e, true
	}
	to, err := e.WithChildren(x.ctx, changed...)
	if err != nil {
		x.err = err
		return e, true
	}
	return to, false
}

// isWide reports whether the value of e can have more digits than its type.
func (x *exactness) isWide(e sql.Expression) bool {
	switch e := e.(type) {
	case *full:
		return e.all
	case *rounding, *roundedColumn:
		return false
	case *keeping, *keptColumn:
		return true
	case *builtins.Limited:
		return false
	case *expression.Alias:
		return x.isWide(e.Child)
	case *expression.GetField:
		return x.wide[e.Id()]
	case *plan.Subquery:
		p := firstProjection(e.Query)
		return p != nil && len(p.Projections) == 1 && x.isWide(p.Projections[0])
	case sqlexpr.Calculation:
		if e.Result(x.ctx).Kind != sqlvalue.Exact {
			return false
		}
		if a, ok := e.(*sqlexpr.Arithmetic); ok && (a.IsQuotient() || a.IsProduct()) {
			return a.IsQuotient() || x.anyWide(a.Children())
		}
		return x.anyWide(e.(sql.Expression).Children())
	}
	if !types.IsDecimal(e.Type(x.ctx)) {
		return false
	}
	if a, ok := e.(sql.Aggregation); ok {
		return isAverage(a) || aggregatesOfDigits[functionName(a)] && x.anyWide(e.Children())
	}
	if sqlexpr.Passes(e) {
		return x.anyWide(e.Children())
	}
	return false
}

func (x *exactness) anyWide(all []sql.Expression) bool {
	for _, e := range all {
		if x.isWide(e) {
			return true
		}
	}
	return false
}

// firstProjection returns the projection that is above all others of a query, nil if there is none.
func firstProjection(n sql.Node) *plan.Project {
	for {
		if p, ok := n.(*plan.Project); ok {
			return p
		}
		if o, ok := n.(sql.OpaqueNode); ok && o.Opaque() {
			return nil
		}
		c := n.Children()
		if _, distinct := n.(*plan.Distinct); distinct || len(c) != 1 {
			return nil
		}
		n = c[0]
	}
}

// aggregatesOfDigits are the aggregates that use all digits of their arguments.
var aggregatesOfDigits = namesOf("sum avg max min any_value anyvalue")

// functionsOfDigits are the functions that use all digits of their arguments.
var functionsOfDigits = namesOf(`sum avg max min any_value anyvalue std stddev stddevpop stddevsamp stddev_pop stddev_samp variance varpop varsamp
	var_pop var_samp round truncate floor ceil ceiling sign sqrt exp ln log log2 log10 pow power sin cos tan cot asin acos atan atan2 degrees
	radians format interval elt make_set field nullif greatest least if ifnull coalesce rand sec_to_time from_unixtime sleep maketime`,
	strings.ReplaceAll(sqlexpr.DoubleName.Lowered(), " ", "_"))

// namesOf returns a set of the words of texts.
func namesOf(texts ...string) map[string]bool {
	all := map[string]bool{}
	for _, text := range texts {
		for _, name := range strings.Fields(text) {
			all[name] = true
		}
	}
	return all
}

// functionName returns the name of a function in lower case, with _ for a blank; "" for another
// expression.
func functionName(e sql.Expression) string {
	if f, ok := e.(sql.FunctionExpression); ok {
		return strings.ReplaceAll(strings.ToLower(f.FunctionName()), " ", "_")
	}
	return ""
}

// usesAllDigits reports whether e uses all digits of operand i.
func usesAllDigits(ctx *sql.Context, e sql.Expression, i int) bool {
	if sqlexpr.Passes(e) || sqlexpr.IsCondition(e) {
		return true
	}
	switch e := e.(type) {
	case *expression.Interval:
		return true
	case *builtins.Limited:
		return usesAllDigits(ctx, e.Expression, i)
	case *sqlexpr.Call:
		if e.Name == "cast" {
			t := e.Type(ctx)
			return types.IsNumber(t) || types.IsDecimal(t)
		}
	}
	return functionsOfDigits[functionName(e)]
}
