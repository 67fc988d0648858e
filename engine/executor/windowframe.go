package executor

import (
	"reflect"
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/sqlvalue"
)

var (
	FrameType  = reflect.TypeFor[*ast.Frame]()
	WindowType = reflect.TypeFor[ast.Window]()
)

// OnePartition gives a window without expressions a PARTITION BY with a constant.
//
// go-mysql-server: FIRST_VALUE, LAST_VALUE, LAG and LEAD over a window without expressions panic.
// MySQL: the rows are one partition.
func OnePartition(w *ast.WindowDef) {
	if w.NameRef.IsEmpty() && len(w.PartitionBy) == 0 && len(w.OrderBy) == 0 {
		w.PartitionBy = ast.Exprs{ast.NewIntVal([]byte("1"))}
	}
}

// WholePartition turns ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING into the same
// RANGE. go-mysql-server has such ROWS for a statement without a frame.
func WholePartition(f *ast.Frame) {
	if e := f.Extent; e != nil && e.Start != nil && e.End != nil && e.Start.Type == ast.UnboundedPreceding && e.End.Type == ast.UnboundedFollowing {
		f.Unit = ast.RangeUnit
	}
}

// frames calculates the frames of the rows of a partition. See NewWindow. Owned by one goroutine.
type frames struct {
	frame      sql.WindowFrame // nil if there is none
	rows       bool            // the frame counts rows
	order      sql.SortFields
	buffer     sql.WindowBuffer
	start, end int // of the partition
	// peers are the peers of the last row that peers were calculated for.
	peers sql.WindowInterval
	// keys are the sort keys, if a RANGE needs them; nulls is the interval of rows whose key is NULL.
	keys  []any
	nulls sql.WindowInterval
}

func newFrames(ctx *sql.Context, frame sql.WindowFrame, order sql.SortFields, buffer sql.WindowBuffer, start, end int) (*frames, error) {
	f := &frames{frame: frame, order: order, buffer: buffer, start: start, end: end, peers: sql.WindowInterval{Start: start, End: start}}
	if _, none := frame.(*plan.RowsUnboundedPrecedingToUnboundedFollowingFrame); none || frame == nil {
		f.frame = nil
		return f, nil
	}
	f.rows = strings.HasPrefix(strings.ToLower(frame.String()), "rows")
	if f.rows || frame.StartNPreceding() == nil && frame.StartNFollowing() == nil && frame.EndNPreceding() == nil && frame.EndNFollowing() == nil {
		return f, nil
	}
	if len(order) != 1 {
		return nil, errRangeOrder()
	}
	f.nulls = sql.WindowInterval{Start: start, End: start}
	for i := start; i < end; i++ {
		v, err := order[0].Column.Eval(ctx, buffer[i])
		if err != nil {
			return nil, err
		}
		if v == nil {
			if f.nulls.Start == f.nulls.End {
				f.nulls.Start = i
			}
			f.nulls.End = i + 1
		}
		f.keys = append(f.keys, v)
	}
	return f, nil
}

// of returns the frame of row i. It must be called for the rows in their order.
func (f *frames) of(ctx *sql.Context, i int) (sql.WindowInterval, error) {
	whole := sql.WindowInterval{Start: f.start, End: f.end}
	if !f.rows && i >= f.peers.End {
		f.peers = sql.WindowInterval{Start: i, End: i + 1}
		for ; f.peers.End < f.end; f.peers.End++ {
			if same, err := equalBy(ctx, f.order, f.buffer[i], f.buffer[f.peers.End]); err != nil {
				return whole, err
			} else if !same {
				break
			}
		}
	}
	if f.frame == nil {
		return sql.WindowInterval{Start: f.start, End: f.peers.End}, nil
	}
	current := f.peers
	if f.rows {
		current = sql.WindowInterval{Start: i, End: i + 1}
	}
	var err error
	frame := whole
	switch {
	case f.frame.StartCurrentRow():
		frame.Start = current.Start
	case f.frame.StartNPreceding() != nil:
		frame.Start, err = f.bound(ctx, i, f.frame.StartNPreceding(), true, false)
	case f.frame.StartNFollowing() != nil:
		frame.Start, err = f.bound(ctx, i, f.frame.StartNFollowing(), false, false)
	}
	if err != nil {
		return whole, err
	}
	switch {
	case f.frame.EndCurrentRow():
		frame.End = current.End
	case f.frame.EndNPreceding() != nil:
		frame.End, err = f.bound(ctx, i, f.frame.EndNPreceding(), true, true)
	case f.frame.EndNFollowing() != nil:
		frame.End, err = f.bound(ctx, i, f.frame.EndNFollowing(), false, true)
	}
	frame.Start = min(max(frame.Start, f.start), f.end)
	frame.End = max(min(frame.End, f.end), frame.Start)
	return frame, err
}

// bound returns the bound of row i's frame, its end if end is set, n before or after the row.
func (f *frames) bound(ctx *sql.Context, i int, n sql.Expression, preceding, end bool) (int, error) {
	if f.rows {
		v, err := n.Eval(ctx, nil)
		if err != nil {
			return 0, err
		}
		converted, _, err := types.Int64.Convert(ctx, v)
		rows, ok := converted.(int64)
		if err != nil || !ok || rows < 0 {
			return 0, errFrameBound()
		}
		rows = min(rows, int64(f.end))
		if preceding {
			rows = -rows
		}
		if end {
			rows++
		}
		return i + int(rows), nil
	}
	if f.keys[i-f.start] == nil {
		if end {
			return f.nulls.End, nil
		}
		return f.nulls.Start, nil
	}
	descending := f.order[0].Order == sql.Descending
	edge, err := f.edge(ctx, i, n, preceding != descending)
	if err != nil {
		return 0, err
	}
	from, to := f.start, f.end // of the rows without NULL
	if descending {
		if f.nulls.Start < f.nulls.End {
			to = f.nulls.Start
		}
	} else if f.nulls.Start < f.nulls.End {
		from = f.nulls.End
	}
	found := from + sort.Search(to-from, func(j int) bool {
		order, e := edge(f.keys[from+j-f.start])
		if e != nil {
			err = e
		}
		if descending {
			order = -order
		}
		return order > 0 || order == 0 && !end
	})
	return found, err
}

// edge compares keys with the key of row i minus n or plus n.
func (f *frames) edge(ctx *sql.Context, i int, n sql.Expression, less bool) (func(key any) (int, error), error) {
	column := f.order[0].Column
	if _, ok := n.(*expression.Interval); ok {
		op := ast.PlusStr
		if less {
			op = ast.MinusStr
		}
		v, err := expression.NewArithmetic(column, n, op).Eval(ctx, f.buffer[i])
		return func(key any) (int, error) { return column.Type(ctx).Compare(ctx, key, v) }, err
	}
	key, err := sqlvalue.NumberOf(ctx, column.Type(ctx), f.keys[i-f.start])
	if err != nil {
		return nil, err
	}
	v, err := n.Eval(ctx, nil)
	if err != nil {
		return nil, err
	}
	distance, err := sqlvalue.NumberOf(ctx, n.Type(ctx), v)
	if err != nil || v == nil {
		return nil, errFrameBound()
	}
	if less {
		distance = distance.Negated()
	}
	bound := sqlvalue.DecimalNumber(key.Exactly().Add(distance.Exactly()))
	if key.Kind == sqlvalue.Approximate || distance.Kind == sqlvalue.Approximate {
		bound = sqlvalue.DoubleNumber(key.Float() + distance.Float())
	}
	return func(key any) (int, error) {
		k, err := sqlvalue.NumberOf(ctx, column.Type(ctx), key)
		return k.Compare(bound), err
	}, nil
}

// errFrameBound is error 3586: the bound of a frame is not a number of rows.
func errFrameBound() error {
	return mysql.NewSQLError(3586, "HY000", "Window '<unnamed window>': frame start or end is negative, NULL or of non-integral type")
}

// errRangeOrder is error 3587: a RANGE needs one numeric sort key.
func errRangeOrder() error {
	return mysql.NewSQLError(3587, "HY000", "Window '<unnamed window>' with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY expression, of numeric or temporal type")
}
