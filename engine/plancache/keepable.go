package plancache

import (
	"reflect"
	"slices"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/builtins"
	"pfsd/engine/usertables"
	"pfsd/engine/vtable"
)

// keepable tells whether a plan keeps nothing from one execution to the next, and has only tables
// for which may returns true. weight is the number of its nodes and expressions. what names a part
// that the plan must not have, "" if there is none.
func keepable(ctx *sql.Context, n sql.Node, may func(sql.Table) bool) (weight int, what string) {
	refuse := func(part string) {
		if what == "" {
			what = part
		}
	}
	var walk func(n sql.Node)
	walk = func(n sql.Node) {
		weight++
		switch n := n.(type) {
		case *plan.ResolvedTable:
			if n.Name() != plan.DualTableName && !may(n.Table) {
				refuse("table " + n.Name())
			}
		case *plan.IndexedTableAccess:
			if !may(n.Table) {
				refuse("table " + n.Name())
			}
		case *plan.SubqueryAlias:
			if n.IsLateral || !n.Correlated.Empty() {
				refuse("a derived table that depends on others")
			}
			walk(n.Child)
			return
		case *plan.InsertInto:
			walk(n.Source)
		case *plan.DeleteFrom: // with foreign keys it has editors, which belong to a session
			for _, target := range n.GetDeleteTargets() {
				walk(target)
			}
		}
		if name := reflect.TypeOf(n).String(); !keptNodes[name] {
			refuse(name)
		}
		if e, is := n.(sql.Expressioner); is {
			for _, e := range e.Expressions() {
				transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
					weight++
					if e == nil {
						return true
					}
					if name := reflect.TypeOf(builtins.Unlimited(e)).String(); !keptExpressions[name] {
						refuse(name)
					}
					return what != ""
				})
			}
		}
		for _, c := range n.Children() {
			if what == "" {
				walk(c)
			}
		}
	}
	walk(n)
	return weight, what
}

// virtualTable tells whether a table is one of performance_schema.
func virtualTable(t sql.Table) bool {
	_, virtual := sql.GetUnderlyingTable(t).(*vtable.Table)
	return virtual
}

// executable returns the plan's node for one execution: parts that keep rows are replaced by new
// ones.
func (p *Plan) executable(ctx *sql.Context) sql.Node {
	if p.keepsNothing {
		return p.Node
	}
	n := withFreshParts(ctx, p.Node)
	p.keepsNothing = n == p.Node
	return n
}

// withFreshParts returns plan n, in which new parts replace those that keep rows during an
// execution. Parts that need no change are those of n itself.
func withFreshParts(ctx *sql.Context, n sql.Node) sql.Node {
	switch n := n.(type) {
	case *plan.CachedResults:
		return plan.NewCachedResults(withFreshParts(ctx, n.Child), plan.NewCachedResultsManager())
	case *plan.HashLookup:
		lookup := *n
		lookup.Child, lookup.Mutex, lookup.Lookup = withFreshParts(ctx, n.Child), new(sync.Mutex), nil
		return &lookup
	case *plan.SubqueryAlias:
		if child := withFreshParts(ctx, n.Child); child != n.Child {
			return n.WithChild(child)
		}
		return n
	}
	children, other := n.Children(), false
	for i, c := range children {
		if copied := withFreshParts(ctx, c); copied != c {
			if !other {
				children, other = slices.Clone(children), true
			}
			children[i] = copied
		}
	}
	if !other {
		return n
	}
	copied, err := n.WithChildren(ctx, children...)
	if err != nil {
		panic("plancache: " + err.Error()) // the number of children is the same
	}
	return copied
}

// keptNodes and keptExpressions are the parts of plans that keep nothing during an execution. A
// test checks that.
var (
	keptNodes = setOf("*plan.Project", "*plan.Filter", "*plan.Having", "*plan.ResolvedTable", "*plan.IndexedTableAccess", "*plan.TableAlias",
		"*plan.Limit", "*plan.Offset", "*plan.TopN", "*plan.Sort", "*plan.GroupBy", "*plan.JoinNode",
		"*plan.Window", "*plan.Distinct", "*plan.Update", "*plan.UpdateSource", "*executor.Stored", "*plan.DeleteFrom", "*plan.InsertInto", "*plan.InsertDestination", "*plan.Values", "*plan.CachedResults", "*plan.HashLookup", "*plan.ShowProcessList",
		"*plan.StartTransaction", "*plan.Commit", "*plan.Rollback")
	keptExpressions = setOf("*expression.GetField", "*expression.Literal", "*expression.Alias", "*expression.And", "*expression.Or", "*expression.Not",
		"*expression.IsNull", "*expression.Equals", "*expression.GreaterThan", "*expression.GreaterThanOrEqual", "*expression.LessThan",
		"*expression.LessThanOrEqual", "*expression.Star", "*expression.Like", "*sqlexpr.like", "*function.If", "*function.NullIf", "*function.Concat", "*function.Replace", "*function.Coalesce", "*function.Round",
		"*aggregation.Count", "*aggregation.Max", "*aggregation.Min", "*executor.Sum", "*sqlexpr.Arithmetic", "*sqlexpr.conditional", "*sqlexpr.exactFunction", "*alldigits.full", "*alldigits.rounding", "*alldigits.roundedColumn", "*alldigits.keeping", "*alldigits.keptColumn", "*sqlexpr.unindexed", "*collations.Collated", "*sqlexpr.inList",
		"*expression.AutoIncrement", "*expression.Between", "*expression.Arithmetic", "*expression.Wrapper", "*sql.ColumnDefaultValue", "*expression.SetField", "*sqlexpr.Call", "*sqlexpr.nullIf", "*sqlexpr.JoinKey", "*executor.storedValue", "*window.RowNumber", "*sysschema.typedColumn", "*functions.nativeFunction", "*sysschema.call", "expression.Tuple", "*expression.InTuple", "*expression.HashInTuple")
)

func setOf(names ...string) map[string]bool {
	all := map[string]bool{}
	for _, name := range slices.Compact(names) {
		all[name] = true
	}
	return all
}

// keepableKind tells whether plans of statements of the kind of s may serve other values.
func keepableKind(s ast.Statement) bool {
	switch s := s.(type) {
	case *ast.Select:
		return !s.QueryOpts.SQLCalcFoundRows
	case *ast.Insert, *ast.Update, *ast.Delete:
		return true
	}
	return false
}

// keepableTable tells whether a plan that serves other values can have a table: one of
// performance_schema, or a users' table that is not temporary.
func keepableTable(t sql.Table) bool {
	u := usertables.Stored(t)
	return virtualTable(t) || u != nil && !usertables.IsTemporary(u)
}
