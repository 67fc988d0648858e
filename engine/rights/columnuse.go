package rights

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
)

// ColumnUses returns what statement s does with columns of tables and views: first the columns that it writes, then those that it
// reads. n is its plan before it is optimised.
func (r *Rights) ColumnUses(ctx *sql.Context, n sql.Node, s ...ast.SQLNode) []ColumnUse {
	u := &columnUses{ctx: ctx, rights: r, tables: map[sql.TableId]*usedTable{}}
	u.collect(n, nil, newWording(s...))
	for _, p := range u.parts {
		u.writes(p)
	}
	for _, p := range u.parts {
		u.reads(p)
	}
	u.starred()
	for _, t := range u.order {
		u.all = append(u.all, ColumnUse{Schema: t.schema, Table: t.name, mentioned: true, may: t.may})
	}
	return u.all
}

// columnUses finds out what a statement does with columns. Owned by one goroutine.
type columnUses struct {
	ctx    *sql.Context
	rights *Rights
	parts  []planPart
	tables map[sql.TableId]*usedTable
	views  []*usedTable
	order  []*usedTable // tables and views
	alias  string       // of the next table or view, "" for its own name
	all    []ColumnUse
}

// planPart is a node of a plan, the account with whose rights it runs (nil for that of the statement), and the text that it is
// from.
type planPart struct {
	node sql.Node
	may  *accounts.Access
	text *wording
}

// usedTable is a table or a view that the statement uses.
type usedTable struct {
	schema, name string
	may          *accounts.Access
	text         *wording
	columns      sql.ColSet // of a view
	all          sql.Schema // all its columns
	alias        string     // the name that it has in the statement, in lower case
}

// collect adds node n and all nodes below it, those of subqueries and views included. Statements that a stored program executes later
// are not among them.
func (u *columnUses) collect(n sql.Node, may *accounts.Access, text *wording) {
	if n == nil {
		return
	}
	switch n := n.(type) {
	case *plan.CreateTrigger, *plan.CreateEvent, *plan.CreateProcedure:
		return // what they execute is checked each time that it is executed
	case *plan.CreateView:
		// The account that makes the view needs the privileges.
		if view, ok := n.Child.(*plan.SubqueryAlias); ok {
			u.collect(view.Child, may, text)
			return
		}
	case *plan.SubqueryAlias:
		if v := u.rights.viewOf(n); v != nil {
			t := &usedTable{schema: v.schema, name: v.spec.ViewName.Name.String(), may: may, text: text, columns: n.Columns(), all: n.Schema(u.ctx)}
			t.alias = u.named(t.name)
			u.views, u.order = append(u.views, t), append(u.order, t)
			u.collect(n.Child, u.rights.accessOf(v.spec, may), newWording(v.spec.ViewExpr))
			return
		}
	case *plan.ResolvedTable:
		u.note(n, n.Id(), may, text)
	case *plan.TableAlias:
		switch c := n.Child.(type) {
		case *plan.ResolvedTable:
			u.alias = n.Name()
			u.note(c, n.Id(), may, text)
			u.alias = ""
		case *plan.SubqueryAlias:
			if u.rights.viewOf(c) != nil {
				u.alias = n.Name()
			}
		}
	}
	u.parts = append(u.parts, planPart{n, may, text})
	for _, e := range expressionsOf(n) {
		transform.InspectExpr(u.ctx, e, func(_ *sql.Context, e sql.Expression) bool {
			if s, ok := e.(sql.ExpressionWithNodes); ok {
				for _, c := range s.NodeChildren() {
					u.collect(c, may, text)
				}
			}
			return false
		})
	}
	switch n := n.(type) {
	case *plan.DescribeQuery:
		u.collect(n.Child, may, text)
		return
	case plan.DisjointedChildrenNode:
		for _, children := range n.DisjointedChildren() {
			for _, c := range children {
				u.collect(c, may, text)
			}
		}
		return
	}
	for _, c := range n.Children() {
		u.collect(c, may, text)
	}
}

func (u *columnUses) note(t *plan.ResolvedTable, id sql.TableId, may *accounts.Access, text *wording) {
	if u.tables[id] != nil || t.SqlDatabase == nil || t.Name() == plan.DualTableName || strings.EqualFold(t.SqlDatabase.Name(), sql.InformationSchemaDatabaseName) {
		return
	}
	used := &usedTable{schema: t.SqlDatabase.Name(), name: t.Name(), may: may, text: text, all: t.Schema(u.ctx), alias: u.named(t.Name())}
	u.tables[id] = used
	u.order = append(u.order, used)
}

// named returns the name in the statement of a table or view whose own name is name.
func (u *columnUses) named(name string) string {
	name = strings.ToLower(cmp.Or(u.alias, name))
	u.alias = ""
	return name
}

// starred adds the columns that a * selects. A plan does not always have expressions for them.
func (u *columnUses) starred() {
	for _, t := range u.order {
		if !t.text.stars[t.alias] {
			continue
		}
		for _, c := range t.all {
			if !c.HiddenSystem {
				u.add(t, c.Name, accounts.Select, true)
			}
		}
	}
}

// expressionsOf returns the expressions of a node that the statement itself contains: not the defaults, generated columns and checks of
// a table.
func expressionsOf(n sql.Node) []sql.Expression {
	var all []sql.Expression
	switch n := n.(type) {
	case *plan.InsertDestination:
	case *plan.InsertInto:
		if n.OnDupExprs != nil {
			all = n.OnDupExprs.ExplicitUpdateExprs()
		}
		all = slices.Concat(all, n.Returning)
	case *plan.UpdateSource:
		all = n.UpdateExprs.ExplicitUpdateExprs()
	case *plan.Update:
		all = n.Returning
	case sql.Expressioner:
		all = n.Expressions()
	}
	return slices.DeleteFunc(slices.Clone(all), func(e sql.Expression) bool { return e == nil })
}

// writes adds the columns that a node writes.
func (u *columnUses) writes(p planPart) {
	switch n := p.node.(type) {
	case *plan.InsertInto:
		if d, ok := n.Destination.(*plan.InsertDestination); ok {
			if t, ok := d.Child.(*plan.ResolvedTable); ok {
				u.inserts(p, n, t)
			}
		}
	case *plan.DeleteFrom:
		for _, target := range n.GetDeleteTargets() {
			transform.Inspect(target, func(n sql.Node) bool {
				if t, ok := n.(*plan.ResolvedTable); ok {
					u.add(u.tables[t.Id()], "", accounts.Delete, false)
				}
				return true
			})
		}
	case *plan.UpdateSource:
		for _, e := range n.UpdateExprs.ExplicitUpdateExprs() {
			if s, ok := e.(*expression.SetField); ok {
				if f, ok := s.LeftChild.(*expression.GetField); ok {
					u.add(u.tableOf(f), f.Name(), accounts.Update, false)
				}
			}
		}
	}
}

func (u *columnUses) inserts(p planPart, n *plan.InsertInto, t *plan.ResolvedTable) {
	used := u.tables[t.Id()]
	if used == nil {
		return
	}
	if n.IsReplace {
		u.add(used, "", accounts.Delete, false)
	}
	for _, c := range n.ColumnNames {
		u.add(used, c, accounts.Insert, p.text.all)
	}
	if n.OnDupExprs == nil {
		return
	}
	for _, e := range n.OnDupExprs.ExplicitUpdateExprs() {
		s, ok := e.(*expression.SetField)
		if !ok {
			continue
		}
		if f, ok := s.LeftChild.(*expression.GetField); ok {
			u.add(used, f.Name(), accounts.Update, false)
		}
		transform.InspectExpr(u.ctx, s.RightChild, func(_ *sql.Context, e sql.Expression) bool {
			if f, ok := e.(*expression.GetField); ok && strings.EqualFold(f.Table(), t.Name()) {
				u.add(used, f.Name(), accounts.Select, false)
			}
			return false
		})
	}
}

// reads adds the columns that a node reads.
func (u *columnUses) reads(p planPart) {
	for _, e := range expressionsOf(p.node) {
		if s, ok := e.(*expression.SetField); ok {
			e = s.RightChild
		}
		transform.InspectExpr(u.ctx, e, func(_ *sql.Context, e sql.Expression) bool {
			if f, ok := e.(*expression.GetField); ok {
				if t := u.tableOf(f); t != nil {
					u.add(t, f.Name(), accounts.Select, t.text.stars[strings.ToLower(f.Table())])
				}
			}
			return false
		})
	}
}

// tableOf returns the table or view that has a column, nil for what the statement itself defines.
func (u *columnUses) tableOf(f *expression.GetField) *usedTable {
	if t := u.tables[f.TableId()]; t != nil {
		return t
	}
	for _, v := range u.views {
		if v.columns.Contains(f.Id()) {
			return v
		}
	}
	return nil
}

func (u *columnUses) add(t *usedTable, column string, needs accounts.Privilege, whole bool) {
	if t == nil {
		return
	}
	if written := t.text.columns[strings.ToLower(column)]; written != "" {
		column = written
	}
	u.all = append(u.all, ColumnUse{Schema: t.schema, Table: t.name, Column: column, Needs: needs, whole: whole, may: t.may})
}

// wording is how a statement names columns.
type wording struct {
	columns map[string]string // as the statement writes them, by names in lower case
	stars   map[string]bool   // the tables, by their lower-case names in the statement, all columns of which are selected by *
	all     bool              // it is an INSERT that does not name the columns
}

func newWording(parts ...ast.SQLNode) *wording {
	w := &wording{columns: map[string]string{}, stars: map[string]bool{}}
	for _, s := range parts {
		switch outer := s.(type) {
		case *ast.Explain:
			s = outer.Statement
		case *ast.DDL:
			if outer.OptSelect != nil {
				s = outer.OptSelect.Select
			}
		}
		if s != nil {
			w.read(s)
		}
	}
	return w
}

func (w *wording) read(s ast.SQLNode) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.ColName:
			w.columns[n.Name.Lowered()] = n.Name.String()
		case *ast.Select:
			for _, e := range n.SelectExprs {
				if e, ok := e.(*ast.StarExpr); ok {
					w.star(e, n.From)
				}
			}
		case *ast.Insert:
			w.all = len(n.Columns) == 0
			for _, c := range n.Columns {
				w.columns[c.Lowered()] = c.String()
			}
		}
		return true, nil
	}, s)
}

// star notes the tables of FROM whose columns a * selects.
func (w *wording) star(e *ast.StarExpr, from ast.TableExprs) {
	if !e.TableName.Name.IsEmpty() {
		w.stars[strings.ToLower(e.TableName.Name.String())] = true
		return
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Subquery:
			return false, nil
		case *ast.AliasedTableExpr:
			name := n.As.String()
			if t, ok := n.Expr.(ast.TableName); ok && name == "" {
				name = t.Name.String()
			}
			w.stars[strings.ToLower(name)] = true
		}
		return true, nil
	}, from)
}
