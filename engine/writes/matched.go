package writes

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/hash"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/executor"
)

// Matched counts the rows that an UPDATE of a join finds in the tables that it updates. Owned by one goroutine.
//
// go-mysql-server: counts the rows that it changes. MySQL: counts each row of each of these tables once, whatever it is joined with.
type Matched struct {
	Rows   uint64
	tables []place
	seen   []map[uint64]struct{}
	begun  bool
}

// place is where the columns of a table are in a row.
type place struct{ start, end int }

// NewMatched returns what counts for n, nil if n updates one table that is not joined.
func NewMatched(ctx *sql.Context, n *plan.Update) (*Matched, error) {
	join := joinOf(n)
	if join == nil {
		return nil, nil
	}
	source, ok := join.Child.(*plan.UpdateSource)
	if !ok {
		return nil, nil
	}
	m := &Matched{}
	schema := source.Child.Schema(ctx)
	for alias := range join.UpdateTargets {
		start, end, err := executor.ColumnsOf(schema, alias)
		if err != nil {
			return nil, err
		}
		m.tables, m.seen = append(m.tables, place{start, end}), append(m.seen, map[uint64]struct{}{})
	}
	return m, nil
}

// joinOf returns the join that n updates, nil if there is none.
func joinOf(n *plan.Update) *plan.UpdateJoin {
	child := n.Child
	for {
		switch c := child.(type) {
		case *plan.UpdateJoin:
			return c
		case *plan.TriggerExecutor:
			child = c.Left()
		default:
			return nil
		}
	}
}

// Begin tells that the rows of the join are about to be read, and reports false if they are those of another statement.
func (m *Matched) Begin() bool {
	if m == nil || m.begun {
		return false
	}
	m.begun = true
	return true
}

// Count returns rows, each with the old values before the new ones, which are counted.
func (m *Matched) Count(rows sql.RowIter) sql.RowIter { return &matchedRows{rows, m} }

type matchedRows struct {
	sql.RowIter
	*Matched
}

// Next implements sql.RowIter.
func (m *matchedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := m.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	for i, t := range m.tables {
		part := row[t.start:t.end]
		if missing(part) {
			continue
		}
		sum, err := hash.HashOf(ctx, nil, part)
		if err != nil {
			return nil, err
		}
		if _, counted := m.seen[i][sum]; !counted {
			m.seen[i][sum] = struct{}{}
			m.Rows++
		}
	}
	return row, nil
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
