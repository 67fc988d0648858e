package writes

import (
	"cmp"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/hash"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/engine/executor"
	"pfsd/engine/planning"
	"pfsd/engine/usertables"
)

// joined is a table of a join of which a statement changes or deletes rows. Owned by one goroutine.
//
// go-mysql-server: changes the rows of all tables for each row of the join, in any order, and takes what the join has read for what the rows
// still are. MySQL: changes the rows of the first table of the join while it reads the join, and then those of one table after the other; each
// of them once, and as it is by then: foreign keys and triggers may have changed it meanwhile.
type joined struct {
	start, end int // of its columns
	finder     usertables.Finder
	triggers   *running
	nulls      planning.NullRow
	keyless    bool                // a row that is like another one is a row of its own
	seen       map[uint64]struct{} // the rows that the join has had; nil for a keyless table
	hold       *budget.Hold        // the memory charge for seen, and for what is done later
}

// seenSize is the memory of a row in seen, bytes.
const seenSize = 48

// newJoined returns the table with these columns that the rows of n name so. editor writes its rows.
func newJoined(ctx *sql.Context, n sql.Node, name string, columns sql.Schema, editor any) (*joined, error) {
	start, end, err := executor.ColumnsOf(n.Schema(ctx), name)
	if err != nil {
		return nil, err
	}
	if end-start != len(columns) {
		return nil, sql.ErrUnsupportedFeature.New("a change of rows that a join has in part")
	}
	j := &joined{start: start, end: end, nulls: planning.NullRowOf(ctx, n, name), hold: charge.HoldOf(ctx, charge.Written)}
	if keys, ok := editor.(*plan.ForeignKeyHandler); ok {
		editor = keys.Editor.Editor
	}
	j.finder, _ = editor.(usertables.Finder)
	if j.keyless = j.finder != nil && sql.IsKeyless(columns); !j.keyless {
		j.seen = map[uint64]struct{}{}
	}
	return j, nil
}

// byPlace sorts tables as their columns are in the rows of the join.
func byPlace[T any](tables []T, of func(T) *joined) {
	slices.SortFunc(tables, func(a, b T) int { return cmp.Compare(of(a).start, of(b).start) })
}

// take returns the columns of the table in a row of the join, nil if the table has no row there, or one that the join has had before.
//
// go-mysql-server: takes NULLs that an outer join has put in place of a row for a row of NULLs of the table. MySQL: leaves the table out.
func (j *joined) take(ctx *sql.Context, row sql.Row) (sql.Row, error) {
	own := row[j.start:j.end:j.end]
	if j.nulls != planning.OwnRow && missing(own) {
		if j.nulls == planning.NoRow {
			return nil, nil
		}
		if now, err := j.find(ctx, own); err != nil || now == nil {
			return nil, err
		}
		return nil, sql.ErrUnsupportedFeature.New("a change of a row of NULLs that an outer join may have made up")
	}
	if j.keyless {
		return own, nil
	}
	sum, err := hash.HashOf(ctx, nil, own)
	if err != nil {
		return nil, err
	}
	if _, had := j.seen[sum]; had {
		return nil, nil
	}
	j.seen[sum] = struct{}{}
	return own, j.hold.Charge(seenSize)
}

// find returns a row that the join has read as it is now, nil if it is not there any more.
func (j *joined) find(ctx *sql.Context, row sql.Row) (sql.Row, error) {
	if j.finder == nil {
		return row, nil
	}
	return j.finder.Find(ctx, row)
}

// keep returns a row, or values, that are used later.
func (j *joined) keep(row sql.Row) (sql.Row, error) {
	return slices.Clone(row), j.hold.Charge(charge.RowSize(row))
}

// close closes what the table has.
func (j *joined) close(ctx *sql.Context, editor sql.Closer) error {
	j.hold.Drop()
	err := editor.Close(ctx)
	if e := j.triggers.close(ctx); err == nil {
		err = e
	}
	return err
}

// missing tells whether a table of an outer join has no row here.
func missing(row sql.Row) bool {
	for _, v := range row {
		if v != nil {
			return false
		}
	}
	return true
}
