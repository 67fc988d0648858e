package planning

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// OuterJoins is an analyzer rule that runs before the choice of join orders. It writes each join with an outer join in it in
// one form, in which no order of the tables loses a condition: first the tables that are joined by inner joins, with their
// conditions, then the outer joins, EXISTS and IN, and around all of that the conditions that need their rows.
//
// go-mysql-server: tries orders of a join. Where one step joins two parts by an outer join, it drops all conditions of inner
// joins and all filters that belong to the same step: a LEFT JOIN b ... JOIN c ... WHERE b.d = 3 returns all rows of a. MySQL:
// a condition is never lost, and one that no row of NULLs fulfils makes an inner join of the outer join.
func OuterJoins(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if !mends.OuterJoinFilters.On() || !n.Resolved() || plan.IsNoRowNode(n) {
		return n, transform.SameTree, nil
	}
	_, isUpdate := n.(*plan.Update)
	return inOneForm(ctx, n, isUpdate)
}

// CrossJoins returns the rule that gives conditions of WHERE to joins without a condition. give is go-mysql-server's rule.
//
// go-mysql-server: gives them also to joins that are a side of an outer join, and loses rows of NULLs. MySQL: tests them on the rows
// of the whole join. OuterJoins gives them to the joins that may have them.
func CrossJoins(give analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if mends.OuterJoinFilters.On() {
			return n, transform.SameTree, nil
		}
		return give(ctx, a, n, scope, sel, flags)
	}
}

// inOneForm writes the joins of n in one form. ordered says that the columns must keep their order.
func inOneForm(ctx *sql.Context, n sql.Node, ordered bool) (sql.Node, transform.TreeIdentity, error) {
	if _, ok := n.(sql.OpaqueNode); ok {
		return n, transform.SameTree, nil
	}
	if isJoin(n) && losesConditions(ctx, n, false) {
		p, err := partOf(ctx, n)
		if err != nil {
			return n, transform.SameTree, err
		}
		if p != nil {
			joined, err := p.node(ctx)
			if err != nil {
				return n, transform.SameTree, err
			}
			if ordered {
				joined = inOrder(ctx, n, joined)
			}
			return joined, transform.NewTree, nil
		}
	}
	children := n.Children()
	var changed []sql.Node
	for i, child := range children {
		c, same, err := inOneForm(ctx, child, ordered)
		if err != nil {
			return n, transform.SameTree, err
		}
		if same == transform.NewTree {
			if changed == nil {
				changed = append(changed, children...)
			}
			changed[i] = c
		}
	}
	if changed == nil {
		return n, transform.SameTree, nil
	}
	formed, err := n.WithChildren(ctx, changed...)
	return formed, transform.NewTree, err
}

// isJoin reports whether n is a join, or conditions of a join.
func isJoin(n sql.Node) bool {
	switch n := n.(type) {
	case *plan.Filter:
		return isJoin(n.Child)
	case *plan.JoinNode:
		return true
	}
	return false
}

// losesConditions reports whether the join n has an outer join, a join without a condition, conditions of a join inside the join, or a
// condition that needs one side of a join alone.
func losesConditions(ctx *sql.Context, n sql.Node, inside bool) bool {
	switch n := n.(type) {
	case *plan.Filter:
		_, derived := n.Child.(*plan.SubqueryAlias)
		return inside && (derived || isJoin(n.Child)) || losesConditions(ctx, n.Child, inside)
	case *plan.JoinNode:
		if n.Op.IsOuter() || n.Op == plan.JoinTypeCross || losesConditions(ctx, n.Left(), true) || losesConditions(ctx, n.Right(), true) {
			return true
		}
		conditions := expression.SplitConjunction(ctx, n.Filter)
		if len(splitRows(ctx, conditions)) != len(conditions) {
			return true
		}
		if n.Op != plan.JoinTypeInner {
			return false
		}
		left, right := columnsOf(n.Left()), columnsOf(n.Right())
		for _, c := range conditions {
			if needed, movable := neededBy(ctx, c); movable && !(needed.Intersects(left) && needed.Intersects(right)) {
				return true
			}
		}
	}
	return false
}

// splitRows returns conditions with the columns of rows that are compared, in place of the rows.
//
// go-mysql-server: takes NULL in a row as equal to NULL. MySQL: does not.
func splitRows(ctx *sql.Context, conditions []sql.Expression) []sql.Expression {
	var split []sql.Expression
	for _, c := range conditions {
		if e, ok := c.(*expression.Equals); ok {
			left, isRow := e.Left().(expression.Tuple)
			right, areRows := e.Right().(expression.Tuple)
			if isRow && areRows && len(left) == len(right) {
				for i := range left {
					split = append(split, splitRows(ctx, []sql.Expression{expression.NewEquals(left[i], right[i])})...)
				}
				continue
			}
		}
		split = append(split, c)
	}
	return split
}

// part is a join: tables that are joined by inner joins, then other joins one after the other, then conditions.
type part struct {
	tables     []leaf
	conditions []sql.Expression // which need columns of tables alone
	others     []otherJoin
	filters    []sql.Expression // which need columns of others, or must not be moved
	comment    string
}

// leaf is a node that the rule does not look into.
type leaf struct {
	node    sql.Node
	columns sql.ColSet
}

// otherJoin is a LEFT JOIN, an EXISTS or an IN, or the NOT of them.
type otherJoin struct {
	op         plan.JoinType
	right      *part
	conditions []sql.Expression
}

// partOf returns the join n, and nil if it has a join of an unknown kind.
func partOf(ctx *sql.Context, n sql.Node) (*part, error) {
	switch n := n.(type) {
	case *plan.Filter:
		if _, derived := n.Child.(*plan.SubqueryAlias); !derived && !isJoin(n.Child) {
			break
		}
		p, err := partOf(ctx, n.Child)
		if p == nil || err != nil {
			return nil, err
		}
		p.add(ctx, expression.SplitConjunction(ctx, n.Expression))
		return p, nil
	case *plan.JoinNode:
		left, err := partOf(ctx, n.Left())
		if left == nil || err != nil {
			return nil, err
		}
		right, err := partOf(ctx, n.Right())
		if right == nil || err != nil {
			return nil, err
		}
		if n.CommentStr != "" {
			left.comment = n.CommentStr
		} else if left.comment == "" {
			left.comment = right.comment
		}
		on := splitRows(ctx, expression.SplitConjunction(ctx, n.Filter))
		switch {
		case n.Op == plan.JoinTypeInner || n.Op == plan.JoinTypeCross:
			left.join(ctx, right, on)
		case n.Op == plan.JoinTypeLeftOuter || n.Op == plan.JoinTypeSemi || n.Op == plan.JoinTypeAnti || n.Op == plan.JoinTypeAntiIncludeNulls:
			if n.Op == plan.JoinTypeSemi {
				left.reject(ctx, on)
			}
			if n.Op == plan.JoinTypeLeftOuter || n.Op == plan.JoinTypeSemi {
				right.reject(ctx, on) // rows of the right side that cannot fulfil on are not needed
			}
			left.others = append(left.others, otherJoin{n.Op, right, on})
		default:
			return nil, nil
		}
		return left, nil
	}
	formed, _, err := inOneForm(ctx, n, false)
	if err != nil {
		return nil, err
	}
	l := leaf{formed, columnsOf(formed)}
	if _, empty := formed.(*plan.EmptyTable); l.columns.Empty() && len(formed.Schema(ctx)) > 0 && !empty || readsItself(formed) {
		return nil, nil
	}
	return &part{tables: []leaf{l}}, nil
}

// readsItself reports whether n reads the rows so far of the common table expression that it is part of.
//
// go-mysql-server: conditions know the columns of these by other numbers than the node has.
func readsItself(n sql.Node) bool {
	if _, is := n.(*plan.RecursiveTable); is {
		return true
	}
	return slices.ContainsFunc(n.Children(), readsItself)
}

// columnsOf returns the columns of the tables that n reads.
func columnsOf(n sql.Node) (columns sql.ColSet) {
	if t, ok := n.(plan.TableIdNode); ok {
		return t.Columns()
	}
	for _, child := range n.Children() {
		columns = columns.Union(columnsOf(child))
	}
	return columns
}

// inner returns the columns of the tables of p that no outer join fills with NULLs.
func (p *part) inner() (columns sql.ColSet) {
	for _, t := range p.tables {
		columns = columns.Union(t.columns)
	}
	return columns
}

// all returns the columns of the rows of p.
func (p *part) all() sql.ColSet {
	columns := p.inner()
	for _, o := range p.others {
		if o.op == plan.JoinTypeLeftOuter {
			columns = columns.Union(o.right.all())
		}
	}
	return columns
}

// join joins p with right by an inner join.
func (p *part) join(ctx *sql.Context, right *part, on []sql.Expression) {
	p.tables = append(p.tables, right.tables...)
	p.conditions = append(p.conditions, right.conditions...)
	p.others = append(p.others, right.others...)
	p.filters = append(p.filters, right.filters...)
	p.add(ctx, on)
}

// add adds conditions to p.
func (p *part) add(ctx *sql.Context, conditions []sql.Expression) {
	p.filters = append(p.filters, conditions...)
	p.reject(ctx, conditions)
	p.sift(ctx)
}

// sift makes conditions of the tables of those filters that need no other columns.
//
// go-mysql-server: the rows of a derived table, which it reads once, have with them the columns of the first row of the statements around,
// so that a condition on the derived table alone must not need these. It may need them where it is tested on the rows of the join.
func (p *part) sift(ctx *sql.Context) {
	inner, all := p.inner(), p.all()
	var rest []sql.Expression
	for _, f := range p.filters {
		needed, movable := neededBy(ctx, f)
		own := needed.Intersection(all)
		movable = movable && (needed.SubsetOf(all) || !p.readsOnce(own))
		if movable && !own.Empty() && own.SubsetOf(inner) {
			p.conditions = append(p.conditions, f)
		} else {
			rest = append(rest, f)
		}
	}
	p.filters = rest
}

// readsOnce reports whether the columns are those of one derived table.
func (p *part) readsOnce(columns sql.ColSet) bool {
	for _, t := range p.tables {
		if columns.SubsetOf(t.columns) {
			return hasDerived(t.node)
		}
	}
	return false
}

// hasDerived reports whether n reads a derived table.
func hasDerived(n sql.Node) bool {
	if _, ok := n.(*plan.SubqueryAlias); ok {
		return true
	}
	return slices.ContainsFunc(n.Children(), hasDerived)
}

// reject makes inner joins of the outer joins of p whose rows of NULLs the conditions do not let through.
func (p *part) reject(ctx *sql.Context, conditions []sql.Expression) {
	for changed := true; changed; {
		changed = false
		for i, o := range p.others {
			if o.op != plan.JoinTypeLeftOuter || !rejectsNulls(ctx, conditions, o.right.all()) {
				continue
			}
			conditions = append(conditions[:len(conditions):len(conditions)], o.conditions...)
			p.tables = append(p.tables, o.right.tables...)
			p.conditions = append(p.conditions, o.right.conditions...)
			p.filters = append(append(p.filters, o.right.filters...), o.conditions...)
			others := append(p.others[:i:i], o.right.others...)
			p.others = append(others, p.others[i+1:]...)
			p.sift(ctx)
			changed = true
			break
		}
	}
}

// node returns the plan of p.
func (p *part) node(ctx *sql.Context) (sql.Node, error) {
	joined := p.innerJoins(ctx)
	for _, o := range p.others {
		right, err := o.right.node(ctx)
		if err != nil {
			return nil, err
		}
		joined = plan.NewJoin(joined, right, o.op, expression.JoinAnd(o.conditions...))
	}
	if j, ok := joined.(*plan.JoinNode); ok && p.comment != "" {
		joined = j.WithComment(p.comment)
	}
	if len(p.filters) > 0 {
		joined = plan.NewFilter(expression.JoinAnd(p.filters...), joined)
	}
	return joined, nil
}

// innerJoins joins the tables of p: each with those before that it has a condition with, where there is one.
func (p *part) innerJoins(ctx *sql.Context) sql.Node {
	rest := append([]leaf(nil), p.tables...)
	conditions := append([]sql.Expression(nil), p.conditions...)
	all := p.inner()
	// take returns the conditions that need columns of these alone.
	take := func(columns sql.ColSet) (taken []sql.Expression) {
		var left []sql.Expression
		for _, c := range conditions {
			needed, _ := neededBy(ctx, c)
			if needed.Intersection(all).SubsetOf(columns) {
				taken = append(taken, c)
			} else {
				left = append(left, c)
			}
		}
		conditions = left
		return taken
	}
	for i, l := range rest {
		if own := take(l.columns); len(own) > 0 {
			rest[i].node = filtered(l.node, own)
		}
	}
	joined, columns := rest[0].node, rest[0].columns
	for rest = rest[1:]; len(rest) > 0; {
		next := 0
	search:
		for i, l := range rest {
			for _, c := range conditions {
				needed, _ := neededBy(ctx, c)
				if needed = needed.Intersection(all); needed.SubsetOf(columns.Union(l.columns)) {
					next = i
					break search
				}
			}
		}
		l := rest[next]
		rest = append(rest[:next:next], rest[next+1:]...)
		columns = columns.Union(l.columns)
		if on := take(columns); len(on) > 0 {
			joined = plan.NewInnerJoin(joined, l.node, expression.JoinAnd(on...))
		} else {
			joined = plan.NewCrossJoin(joined, l.node)
		}
	}
	return joined
}

// filtered returns the rows of n that fulfil the conditions.
func filtered(n sql.Node, conditions []sql.Expression) sql.Node {
	if len(conditions) == 0 {
		return n
	}
	if f, ok := n.(*plan.Filter); ok {
		return plan.NewFilter(expression.JoinAnd(append([]sql.Expression{f.Expression}, conditions...)...), f.Child)
	}
	return plan.NewFilter(expression.JoinAnd(conditions...), n)
}

// neededBy returns the columns that e needs. movable is false if it must be calculated where it stands.
func neededBy(ctx *sql.Context, e sql.Expression) (columns sql.ColSet, movable bool) {
	movable = !isVolatile(ctx, e)
	sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField:
			columns.Add(e.Id())
		case *plan.Subquery:
			columns = columns.Union(e.Correlated())
			movable = false
		}
		return true
	})
	return columns, movable
}

// inOrder returns joined with its columns in the order of n.
func inOrder(ctx *sql.Context, n, joined sql.Node) sql.Node {
	fields, ok := fieldsOf(ctx, n, n.Schema(ctx))
	now, _ := fieldsOf(ctx, joined, joined.Schema(ctx))
	same := ok && len(fields) == len(now)
	for i := 0; same && i < len(fields); i++ {
		same = fields[i].(*expression.GetField).Id() == now[i].(*expression.GetField).Id()
	}
	if same || !ok {
		return joined
	}
	return plan.NewProject(fields, joined)
}

// fieldsOf returns the columns of n, whose schema is schema.
func fieldsOf(ctx *sql.Context, n sql.Node, schema sql.Schema) ([]sql.Expression, bool) {
	switch n := n.(type) {
	case *plan.JoinNode:
		if n.Op.IsPartial() {
			return fieldsOf(ctx, n.Left(), schema)
		}
		width := len(n.Left().Schema(ctx))
		left, ok := fieldsOf(ctx, n.Left(), schema[:width])
		right, too := fieldsOf(ctx, n.Right(), schema[width:])
		return append(left, right...), ok && too
	case plan.TableIdNode:
		fields := expression.SchemaToGetFields(schema, n.Columns())
		return fields, len(fields) == len(schema)
	}
	if plan.IsUnary(n) {
		return fieldsOf(ctx, n.Children()[0], schema)
	}
	return nil, false
}
