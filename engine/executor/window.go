package executor

import (
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation/window"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/engine/sqlexpr"
)

// NewWindow returns the rows of n, whose input is child.
//
// go-mysql-server: without a frame it takes the rows up to the current one, whatever the order, and
// for MAX, BIT_AND and others the whole partition; a RANGE is wrong over NULL, and over several
// sort keys. MySQL: without a frame it takes the rows up to the current one and its peers; the
// whole partition if there is no order.
func NewWindow(ctx *sql.Context, n *plan.Window, child sql.RowIter) sql.RowIter {
	return &windows{node: n, child: child, hold: charge.HoldOf(ctx, charge.Cached)}
}

// windows is an iterator. Owned by one goroutine.
type windows struct {
	node  *plan.Window
	child sql.RowIter
	rows  []sql.Row // of the result, nil until the input has been read
	hold  *budget.Hold
	pos   int
}

// Next implements sql.RowIter.
func (w *windows) Next(ctx *sql.Context) (sql.Row, error) {
	if w.rows == nil {
		if err := w.calculate(ctx); err != nil {
			return nil, err
		}
	}
	if w.pos == len(w.rows) {
		return nil, io.EOF
	}
	w.pos++
	return w.rows[w.pos-1], nil
}

// Close implements sql.RowIter.
func (w *windows) Close(ctx *sql.Context) error {
	w.rows = nil
	w.hold.Drop()
	return w.child.Close(ctx)
}

// placeBytes is the memory of a row's position in an order, in bytes.
const placeBytes = 56

// input is a row of a window, and its position in the input.
type input struct {
	row   sql.Row
	place int
}

func (w *windows) calculate(ctx *sql.Context) error {
	var all []sql.Row
	result := charge.RowSize(make(sql.Row, len(w.node.SelectExprs))) + placeBytes
	for {
		row, err := w.child.Next(ctx)
		if err == nil {
			err = w.hold.Charge(result)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		all = append(all, row)
	}
	set := func(to *any, v any) error {
		*to = v
		return w.hold.Charge(charge.Size(v))
	}
	w.rows = make([]sql.Row, len(all))
	for i := range w.rows {
		w.rows[i] = make(sql.Row, len(w.node.SelectExprs))
	}
	sorted := map[string][]input{}
	for i, e := range w.node.SelectExprs {
		if a, ok := e.(*expression.Alias); ok {
			e = a.Child
		}
		call, ok := e.(sql.WindowAdaptableExpression)
		if !ok || call.Window() == nil {
			charged := set
			if _, of := e.(*expression.GetField); of { // the value is that of the input
				charged = func(to *any, v any) error { *to = v; return nil }
			}
			for j, row := range all {
				v, err := e.Eval(ctx, row)
				if err == nil {
					err = charged(&w.rows[j][i], v)
				}
				if err != nil {
					return err
				}
			}
			continue
		}
		d := &partitions{call: call, hold: w.hold, order: SortFields(ctx, call.Window().OrderBy)}
		for _, by := range call.Window().PartitionBy {
			d.by = append(d.by, sql.SortField{Column: by})
		}
		d.by = SortFields(ctx, d.by)
		key := orderText(append(append(sql.SortFields{}, d.by...), d.order...))
		rows, ok := sorted[key]
		if !ok {
			err := w.hold.Charge(placeBytes * int64(len(all)))
			if err != nil {
				return err
			}
			if rows, err = d.sorted(ctx, all); err != nil {
				return err
			}
			sorted[key] = rows
		}
		if err := d.calculate(ctx, rows, func(place int, v any) error { return set(&w.rows[place][i], v) }); err != nil {
			return err
		}
	}
	return nil
}

// orderText returns a text that identifies an order.
func orderText(fields sql.SortFields) string {
	var b strings.Builder
	for _, f := range fields {
		b.WriteString(f.String() + "\x00" + f.Column.String() + "\x01")
	}
	return b.String()
}

// partitions calculate one window function. Owned by one goroutine.
type partitions struct {
	call      sql.WindowAdaptableExpression
	by, order sql.SortFields
	hold      *budget.Hold
}

func (p *partitions) sorted(ctx *sql.Context, all []sql.Row) ([]input, error) {
	fields := append(append(sql.SortFields{}, p.by...), p.order...)
	rows := make([]input, len(all))
	for i, row := range all {
		rows[i] = input{row, i}
	}
	if len(fields) == 0 {
		return rows, nil
	}
	sorter := newSorter(ctx, fields, p.hold)
	for _, row := range all {
		if err := sorter.add(ctx, row); err != nil {
			return nil, err
		}
	}
	order, err := sorter.sorted(ctx)
	for i, place := range order {
		rows[i] = input{all[place], place}
	}
	return rows, err
}

func (p *partitions) calculate(ctx *sql.Context, rows []input, set func(place int, v any) error) error {
	buffer := make(sql.WindowBuffer, len(rows))
	for i, r := range rows {
		buffer[i] = r.row
	}
	for start := 0; start < len(rows); {
		end := start + 1
		for ; end < len(rows); end++ {
			if same, err := equalBy(ctx, p.by, buffer[start], buffer[end]); err != nil {
				return err
			} else if !same {
				break
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.partition(ctx, buffer, start, end, func(i int, v any) error { return set(rows[i].place, v) }); err != nil {
			return err
		}
		start = end
	}
	return nil
}

// equalBy reports whether two rows have the same sort keys.
func equalBy(ctx *sql.Context, fields sql.SortFields, a, b sql.Row) (bool, error) {
	for _, f := range fields {
		x, err := f.Column.Eval(ctx, a)
		if err != nil {
			return false, err
		}
		y, err := f.Column.Eval(ctx, b)
		if err != nil {
			return false, err
		}
		switch {
		case x == nil && y == nil:
			continue
		case x == nil || y == nil:
			return false, nil
		}
		if order, err := f.Column.Type(ctx).Compare(ctx, x, y); err != nil || order != 0 {
			return false, err
		}
	}
	return true, nil
}

// partition calculates the rows start to end of buffer, which are one partition.
func (p *partitions) partition(ctx *sql.Context, buffer sql.WindowBuffer, start, end int, set func(i int, v any) error) error {
	value, err := p.function(ctx, buffer, start, end)
	if err != nil {
		return err
	}
	f, err := newFrames(ctx, p.call.Window().Frame, p.order, buffer, start, end)
	if err != nil {
		return err
	}
	for i := start; i < end; i++ {
		frame, err := f.of(ctx, i)
		if err != nil {
			return err
		}
		v, err := value(i, frame)
		if err == nil {
			err = set(i, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// function returns a function that returns the value of the window function at row i of a
// partition, for its frame. It must be called for the rows in their order.
func (p *partitions) function(ctx *sql.Context, buffer sql.WindowBuffer, start, end int) (func(i int, frame sql.WindowInterval) (any, error), error) {
	at := func(e sql.Expression, i int) (any, error) { return e.Eval(ctx, buffer[i]) }
	switch call := p.call.(type) {
	case *window.FirstValue:
		return func(_ int, frame sql.WindowInterval) (any, error) {
			if frame.Start >= frame.End {
				return nil, nil
			}
			return at(call.Child, frame.Start)
		}, nil
	case *window.LastValue:
		return func(_ int, frame sql.WindowInterval) (any, error) {
			if frame.Start >= frame.End {
				return nil, nil
			}
			return at(call.Child, frame.End-1)
		}, nil
	case *ofFrame:
		return call.function(at, p.peersEnd(ctx, buffer, start, end), start, end), nil
	case *Sum:
		w, err := call.NewWindowFunction(ctx)
		if err != nil {
			return nil, err
		}
		if err := w.StartPartition(ctx, sql.WindowInterval{Start: start, End: end}, buffer); err != nil {
			return nil, err
		}
		return func(_ int, frame sql.WindowInterval) (any, error) { return w.Compute(ctx, frame, buffer) }, nil
	case sql.Aggregation:
		of := newAggregate(ctx, call)
		var b sql.AggregationBuffer
		var had sql.WindowInterval
		return func(_ int, frame sql.WindowInterval) (v any, err error) {
			frame.End = max(frame.Start, frame.End)
			if b == nil || frame.Start != had.Start || frame.End < had.End {
				if b, err = of.buffer(ctx, p.hold); err != nil {
					return nil, err
				}
				had = sql.WindowInterval{Start: frame.Start, End: frame.Start}
			}
			for ; had.End < frame.End; had.End++ {
				if err = b.Update(ctx, buffer[had.End]); err != nil {
					return nil, err
				}
			}
			return b.Eval(ctx)
		}, nil
	}
	// The other functions depend on the rows of the partition only.
	w, err := p.call.NewWindowFunction(ctx)
	if err != nil {
		return nil, err
	}
	// LAG and LEAD count rows from the beginning of what they get, so that is the partition alone.
	buffer = buffer[start:end]
	whole := sql.WindowInterval{Start: 0, End: end - start}
	if err := w.StartPartition(ctx, whole, buffer); err != nil {
		return nil, err
	}
	framer, err := w.DefaultFramer().NewFramer(whole)
	if err != nil {
		return nil, err
	}
	return func(int, sql.WindowInterval) (any, error) {
		frame, err := framer.Next(ctx, buffer)
		if err != nil {
			return nil, err
		}
		return w.Compute(ctx, frame, buffer)
	}, nil
}

// peersEnd returns the end of the peers of row i: the rows that are equal in the window's order.
func (p *partitions) peersEnd(ctx *sql.Context, buffer sql.WindowBuffer, start, end int) func(i int) (int, error) {
	until := start
	return func(i int) (int, error) {
		for until <= i {
			first := until
			for until++; until < end; until++ {
				if same, err := equalBy(ctx, p.order, buffer[first], buffer[until]); err != nil {
					return 0, err
				} else if !same {
					break
				}
			}
		}
		return until, nil
	}
}

// WindowName is a window function that vitess knows. It stands in for functions that vitess does
// not know.
const WindowName = "first"

// WindowCall makes e, a call of a window function that vitess does not know, a call of one that it
// knows, with one more argument: the name of the function.
func WindowCall(e *ast.FuncExpr) {
	name := e.Name.Lowered()
	switch {
	case name == "ntile" && len(e.Exprs) == 1:
		e.Exprs = ast.SelectExprs{&ast.AliasedExpr{Expr: &ast.FuncExpr{Name: sqlexpr.BucketsName, Exprs: e.Exprs}}}
		return
	case name == "nth_value" && len(e.Exprs) == 2:
	case (name == "bit_and" || name == "bit_or" || name == "bit_xor") && len(e.Exprs) == 1:
		e.Exprs = append(e.Exprs, e.Exprs[0])
	case name == "cume_dist" && len(e.Exprs) == 0:
		one := &ast.AliasedExpr{Expr: ast.NewIntVal([]byte("1"))}
		e.Exprs = ast.SelectExprs{one, one}
	default:
		return
	}
	e.Name = ast.NewColIdent(WindowName)
	e.Exprs = append(e.Exprs, &ast.AliasedExpr{Expr: ast.NewStrVal([]byte(name))})
}

func WindowFunctions() map[string]sql.Function {
	return map[string]sql.Function{WindowName: sql.FunctionN{Name: WindowName, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		switch len(args) {
		case 1:
			return aggregation.NewFirst(args[0]), nil
		case 3:
			if name, ok := args[2].(*expression.Literal); ok {
				text, _ := name.Value().(string)
				switch text {
				case "bit_and":
					return aggregation.NewBitAnd(args[0]), nil
				case "bit_or":
					return aggregation.NewBitOr(args[0]), nil
				case "bit_xor":
					return aggregation.NewBitXor(args[0]), nil
				case "nth_value", "cume_dist":
				default: // FIRST itself has one argument
					return nil, sql.ErrInvalidArgumentNumber.New(WindowName, 1, len(args))
				}
				f := &ofFrame{FirstValue: window.NewFirstValue(ctx, args[0]).(*window.FirstValue), name: text}
				n, err := args[1].Eval(ctx, nil)
				if err != nil {
					return nil, err
				}
				nth, _, err := types.Int64.Convert(ctx, n)
				if err != nil {
					return nil, err
				}
				if f.nth, ok = nth.(int64); ok && f.nth > 0 {
					return f, nil
				}
			}
			return nil, sql.ErrInvalidArgument.New("nth_value")
		}
		return nil, sql.ErrInvalidArgumentNumber.New(WindowName, 1, len(args))
	}}}
}

// ofFrame is NTH_VALUE or CUME_DIST.
//
// go-mysql-server: has neither. MySQL: has both.
type ofFrame struct {
	*window.FirstValue
	name string
	nth  int64
}

var _ sql.WindowAggregation = (*ofFrame)(nil)

func (f *ofFrame) with(first sql.Expression) *ofFrame {
	return &ofFrame{first.(*window.FirstValue), f.name, f.nth}
}

// FunctionName implements sql.FunctionExpression.
func (f *ofFrame) FunctionName() string { return strings.ToUpper(f.name) }

// String implements sql.Expression.
func (f *ofFrame) String() string {
	return f.name + strings.TrimPrefix(f.FirstValue.String(), "first_value")
}

// DebugString implements sql.DebugStringer.
func (f *ofFrame) DebugString(*sql.Context) string { return f.String() }

// Type implements sql.Expression.
func (f *ofFrame) Type(ctx *sql.Context) sql.Type {
	if f.name == "cume_dist" {
		return types.Float64
	}
	return f.FirstValue.Type(ctx)
}

// IsNullable implements sql.Expression.
func (*ofFrame) IsNullable(*sql.Context) bool { return true }

// WithId implements sql.IdExpression.
func (f *ofFrame) WithId(id sql.ColumnId) sql.IdExpression { return f.with(f.FirstValue.WithId(id)) }

// WithWindow implements sql.WindowAdaptableExpression.
func (f *ofFrame) WithWindow(ctx *sql.Context, d *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return f.with(f.FirstValue.WithWindow(ctx, d))
}

// WithChildren implements sql.Expression.
func (f *ofFrame) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	first, err := f.FirstValue.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return f.with(first), nil
}

func (f *ofFrame) function(at func(sql.Expression, int) (any, error), peersEnd func(int) (int, error), start, end int) func(int, sql.WindowInterval) (any, error) {
	if f.name == "cume_dist" {
		return func(i int, _ sql.WindowInterval) (any, error) {
			until, err := peersEnd(i)
			return float64(until-start) / float64(end-start), err
		}
	}
	return func(_ int, frame sql.WindowInterval) (any, error) {
		if i := frame.Start + int(f.nth) - 1; i < frame.End {
			return at(f.Child, i)
		}
		return nil, nil
	}
}
