package executor

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/engine/syntax"
)

// groupingName is the name of the function GROUPING.
const groupingName = "grouping"

// Rollups registers GROUPING as an aggregate in go-mysql-server. Call it once, before the first
// statement.
func Rollups() {
	known := planbuilder.IsAggregateFunc
	planbuilder.IsAggregateFunc = func(name string) bool { return name == groupingName || known(name) }
}

// RollupFunctions returns the mark of WITH ROLLUP in a GROUP BY, and GROUPING.
//
// go-mysql-server: has neither. MySQL: after the rows of each group, and of each group of groups,
// there is a row that summarizes them. The expressions by which this row does not group are NULL in
// it, and GROUPING is 1 for them.
func RollupFunctions() map[string]sql.Function {
	return map[string]sql.Function{
		syntax.Rollup: sql.Function0{Name: syntax.Rollup, Fn: func(*sql.Context) sql.Expression {
			return &rollupMark{expression.NewLiteral(int8(1), types.Int8)}
		}},
		groupingName: sql.FunctionN{Name: groupingName, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
			if len(args) == 0 {
				return nil, sql.ErrInvalidArgumentNumber.New("GROUPING", "1 or more", 0)
			}
			return &grouping{aggregation.NewCountDistinct(args...)}, nil
		}},
	}
}

// rollupMark is the last expression of a GROUP BY WITH ROLLUP.
type rollupMark struct{ *expression.Literal }

// FunctionName implements sql.FunctionExpression.
func (*rollupMark) FunctionName() string { return syntax.Rollup }

// Description implements sql.FunctionExpression.
func (*rollupMark) Description() string { return "marks a GROUP BY WITH ROLLUP." }

// String implements sql.Expression.
func (*rollupMark) String() string { return syntax.Rollup }

// WithChildren implements sql.Expression.
func (m *rollupMark) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(m, len(children), 0)
	}
	return m, nil
}

// grouping is GROUPING: one bit for each argument, set if the row is not grouped by it.
type grouping struct{ *aggregation.CountDistinct }

var _ sql.Aggregation = (*grouping)(nil)

// FunctionName implements sql.FunctionExpression.
func (*grouping) FunctionName() string { return groupingName }

// String implements sql.Expression.
func (g *grouping) String() string {
	var args []string
	for _, a := range g.Children() {
		args = append(args, a.String())
	}
	return "grouping(" + strings.Join(args, ",") + ")"
}

// DebugString implements sql.DebugStringer.
func (g *grouping) DebugString(*sql.Context) string { return g.String() }

// Type implements sql.Expression.
func (*grouping) Type(*sql.Context) sql.Type { return types.Int64 }

// WithChildren implements sql.Expression.
func (g *grouping) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := g.CountDistinct.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &grouping{e.(*aggregation.CountDistinct)}, nil
}

// WithId implements sql.IdExpression.
func (g *grouping) WithId(id sql.ColumnId) sql.IdExpression {
	return &grouping{g.CountDistinct.WithId(id).(*aggregation.CountDistinct)}
}

// WithWindow implements sql.WindowAdaptableExpression.
func (g *grouping) WithWindow(ctx *sql.Context, w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return &grouping{g.CountDistinct.WithWindow(ctx, w).(*aggregation.CountDistinct)}
}

// NewBuffer implements sql.Aggregation. GROUPING without WITH ROLLUP is an error.
func (*grouping) NewBuffer(*sql.Context) (sql.AggregationBuffer, error) {
	return nil, mysql.NewSQLError(1111, "HY000", "Invalid use of group function")
}

// rollup is the iterator of a GROUP BY WITH ROLLUP. Owned by one goroutine.
type rollup struct {
	node   *plan.GroupBy
	child  sql.RowIter
	by     []sql.Expression // the expressions of the GROUP BY
	schema sql.Schema       // the schema of these expressions
	levels []rollupLevel    // levels[n] has the groups by the first n expressions
	paths  [][]int          // for each group by all expressions: its group in each level
	rows   []sql.Row
	hold   *budget.Hold
	// aggregates are the aggregates of each group.
	aggregates []aggregate
	read       bool
}

// rollupLevel has the groups by a number of the GROUP BY's expressions.
type rollupLevel struct {
	keys   *rowSet
	groups [][]sql.AggregationBuffer
}

// IsRollup reports whether n has WITH ROLLUP.
func IsRollup(n *plan.GroupBy) bool {
	last := len(n.GroupByExprs) - 1
	if last < 0 {
		return false
	}
	_, is := n.GroupByExprs[last].(*rollupMark)
	return is
}

// newRollup returns the iterator of n; nil if n has no WITH ROLLUP.
func newRollup(ctx *sql.Context, n *plan.GroupBy, child sql.RowIter) *rollup {
	if !IsRollup(n) {
		return nil
	}
	last := len(n.GroupByExprs) - 1
	r := &rollup{node: n, child: child, by: n.GroupByExprs[:last], levels: make([]rollupLevel, last+1), hold: charge.HoldOf(ctx, charge.Groups)}
	r.schema, r.aggregates = keySchema(ctx, r.by), aggregatesOf(ctx, n.SelectDeps)
	for i := range r.levels {
		r.levels[i].keys = newRowSet(r.schema[:i], r.hold)
	}
	return r
}

// Next implements sql.RowIter.
func (r *rollup) Next(ctx *sql.Context) (sql.Row, error) {
	if !r.read {
		r.read = true
		if err := r.readAll(ctx); err != nil {
			return nil, err
		}
		if err := r.emit(ctx); err != nil {
			return nil, err
		}
	}
	if len(r.rows) == 0 {
		return nil, io.EOF
	}
	row := r.rows[0]
	r.rows = r.rows[1:]
	return row, nil
}

func (r *rollup) readAll(ctx *sql.Context) error {
	key, path := make(sql.Row, len(r.by)), make([]int, len(r.levels))
	for n := 0; ; n++ {
		if n%128 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := r.child.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i, e := range r.by {
			if key[i], err = e.Eval(ctx, row); err != nil {
				return err
			}
		}
		for level := range r.levels {
			i, err := r.group(ctx, level, key)
			if err != nil {
				return err
			}
			path[level] = i
			for _, b := range r.levels[level].groups[i] {
				if b == nil {
					continue
				}
				if err := b.Update(ctx, row); err != nil {
					return err
				}
			}
		}
		if path[len(r.by)] == len(r.paths) {
			if err := r.hold.Charge(charge.RowSize(nil) + 8*int64(len(path))); err != nil {
				return err
			}
			r.paths = append(r.paths, slices.Clone(path))
		}
	}
}

// group returns the position of the group with this key in a level, and adds the group if it is new.
func (r *rollup) group(ctx *sql.Context, level int, key sql.Row) (i int, err error) {
	l := &r.levels[level]
	if level > 0 {
		known := false
		if i, known, err = l.keys.find(ctx, key[:level]); err != nil || known {
			return i, err
		}
	} else if len(l.groups) > 0 {
		return 0, nil
	}
	if err := r.hold.Charge(groupBytes(len(r.node.SelectDeps))); err != nil {
		return 0, err
	}
	buffers := make([]sql.AggregationBuffer, len(r.node.SelectDeps))
	l.groups = append(l.groups, buffers)
	for i, a := range r.aggregates {
		if _, ok := a.Aggregation.(*grouping); ok {
			continue
		}
		if buffers[i], err = a.buffer(ctx, r.hold); err != nil {
			return 0, err
		}
	}
	return len(l.groups) - 1, nil
}

// emit makes the rows, in the order of the GROUP BY.
func (r *rollup) emit(ctx *sql.Context) (err error) {
	keys := r.levels[len(r.by)].keys.rows
	order := make([]int, len(r.paths))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		for i, c := range r.schema {
			x, y := keys[a][i], keys[b][i]
			if x == nil || y == nil {
				if n := cmp.Compare(present(x), present(y)); n != 0 {
					return n
				}
				continue
			}
			n, e := c.Type.Compare(ctx, x, y)
			if e != nil {
				err = e
			}
			if n != 0 {
				return n
			}
		}
		return 0
	})
	if err != nil {
		return err
	}
	for i, at := range order {
		for level := len(r.by); level >= 0; level-- {
			group := r.paths[at][level]
			last := i+1 == len(order) || r.paths[order[i+1]][level] != group
			if !last {
				break
			}
			if err := r.row(ctx, level, group); err != nil {
				return err
			}
		}
	}
	return nil
}

func present(v any) int {
	if v == nil {
		return 0
	}
	return 1
}

// row makes the row of a group.
func (r *rollup) row(ctx *sql.Context, level, group int) (err error) {
	kept, gone := fields(ctx, r.by[:level]), fields(ctx, r.by[level:])
	out := make(sql.Row, len(r.node.SelectDeps))
	for i, b := range r.levels[level].groups[group] {
		e := r.node.SelectDeps[i]
		name := strings.ToLower(e.String())
		if g, ok := e.(*grouping); ok {
			if out[i], err = r.bits(level, g); err != nil {
				return err
			}
			continue
		}
		if _, ok := e.(sql.Aggregation); !ok && gone[name] && !kept[name] {
			continue
		}
		if out[i], err = b.Eval(ctx); err != nil {
			return err
		}
	}
	if err := r.hold.Charge(charge.RowSize(out)); err != nil {
		return err
	}
	r.rows = append(r.rows, out)
	return nil
}

// bits returns GROUPING for the rows of a level.
func (r *rollup) bits(level int, g *grouping) (bits int64, err error) {
	for i, arg := range g.Children() {
		at := slices.IndexFunc(r.by, func(e sql.Expression) bool {
			if a, ok := e.(*expression.Alias); ok {
				e = a.Child
			}
			return strings.EqualFold(e.String(), arg.String())
		})
		if at < 0 {
			return 0, mysql.NewSQLError(3580, "HY000", "Argument #%d of GROUPING function is not in GROUP BY", i+1)
		}
		bits <<= 1
		if at >= level {
			bits |= 1
		}
	}
	return bits, nil
}

// fields returns the columns in expressions.
func fields(ctx *sql.Context, all []sql.Expression) map[string]bool {
	found := map[string]bool{}
	for _, e := range all {
		sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
			if f, ok := e.(*expression.GetField); ok {
				found[strings.ToLower(f.String())] = true
			}
			return true
		})
	}
	return found
}

// Close implements sql.RowIter.
func (r *rollup) Close(ctx *sql.Context) error {
	for _, l := range r.levels {
		for _, buffers := range l.groups {
			for _, b := range buffers {
				if b != nil {
					b.Dispose(ctx)
				}
			}
		}
	}
	r.levels, r.rows = nil, nil
	r.hold.Drop()
	return r.child.Close(ctx)
}
