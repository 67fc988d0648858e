package executor

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
	"pfsd/engine/sqlexpr"
)

// Generated are the generated columns of a table. Safe for concurrent use.
//
// go-mysql-server: calculates them from the values of a row as the statement has them. MySQL: from those that the row keeps, when they are
// converted to their columns and triggers have run.
type Generated struct {
	columns sql.Schema
	places  []int
	values  []sql.Expression
}

// NewGenerated returns the generated columns among columns of a table, nil if there is none.
func NewGenerated(ctx *sql.Context, columns sql.Schema) (*Generated, error) {
	var g *Generated
	for i, c := range columns {
		if c.Generated == nil || c.Generated.Expr == nil || !c.Generated.Resolved() {
			continue
		}
		value, err := AtPlaces(ctx, c.Generated.Expr, columns, 0)
		if err != nil {
			return nil, err
		}
		if g == nil {
			g = &Generated{columns: columns}
		}
		g.places, g.values = append(g.places, i), append(g.values, value)
	}
	return g, nil
}

// Renewed are the columns of a table with ON UPDATE. Safe for concurrent use.
type Renewed struct {
	columns sql.Schema
	places  []int
	values  []sql.Expression
}

// NewRenewed returns the columns with ON UPDATE among columns of a table, but for those at the places that a statement sets, nil if there is
// none.
func NewRenewed(ctx *sql.Context, columns sql.Schema, set []int) (*Renewed, error) {
	var r *Renewed
	for i, c := range columns {
		if c.OnUpdate == nil || c.OnUpdate.Expr == nil || !c.OnUpdate.Resolved() || slices.Contains(set, i) {
			continue
		}
		value, err := sqlexpr.MendExpression(ctx, c.OnUpdate.Expr)
		if err != nil {
			return nil, err
		}
		if r == nil {
			r = &Renewed{columns: columns}
		}
		r.places, r.values = append(r.places, i), append(r.values, value)
	}
	return r, nil
}

// Fill gives the columns of a row that changes, whose number in the statement is number, their values.
func (r *Renewed) Fill(ctx *sql.Context, row sql.Row, number int64) error {
	if r == nil {
		return nil
	}
	for i, place := range r.places {
		v, err := r.values[i].Eval(ctx, row)
		if err != nil {
			return err
		}
		if row[place], err = store(ctx, r.columns[place].Name, r.columns[place].Type, v, number); err != nil {
			return err
		}
	}
	return nil
}

// Regenerated is the rows of an UPDATE of one table, each with its old values before the new ones, as the triggers that run before it have left
// them, with generated columns that are calculated from that.
type Regenerated struct {
	plan.UnaryNode
	set []sql.Expression
}

// Regenerate returns n, the triggers that run before an UPDATE of one table, with what calculates the generated columns again; n itself if
// there are none.
func Regenerate(ctx *sql.Context, n *plan.TriggerExecutor) sql.Node {
	below := sql.Node(n)
	for {
		t, ok := below.(*plan.TriggerExecutor)
		if !ok {
			break
		}
		below = t.Left()
	}
	source, ok := below.(*plan.UpdateSource)
	if !ok || !mends.WrittenRows.On() {
		return n
	}
	columns := source.Child.Schema(ctx)
	r := &Regenerated{UnaryNode: plan.UnaryNode{Child: n}}
	for _, e := range source.UpdateExprs.DerivedUpdateExprs() {
		if _, column := Assignment(e); column != nil {
			if at := columns.IndexOfColName(column.Name()); at >= 0 && columns[at].Generated != nil {
				r.set = append(r.set, e)
			}
		}
	}
	if r.set == nil {
		return n
	}
	return r
}

// String implements sql.Node.
func (r *Regenerated) String() string { return r.Child.String() }

// Schema implements sql.Node.
func (r *Regenerated) Schema(ctx *sql.Context) sql.Schema { return r.Child.Schema(ctx) }

// IsReadOnly implements sql.Node.
func (*Regenerated) IsReadOnly() bool { return false }

// WithChildren implements sql.Node.
func (r *Regenerated) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(r, len(children), 1)
	}
	return &Regenerated{plan.UnaryNode{Child: children[0]}, r.set}, nil
}

// Rows returns the rows of the child with their generated columns.
func (r *Regenerated) Rows(child sql.RowIter) sql.RowIter { return &regeneratedRows{child, r.set} }

// regeneratedRows is an iterator. Owned by one goroutine.
type regeneratedRows struct {
	sql.RowIter
	set []sql.Expression
}

// Next implements sql.RowIter.
func (r *regeneratedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.RowIter.Next(ctx)
	if err != nil {
		return row, err
	}
	old, now := row[:len(row)/2], row[len(row)/2:]
	for _, e := range r.set {
		v, err := e.Eval(ctx, now)
		if err != nil {
			return nil, err
		}
		changed, ok := v.(sql.Row)
		if !ok {
			return nil, plan.ErrUpdateUnexpectedSetResult.New(v)
		}
		now = changed
	}
	return slices.Concat(old, now), nil
}

// AtPlaces returns an expression that finds its columns by name in rows in which these columns begin at place first, and calculates as MySQL
// does.
func AtPlaces(ctx *sql.Context, e sql.Expression, columns sql.Schema, first int) (sql.Expression, error) {
	e, _, err := transform.Expr(ctx, e, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		f, ok := e.(*expression.GetField)
		if !ok {
			return e, transform.SameTree, nil
		}
		for i, c := range columns {
			if strings.EqualFold(c.Name, f.Name()) {
				return f.WithIndex(first + i), transform.NewTree, nil
			}
		}
		return nil, transform.SameTree, sql.ErrColumnNotFound.New(f.Name())
	})
	if err != nil {
		return nil, err
	}
	return sqlexpr.MendExpression(ctx, e)
}

// Fill gives the generated columns of a row, whose number in the statement is number, their values. With virtual, only those that are not
// stored.
func (g *Generated) Fill(ctx *sql.Context, row sql.Row, number int64, virtual bool) error {
	if g == nil {
		return nil
	}
	for i, place := range g.places {
		c := g.columns[place]
		if virtual && !c.Virtual {
			continue
		}
		v, err := g.values[i].Eval(ctx, row)
		if err != nil {
			return err
		}
		if v != nil {
			if v, err = store(ctx, c.Name, c.Type, v, number); err != nil {
				return err
			}
		}
		row[place] = v
	}
	return nil
}

// generatedLater returns the source of an INSERT without the values of generated columns: [Stored] calculates them from what is stored. A
// trigger that sees the row before that gets what the values of the statement make, if they make a value.
func generatedLater(ctx *sql.Context, source sql.Node, columns sql.Schema, seen bool) (sql.Node, error) {
	switch n := source.(type) {
	case *plan.TriggerExecutor:
		left, err := generatedLater(ctx, n.Left(), columns, true)
		if err != nil {
			return nil, err
		}
		return n.WithChildren(ctx, left, n.Right())
	case *plan.Project:
		if len(n.Projections) != len(columns) {
			return n, nil
		}
		all, child := slices.Clone(n.Projections), n.Child
		for i, c := range columns {
			if c.Generated == nil {
				continue
			}
			switch e := all[i].(type) {
			case *sql.ColumnDefaultValue:
				if e != nil {
					later := *e
					later.Expr, later.OutType, later.ReturnNil = &laterValue{expression.UnaryExpressionStub{Child: e.Expr}, c.Type, seen}, nil, true
					all[i] = &later
				}
			case *expression.GetField: // the statement has DEFAULT
				child = withoutValues(child, e.Index())
			}
		}
		return plan.NewProject(all, child), nil
	}
	return source, nil
}

// withoutValues returns the rows of VALUES with NULL at a place, any other node as it is.
func withoutValues(n sql.Node, place int) sql.Node {
	v, ok := n.(*plan.Values)
	if !ok {
		return n
	}
	rows := slices.Clone(v.ExpressionTuples)
	for i, row := range rows {
		if place < len(row) {
			rows[i] = slices.Clone(row)
			rows[i][place] = expression.NewLiteral(nil, types.Null)
		}
	}
	changed := *v
	changed.ExpressionTuples = rows
	return &changed
}

// laterValue is the value of a generated column that is calculated again, NULL if nobody sees it or if it is an error.
type laterValue struct {
	expression.UnaryExpressionStub
	typ  sql.Type
	seen bool
}

// String implements sql.Expression.
func (l *laterValue) String() string { return l.Child.String() }

// Type implements sql.Expression.
func (l *laterValue) Type(*sql.Context) sql.Type { return l.typ }

// WithChildren implements sql.Expression.
func (l *laterValue) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(l, len(children), 1)
	}
	return &laterValue{expression.UnaryExpressionStub{Child: children[0]}, l.typ, l.seen}, nil
}

// Eval implements sql.Expression.
func (l *laterValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if !l.seen {
		return nil, nil
	}
	v, err := l.Child.Eval(ctx, row)
	if v != nil && err == nil {
		v, _, err = l.typ.Convert(ctx, v)
	}
	if err != nil && ctx.Err() == nil {
		return nil, nil
	}
	return v, err
}
