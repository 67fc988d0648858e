package planning

import (
	"maps"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/globals"
)

// Triggered is an INSERT, a REPLACE, or an UPDATE of or a DELETE from several tables, with the triggers that what carries it out runs itself, for each row:
// those AFTER INSERT, those of DELETE for rows that REPLACE deletes, those of UPDATE for rows that ON DUPLICATE KEY UPDATE changes.
//
// go-mysql-server: puts triggers around the rows of a statement. So a row that REPLACE deletes has none, AFTER INSERT gets a wrong row, those of
// the tables of an UPDATE of a join run for each row of the join, and a DELETE from several tables of which one has triggers is an error. MySQL:
// runs triggers for each row that is written or goes away.
type Triggered struct {
	plan.UnaryNode
	Tables []*Triggers // one for each table that the statement writes; nil for a table without triggers
}

// Triggers are triggers of a table.
type Triggers struct {
	Database string
	All      []*plan.TriggerExecutor // of one event and time in the order in which they run; their first child is a [Row]
}

// Row is a node that yields a row, which somebody else sets before each time. It is part of no plan that is kept.
type Row struct {
	Database string // of the table of the row
	Value    sql.Row
}

// String implements sql.Node.
func (t *Triggered) String() string { return t.Child.String() }

// Schema implements sql.Node.
func (t *Triggered) Schema(ctx *sql.Context) sql.Schema { return t.Child.Schema(ctx) }

// IsReadOnly implements sql.Node.
func (*Triggered) IsReadOnly() bool { return false }

// Children implements sql.Node: the statement and what the triggers do.
func (t *Triggered) Children() []sql.Node {
	children := []sql.Node{t.Child}
	for _, table := range t.Tables {
		if table != nil {
			for _, e := range table.All {
				children = append(children, e)
			}
		}
	}
	return children
}

// WithChildren implements sql.Node.
func (t *Triggered) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != len(t.Children()) {
		return nil, sql.ErrInvalidChildrenNumber.New(t, len(children), len(t.Children()))
	}
	c := &Triggered{plan.UnaryNode{Child: children[0]}, make([]*Triggers, len(t.Tables))}
	children = children[1:]
	for i, table := range t.Tables {
		if table == nil {
			continue
		}
		c.Tables[i] = &Triggers{Database: table.Database}
		for range table.All {
			e, ok := children[0].(*plan.TriggerExecutor)
			if !ok {
				return nil, sql.ErrInvalidChildType.New(t, children[0], e)
			}
			c.Tables[i].All = append(c.Tables[i].All, e)
			children = children[1:]
		}
	}
	return c, nil
}

// String implements sql.Node.
func (*Row) String() string { return "Row" }

// Resolved implements sql.Node.
func (*Row) Resolved() bool { return true }

// Schema implements sql.Node.
func (*Row) Schema(*sql.Context) sql.Schema { return nil }

// IsReadOnly implements sql.Node.
func (*Row) IsReadOnly() bool { return true }

// Children implements sql.Node.
func (*Row) Children() []sql.Node { return nil }

// WithChildren implements sql.Node.
func (r *Row) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(r, len(children), 0)
	}
	return r, nil
}

// rowTriggers returns a rule that puts in the triggers of statements, as rule does, and takes those of rows to a [Triggered].
func rowTriggers(rule analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if globals.Served() == nil { // another user of go-mysql-server in the process
			return rule(ctx, a, n, scope, sel, flags)
		}
		apply := func(n sql.Node) (sql.Node, transform.TreeIdentity, error) { return rule(ctx, a, n, scope, sel, flags) }
		if _, creates := n.(*plan.CreateTrigger); creates || !writesRows(ctx, n) {
			return apply(n)
		}
		notBodies := func(_ *sql.Context, c transform.Context) bool {
			_, trigger := c.Parent.(*plan.TriggerExecutor)
			return !trigger || c.ChildNum == 0
		}
		return transform.NodeWithCtx(ctx, n, notBodies, func(ctx *sql.Context, c transform.Context) (sql.Node, transform.TreeIdentity, error) {
			switch n := c.Node.(type) {
			case *plan.InsertInto:
				return insertTriggers(ctx, n, apply)
			case *plan.DeleteFrom:
				if n.HasExplicitTargets() {
					return deleteTriggers(ctx, n, apply)
				}
				return apply(n)
			case *plan.Update:
				if join, ok := n.Child.(*plan.UpdateJoin); ok {
					return updateTriggers(ctx, n, join, apply)
				}
				return apply(n)
			}
			return c.Node, transform.SameTree, nil
		})
	}
}

// writesRows tells whether a plan has a statement that may be Triggered.
func writesRows(ctx *sql.Context, n sql.Node) (found bool) {
	transform.InspectWithOpaque(ctx, n, func(_ *sql.Context, n sql.Node) bool {
		switch n := n.(type) {
		case *plan.InsertInto:
			found = true
		case *plan.DeleteFrom:
			found = found || n.HasExplicitTargets()
		case *plan.UpdateJoin:
			found = true
		}
		return !found
	})
	return found
}

type applied func(sql.Node) (sql.Node, transform.TreeIdentity, error)

func insertTriggers(ctx *sql.Context, n *plan.InsertInto, apply applied) (sql.Node, transform.TreeIdentity, error) {
	planned, same, err := apply(n)
	if err != nil {
		return nil, same, err
	}
	t := &Triggers{}
	for {
		e, ok := planned.(*plan.TriggerExecutor)
		if !ok {
			break
		}
		t.add(e)
		planned = e.Left()
	}
	if table := writtenTable(ctx, n.Destination); table != nil {
		if table.SqlDatabase != nil {
			t.Database = table.SqlDatabase.Name()
		}
		switch {
		case n.IsReplace:
			err = t.of(plan.NewDeleteFrom(table, []sql.Node{table}, false), apply)
		case n.OnDupExprs.HasUpdates():
			none := plan.NewUpdateExprs(nil, 0)
			err = t.of(plan.NewUpdate(plan.NewUpdateSource(table, false, none), false, none), apply)
		}
	}
	if err != nil {
		return nil, same, err
	}
	if len(t.All) == 0 {
		return planned, same, nil
	}
	t.settle()
	return &Triggered{plan.UnaryNode{Child: planned}, []*Triggers{t}}, transform.NewTree, nil
}

func deleteTriggers(ctx *sql.Context, n *plan.DeleteFrom, apply applied) (sql.Node, transform.TreeIdentity, error) {
	return joinTriggers(ctx, n, n.GetDeleteTargets(), func(t *Triggers, table *plan.ResolvedTable) error {
		return t.of(plan.NewDeleteFrom(table, []sql.Node{table}, false), apply)
	})
}

func updateTriggers(ctx *sql.Context, n *plan.Update, join *plan.UpdateJoin, apply applied) (sql.Node, transform.TreeIdentity, error) {
	var targets []sql.Node
	for _, name := range UpdateTargets(join) {
		targets = append(targets, join.UpdateTargets[name])
	}
	return joinTriggers(ctx, n, targets, func(t *Triggers, table *plan.ResolvedTable) error {
		none := plan.NewUpdateExprs(nil, 0)
		return t.of(plan.NewUpdate(plan.NewUpdateSource(table, false, none), false, none), apply)
	})
}

// UpdateTargets returns the names of the tables that an UPDATE of a join changes, in an order that is always the same.
func UpdateTargets(join *plan.UpdateJoin) []string {
	return slices.Sorted(maps.Keys(join.UpdateTargets))
}

// joinTriggers returns n, which writes rows of several tables, with their triggers; of finds those of a table.
func joinTriggers(ctx *sql.Context, n sql.Node, targets []sql.Node, of func(*Triggers, *plan.ResolvedTable) error) (sql.Node, transform.TreeIdentity, error) {
	all := make([]*Triggers, len(targets))
	found := false
	for i, target := range targets {
		table := writtenTable(ctx, target)
		if table == nil {
			continue
		}
		t := &Triggers{}
		if table.SqlDatabase != nil {
			t.Database = table.SqlDatabase.Name()
		}
		if err := of(t, table); err != nil {
			return nil, transform.SameTree, err
		}
		if len(t.All) == 0 {
			continue
		}
		if err := t.changesTableOf(ctx, n); err != nil {
			return nil, transform.SameTree, err
		}
		t.settle()
		all[i], found = t, true
	}
	if !found {
		return n, transform.SameTree, nil
	}
	return &Triggered{plan.UnaryNode{Child: n}, all}, transform.NewTree, nil
}

// changesTableOf returns the error for a trigger that changes a table of the statement n.
//
// go-mysql-server: looks at the table of the trigger. MySQL: at all tables of the statement.
func (t *Triggers) changesTableOf(ctx *sql.Context, n sql.Node) error {
	used := map[string]bool{}
	name := func(t sql.TableNode) string {
		if t.Database() == nil {
			return strings.ToLower(t.UnderlyingTable().Name())
		}
		return strings.ToLower(t.Database().Name() + "\x00" + t.UnderlyingTable().Name())
	}
	transform.InspectWithOpaque(ctx, n, func(_ *sql.Context, n sql.Node) bool {
		if t := tableIn(n); t != nil {
			used[name(t)] = true
		}
		return true
	})
	var err error
	for _, e := range t.All {
		transform.InspectWithOpaque(ctx, e.Right(), func(ctx *sql.Context, n sql.Node) bool {
			for _, target := range targetsOf(n) {
				transform.InspectWithOpaque(ctx, target, func(_ *sql.Context, n sql.Node) bool {
					if t := tableIn(n); t != nil && used[name(t)] && err == nil {
						err = sql.ErrTriggerTableInUse.New(t.UnderlyingTable().Name())
					}
					return err == nil
				})
			}
			return err == nil
		})
	}
	return err
}

// tableIn returns n as a table, nil if it is none.
func tableIn(n sql.Node) sql.TableNode {
	switch n := n.(type) {
	case *plan.ResolvedTable:
		return n
	case *plan.IndexedTableAccess:
		return n.TableNode
	}
	return nil
}

// targetsOf returns what n, if it is a statement, writes.
func targetsOf(n sql.Node) []sql.Node {
	switch n := n.(type) {
	case *plan.InsertInto:
		return []sql.Node{n.Destination}
	case *plan.DeleteFrom:
		return n.GetDeleteTargets()
	case *plan.Update:
		if join, ok := n.Child.(*plan.UpdateJoin); ok {
			return slices.Collect(maps.Values(join.UpdateTargets))
		}
		return []sql.Node{n.Child}
	case *plan.Truncate: // DELETE without a condition
		return []sql.Node{n.Child}
	}
	return nil
}

// writtenTable returns the table of a target of a statement.
func writtenTable(ctx *sql.Context, n sql.Node) (rt *plan.ResolvedTable) {
	transform.InspectWithOpaque(ctx, n, func(_ *sql.Context, n sql.Node) bool {
		if t, ok := n.(*plan.ResolvedTable); ok && rt == nil {
			rt = t
		}
		return rt == nil
	})
	return rt
}

// Before tells whether one of the triggers runs before an event. A nil *Triggers has none.
func (t *Triggers) Before(event plan.TriggerEvent) bool {
	return t != nil && slices.ContainsFunc(t.All, func(e *plan.TriggerExecutor) bool {
		return e.TriggerEvent == event && e.TriggerTime == plan.BeforeTrigger
	})
}

// add adds a trigger.
func (t *Triggers) add(e *plan.TriggerExecutor) { t.All = append(t.All, e) }

// of adds the triggers of statement n, whose table is one alone. The outermost come first.
func (t *Triggers) of(n sql.Node, apply applied) error {
	planned, _, err := apply(n)
	if err != nil {
		return err
	}
	for {
		switch p := planned.(type) {
		case *plan.TriggerExecutor:
			t.add(p)
			planned = p.Left()
		case *plan.DeleteFrom:
			planned = p.Child
		case *plan.Update:
			planned = p.Child
		default:
			return nil
		}
	}
}

// settle puts the triggers in the order in which they run, each with a Row: those that run last are outermost.
func (t *Triggers) settle() {
	all := make([]*plan.TriggerExecutor, 0, len(t.All))
	for i := len(t.All) - 1; i >= 0; i-- {
		e := t.All[i]
		all = append(all, plan.NewTriggerExecutor(&Row{Database: t.Database}, e.Right(), e.TriggerEvent, e.TriggerTime, e.TriggerDefinition))
	}
	t.All = all
}
