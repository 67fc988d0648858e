package vtable

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/budget"
	"pfsd/engine/executor"
	"pfsd/tables"
)

// rowGroups finds the groups of the rows of a scan, by columns and by what is made of moments and numbers alone, such as the minute of one. Rows with the
// same values in these columns are in the same group, so an expression is only evaluated where their values are new. Owned by one
// goroutine.
type rowGroups struct {
	scan        *Scan
	by          []int // the columns: positions among those that the aggregate reads
	expressions []sql.Expression
	fields      []groupField
	row         sql.Row // scratch space for the expressions
	groups      *executor.Groups
	hold        *budget.Hold
	// known has the groups by the bytes of the values, of which several can belong to one group: letters in upper and lower case.
	known   map[string]int
	scratch []byte // the bytes of the last values that were not among the recent ones
	// recent are the last values and their groups, each in the one place where its values would be.
	recent       []tables.Value
	recentGroups []int // a group's number plus 1; 0 is a free place
}

// groupField is a column that an expression reads: where in its row, and where among those that the aggregate reads.
type groupField struct{ index, place int }

// maxKnown is how many values are known by their bytes, and recentKeys how many by their place, none of them longer than
// recentBytes.
const (
	maxKnown    = 1 << 14
	recentBits  = 8
	recentKeys  = 1 << recentBits
	recentBytes = 512
)

// newRowGroups returns the groups of n, whose input is s; nil if they are by anything else. place returns the position of a
// column of the table among those that the aggregate reads.
func newRowGroups(ctx *sql.Context, n *plan.GroupBy, s *Scan, place func(col int) int) *rowGroups {
	g := &rowGroups{scan: s, expressions: n.GroupByExprs, row: make(sql.Row, len(s.Cols))}
	for _, e := range n.GroupByExprs {
		named := e
		if a, is := e.(*expression.Alias); is {
			named = a.Child
		}
		_, plain := named.(*expression.GetField)
		ok := true
		transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
			if f, is := e.(*expression.GetField); is {
				if f.Index() >= len(s.Cols) {
					ok = false
					return true
				}
				col := s.Cols[f.Index()]
				ok = ok && (plain || isMoment(*s.kindOf(col)) || !s.kindOf(col).IsText())
				g.fields = append(g.fields, groupField{f.Index(), place(col)})
			}
			ok = ok && !varies(e)
			return !ok
		})
		if !ok {
			return nil
		}
	}
	for _, f := range g.fields {
		if !slices.Contains(g.by, f.place) {
			g.by = append(g.by, f.place)
		}
	}
	if len(g.by) == 0 {
		return nil
	}
	return g
}

// varies reports whether e, without its children, can have another value for another row with the same columns.
func varies(e sql.Expression) bool {
	if _, is := e.(*expression.UserVar); is || isQuery(e) {
		return true
	}
	n, is := e.(sql.NonDeterministicExpression)
	return is && n.IsNonDeterministic()
}

// open prepares finding groups. Their memory is charged to hold.
func (g *rowGroups) open(ctx *sql.Context, n *plan.GroupBy, hold *budget.Hold) {
	g.hold, g.groups, g.known = hold, executor.NewGroups(ctx, n, hold), map[string]int{}
	g.recent, g.recentGroups = make([]tables.Value, recentKeys*len(g.by)), make([]int, recentKeys)
}

// find returns the number of the group of a row, and whether it is known; if not, it is one more.
func (g *rowGroups) find(ctx *sql.Context, values []tables.Value) (n int, known bool, err error) {
	place := uint64(0)
	for _, col := range g.by {
		place = (place ^ values[col].Place()) * 0x9E3779B97F4A7C15
	}
	place >>= 64 - recentBits
	recent := g.recent[int(place)*len(g.by):][:len(g.by)]
	if n := g.recentGroups[place]; n > 0 {
		same := true
		for i, col := range g.by {
			same = same && recent[i] == values[col]
		}
		if same {
			return n - 1, true, nil
		}
	}
	n, known, err = g.findByBytes(ctx, values)
	if err == nil && len(g.scratch) <= recentBytes {
		for i, col := range g.by {
			recent[i] = values[col].Clone()
		}
		g.recentGroups[place] = n + 1
	}
	return n, known, err
}

// findByBytes does the same for a row whose values are not among the recent ones.
func (g *rowGroups) findByBytes(ctx *sql.Context, values []tables.Value) (n int, known bool, err error) {
	g.scratch = g.scratch[:0]
	for _, col := range g.by {
		g.scratch = values[col].AppendExact(g.scratch)
	}
	if n, ok := g.known[string(g.scratch)]; ok {
		return n, true, nil
	}
	for _, f := range g.fields {
		g.row[f.index] = box(g.scan.Kind(f.place), values[f.place], g.scan.Zone)
	}
	key := make(sql.Row, len(g.expressions))
	for i, e := range g.expressions {
		if key[i], err = e.Eval(ctx, g.row); err != nil {
			return 0, false, err
		}
	}
	if n, known, err = g.groups.Find(ctx, key); err != nil {
		return 0, false, err
	}
	if len(g.known) < maxKnown {
		if err := g.hold.Charge(int64(len(g.scratch)) + 64); err != nil {
			return 0, false, err
		}
		g.known[string(g.scratch)] = n
	}
	return n, known, nil
}
