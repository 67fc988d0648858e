package writes

import (
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/executor"
	"pfsd/engine/mysqlerr"
)

// MissingChecks returns the CHECK constraints of the table of rt that a plan does not have. columns are those of the
// rows that are checked, after shift others.
//
// go-mysql-server: reads constraints of a table without virtual columns alone. MySQL: of every table.
func MissingChecks(ctx *sql.Context, c sql.Catalog, rt *plan.ResolvedTable, columns sql.Schema, shift int) (sql.CheckConstraints, error) {
	checks, err := hiddenChecks(ctx, rt)
	if err != nil || len(checks) == 0 {
		return nil, err
	}
	_, all, err := defined(ctx, c, rt, checks, columns, shift)
	return all, err
}

// defined returns the columns of the table of rt with the expressions that they are defined with, and the CHECK constraints, for rows that have
// the columns in columns after shift others.
func defined(ctx *sql.Context, c sql.Catalog, rt *plan.ResolvedTable, checks []sql.CheckDefinition, columns sql.Schema, shift int) (sql.Schema, sql.CheckConstraints, error) {
	own := rt.Schema(ctx)
	calculated := func(c *sql.Column) bool { return c.Generated != nil || c.OnUpdate != nil || c.Default != nil }
	if len(checks) == 0 && !slices.ContainsFunc(own, calculated) {
		return own, nil, nil
	}
	holder := own.Copy()
	for _, d := range checks {
		holder = append(holder, &sql.Column{
			Name: "\x00check" + d.Name, Type: types.Boolean, Nullable: true, Source: rt.Name(), DatabaseSource: rt.SqlDatabase.Name(), Virtual: true,
			Generated: sql.NewUnresolvedColumnDefaultValue("(" + d.CheckExpression + ")"),
		})
	}
	b := planbuilder.New(ctx, c, nil)
	b.DisableAuth()
	resolved := b.ResolveSchemaDefaults(rt.SqlDatabase.Name(), rt.Name(), holder)
	var all sql.CheckConstraints
	for i, d := range checks {
		e, err := executor.AtPlaces(ctx, resolved[len(own)+i].Generated.Expr, columns, shift)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, &sql.CheckConstraint{Name: d.Name, Expr: e, Enforced: d.Enforced})
	}
	return resolved[:len(own)], all, nil
}

// UpdateChecks returns the CHECK constraints that the plan of an UPDATE of one table does not have.
func UpdateChecks(ctx *sql.Context, c sql.Catalog, n *plan.Update) (sql.CheckConstraints, error) {
	rt := mysqlerr.WrittenTable(n.Child)
	if rt == nil || JoinOf(n) != nil {
		return nil, nil
	}
	return MissingChecks(ctx, c, rt, rt.Schema(ctx), 0)
}

// hiddenChecks returns the definitions of the CHECK constraints that go-mysql-server does not see.
func hiddenChecks(ctx *sql.Context, rt *plan.ResolvedTable) ([]sql.CheckDefinition, error) {
	if rt == nil {
		return nil, nil
	}
	if !rt.Schema(ctx).HasVirtualColumns() {
		return nil, nil
	}
	return checksOf(ctx, rt)
}

// checksOf returns the definitions of the CHECK constraints of a table.
func checksOf(ctx *sql.Context, rt *plan.ResolvedTable) ([]sql.CheckDefinition, error) {
	t, ok := sql.GetUnderlyingTable(rt.Table).(sql.CheckTable)
	if !ok {
		return nil, nil
	}
	return t.GetChecks(ctx)
}

// check returns the error of the first constraint that a row violates.
func check(ctx *sql.Context, all sql.CheckConstraints, row sql.Row) error {
	for _, c := range all {
		if !c.Enforced {
			continue
		}
		holds, err := sql.EvaluateCondition(ctx, c.Expr, row)
		if err != nil {
			return err
		}
		if sql.IsFalse(holds) {
			return sql.ErrCheckConstraintViolated.New(c.Name)
		}
	}
	return nil
}

// ChecksOfDefinitions is a rule that has statements about the CHECK constraints of a table with virtual columns see them: SHOW CREATE TABLE,
// and ALTER TABLE that drops a constraint or a column.
func ChecksOfDefinitions(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	switch n := n.(type) {
	case *plan.DropConstraint:
		if rt := plainTable(ctx, n.Child); rt != nil {
			c := *n
			c.Child = rt
			return &c, transform.NewTree, nil
		}
	case *plan.DropCheck:
		if rt := plainTable(ctx, n.Table); rt != nil {
			c := *n
			c.Table = rt
			return &c, transform.NewTree, nil
		}
	case *plan.ShowCreateTable:
		rt, ok := n.Child.(*plan.ResolvedTable)
		if !ok || len(n.Checks()) > 0 {
			return n, transform.SameTree, nil
		}
		missing, err := MissingChecks(ctx, a.Catalog, rt, rt.Schema(ctx), 0)
		if err != nil || len(missing) == 0 {
			return n, transform.SameTree, err
		}
		return n.WithChecks(missing), transform.NewTree, nil
	case *plan.Block:
		children, changed := n.Children(), false
		all := make([]sql.Node, len(children))
		for i, c := range children {
			m, same, err := ChecksOfDefinitions(ctx, a, c, nil, nil, nil)
			if err != nil {
				return nil, same, err
			}
			all[i], changed = m, changed || same == transform.NewTree
		}
		if changed {
			m, err := n.WithChildren(ctx, all...)
			return m, transform.NewTree, err
		}
	}
	return n, transform.SameTree, nil
}

// plainTable returns the table of n without its virtual columns, nil if it has none.
func plainTable(ctx *sql.Context, n sql.Node) *plan.ResolvedTable {
	rt, ok := n.(*plan.ResolvedTable)
	if !ok {
		return nil
	}
	if defined, err := hiddenChecks(ctx, rt); err != nil || len(defined) == 0 {
		return nil
	}
	v, ok := rt.Table.(*plan.VirtualColumnTable)
	if !ok {
		return nil
	}
	changed, err := rt.ReplaceTable(ctx, v.Table)
	if err != nil {
		return nil
	}
	plain, _ := changed.(*plan.ResolvedTable)
	return plain
}

// CopyChecks gives a table that was made LIKE others the constraints of theirs that go-mysql-server does not see.
func CopyChecks(ctx *sql.Context, to sql.Table, from []sql.Table) error {
	t, ok := sql.GetUnderlyingTable(to).(sql.CheckAlterableTable)
	if !ok {
		return nil
	}
	number := 0
	for _, f := range from {
		if !f.Schema(ctx).HasVirtualColumns() {
			continue
		}
		c, ok := sql.GetUnderlyingTable(f).(sql.CheckTable)
		if !ok {
			continue
		}
		defined, err := c.GetChecks(ctx)
		if err != nil {
			return err
		}
		for _, d := range defined {
			number++
			d.Name = fmt.Sprintf("%s_chk_%d", to.Name(), number)
			if err := t.CreateCheck(ctx, &d); err != nil {
				return err
			}
		}
	}
	return nil
}
