package rights

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/mysqlerr"
)

// AuthorizeColumns returns the error if the session may not read or write a column that the
// statement query uses. An optimised plan does not have all columns of the statement, so
// AuthorizeColumns plans the statement once more, without optimising. Only a session that has
// privileges on some columns of a table, and not on the table, needs this.
func AuthorizeColumns(ctx *sql.Context, catalog sql.Catalog, query string) error {
	may := access.Of(ctx)
	if may == nil {
		return nil
	}
	b := planbuilder.New(ctx, catalog, nil)
	parsed, _, _, err := catalog.Overrides().Builder.Parser.Parse(ctx, query, true)
	if err != nil {
		return err
	}
	n, _, err := b.BindOnly(parsed, query, nil)
	if err != nil {
		return err
	}
	u := &columnUse{ctx: ctx, may: may, query: query, derived: map[string]bool{}, tables: map[sql.TableId]*usedTable{}}
	u.stars(parsed)
	u.names(n)
	u.writes(n)
	u.reads(n)
	for _, t := range u.order {
		if u.err == nil {
			u.table(t)
		}
	}
	return u.err
}

// columnUse finds out what a statement does with columns. Owned by one goroutine.
type columnUse struct {
	ctx     *sql.Context
	may     *accounts.Access
	query   string
	star    bool            // the statement has SELECT *
	all     bool            // the statement sets all columns
	derived map[string]bool // tables that the statement defines, by name
	tables  map[sql.TableId]*usedTable
	order   []*usedTable
	err     error
}

// usedTable is a table that a statement uses.
type usedTable struct {
	db, name string
	written  bool
}

// stars notes whether the statement has a SELECT *, or an INSERT without columns, and which tables
// it defines.
func (u *columnUse) stars(parsed ast.Statement) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Select:
			u.star = u.star || slices.ContainsFunc(n.SelectExprs, func(e ast.SelectExpr) bool { _, ok := e.(*ast.StarExpr); return ok })
		case *ast.Insert:
			u.all = len(n.Columns) == 0
		case *ast.DDL:
			if n.ViewSpec != nil {
				u.derived[strings.ToLower(n.ViewSpec.ViewName.Name.String())] = true
			}
		case *ast.CommonTableExpr:
			u.derived[strings.ToLower(n.As.String())] = true
		case *ast.AliasedTableExpr:
			if _, ok := n.Expr.(*ast.Subquery); ok {
				u.derived[strings.ToLower(n.As.String())] = true
			}
		}
		return true, nil
	}, parsed)
}

// isView reports whether a derived table is a view. The statement does not contain a view's text,
// and the rights of the view's definer have been checked.
func (u *columnUse) isView(s *plan.SubqueryAlias) bool {
	return !u.derived[strings.ToLower(s.Name())]
}

// nodes visits the nodes of a plan and of the subqueries in it, but not those of views.
func (u *columnUse) nodes(n sql.Node, visit func(sql.Node)) {
	transform.InspectWithOpaque(u.ctx, n, func(_ *sql.Context, n sql.Node) bool {
		if s, ok := n.(*plan.SubqueryAlias); ok && u.isView(s) {
			return false
		}
		visit(n)
		if x, ok := n.(sql.Expressioner); ok {
			for _, e := range x.Expressions() {
				if e == nil {
					continue
				}
				transform.InspectExpr(u.ctx, e, func(_ *sql.Context, e sql.Expression) bool {
					if s, ok := e.(*plan.Subquery); ok {
						u.nodes(s.Query, visit)
					}
					return false
				})
			}
		}
		switch n := n.(type) {
		case *plan.InsertInto:
			u.nodes(n.Source, visit)
		case *plan.DescribeQuery:
			u.nodes(n.Child, visit)
		}
		_, call := n.(*plan.Call) // the statements of the procedure are checked when they run
		return !call
	})
}

// names notes which tables the statement uses.
func (u *columnUse) names(n sql.Node) {
	u.nodes(n, func(n sql.Node) {
		switch n := n.(type) {
		case *plan.ResolvedTable:
			u.note(n, n.Id())
		case *plan.TableAlias:
			if t, ok := n.Child.(*plan.ResolvedTable); ok {
				u.note(t, n.Id())
			}
		}
	})
}

func (u *columnUse) note(t *plan.ResolvedTable, id sql.TableId) {
	if u.tables[id] == nil && t.SqlDatabase != nil && t.Name() != plan.DualTableName {
		used := &usedTable{db: t.SqlDatabase.Name(), name: t.Name()}
		u.tables[id] = used
		u.order = append(u.order, used)
	}
}

// writes checks the columns that are written.
func (u *columnUse) writes(n sql.Node) {
	u.nodes(n, func(n sql.Node) {
		switch n := n.(type) {
		case *plan.InsertInto:
			if d, ok := n.Destination.(*plan.InsertDestination); ok {
				if t, ok := d.Child.(*plan.ResolvedTable); ok {
					u.inserts(n, t)
				}
			}
		case *plan.DeleteFrom:
			for _, target := range n.GetDeleteTargets() {
				u.deletes(target)
			}
		case *plan.UpdateSource:
			for _, e := range n.Expressions() {
				if s, ok := e.(*expression.SetField); ok {
					if f, ok := s.LeftChild.(*expression.GetField); ok {
						u.column(f, accounts.Update)
					}
				}
			}
		}
	})
}

func (u *columnUse) inserts(n *plan.InsertInto, t *plan.ResolvedTable) {
	used := &usedTable{db: t.SqlDatabase.Name(), name: t.Name()}
	if written := u.tables[t.Id()]; written != nil {
		written.written = true
	}
	for _, c := range n.ColumnNames {
		u.columnNamed(used, c, accounts.Insert, u.all)
	}
	if n.OnDupExprs != nil {
		for _, e := range n.OnDupExprs.ExplicitUpdateExprs() {
			if s, ok := e.(*expression.SetField); ok {
				if f, ok := s.LeftChild.(*expression.GetField); ok {
					u.columnNamed(used, f.Name(), accounts.Update, false)
				}
				transform.InspectExpr(u.ctx, s.RightChild, func(_ *sql.Context, e sql.Expression) bool {
					if f, ok := e.(*expression.GetField); ok && strings.EqualFold(f.Table(), t.Name()) {
						u.columnNamed(used, f.Name(), accounts.Select, false)
					}
					return false
				})
			}
		}
	}
}

func (u *columnUse) deletes(target sql.Node) {
	transform.Inspect(target, func(n sql.Node) bool {
		if t, ok := n.(*plan.ResolvedTable); ok && u.err == nil {
			if used := u.tables[t.Id()]; used != nil {
				used.written = true
			}
			if !u.may.Table(t.SqlDatabase.Name(), t.Name()).Has(accounts.Delete) {
				u.err = mysqlerr.TableDenied(u.ctx, "DELETE", t.Name())
			}
		}
		return true
	})
}

// reads checks the columns that are read.
func (u *columnUse) reads(n sql.Node) {
	u.nodes(n, func(n sql.Node) {
		x, ok := n.(sql.Expressioner)
		if !ok {
			return
		}
		for _, e := range x.Expressions() {
			if e == nil {
				continue
			}
			if s, ok := e.(*expression.SetField); ok {
				e = s.RightChild
			}
			transform.InspectExpr(u.ctx, e, func(_ *sql.Context, e sql.Expression) bool {
				if f, ok := e.(*expression.GetField); ok {
					u.column(f, accounts.Select)
				}
				return false
			})
		}
	})
}

// column checks the use of a column.
func (u *columnUse) column(f *expression.GetField, p accounts.Privilege) {
	t := u.tables[f.TableId()]
	if t == nil {
		return
	}
	if p == accounts.Update {
		t.written = true
	}
	u.columnNamed(t, f.Name(), p, u.star && p == accounts.Select)
}

// columnNamed is column for a column with a name; whole means that the statement uses all columns
// of the table.
func (u *columnUse) columnNamed(t *usedTable, name string, p accounts.Privilege, whole bool) {
	if u.err != nil || access.TableRights(u.may, t.db, t.name).Has(p) || u.may.Column(t.db, t.name, name).Has(p) {
		return
	}
	if whole || p != accounts.Select && !u.may.AnyColumn(t.db, t.name).Has(p) {
		u.err = mysqlerr.TableDenied(u.ctx, p.String(), t.name)
		return
	}
	// The error names the column as the statement writes it.
	if written := regexp.MustCompile("(?i)\\b" + regexp.QuoteMeta(name) + "\\b").FindString(u.query); written != "" {
		name = written
	}
	c := u.ctx.Session.Client()
	u.err = mysql.NewSQLError(1143, "42000", "%s command denied to user '%s'@'%s' for column '%s' in table '%s'",
		p, c.User, c.Address, name, strings.ToLower(t.name))
}

// table checks the use of a table. A table whose columns the statement does not name needs SELECT
// on the table or on a column.
func (u *columnUse) table(t *usedTable) {
	if t.written || strings.EqualFold(t.db, sql.InformationSchemaDatabaseName) {
		return
	}
	if s := accounts.SetOf(accounts.Select); !access.TableRights(u.may, t.db, t.name).HasAll(s) && !u.may.AnyColumn(t.db, t.name).HasAll(s) {
		u.err = mysqlerr.TableDenied(u.ctx, "SELECT", t.name)
	}
}
