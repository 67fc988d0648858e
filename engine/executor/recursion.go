package executor

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/hash"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
)

// NewRecursion returns the rows of the recursive query n. build makes iterators of its parts.
//
// go-mysql-server: fails after 10,001 rounds, whatever cte_max_recursion_depth is. MySQL: fails
// after as many rounds as the variable says, and names the number.
func NewRecursion(ctx *sql.Context, n *plan.RecursiveCte, row sql.Row, build func(*sql.Context, sql.Node, sql.Row) (sql.RowIter, error)) (sql.RowIter, error) {
	v, err := ctx.GetSessionVariable(ctx, "cte_max_recursion_depth")
	if err != nil {
		return nil, err
	}
	most, ok := v.(uint64)
	if !ok {
		return nil, sql.ErrInvalidSystemVariableValue.New("cte_max_recursion_depth", v)
	}
	union := n.Union()
	r := &recursion{node: n, columns: n.Schema(ctx), outer: row, build: build, most: most}
	if union.Distinct {
		r.known = map[uint64]struct{}{}
	}
	sorted := len(union.SortFields) > 0
	if union.Limit == nil {
		if sorted {
			return NewSort(ctx, union.SortFields, r), nil
		}
		return r, nil
	}
	limit, err := iters.GetInt64Value(ctx, union.Limit)
	if err != nil {
		return nil, err
	}
	if sorted {
		return iters.NewTopRowsIter(union.SortFields, limit, false, r, len(union.Schema(ctx))), nil
	}
	return &iters.LimitIter{Limit: limit, ChildIter: r}, nil
}

// recursion is an iterator over the rows of a recursive query. First it returns the rows of the
// first part. Then it works in rounds: each returns the rows that the second part makes from the
// rows of the round before, until a round makes no rows. Owned by one goroutine.
type recursion struct {
	node    *plan.RecursiveCte
	columns sql.Schema
	outer   sql.Row
	build   func(*sql.Context, sql.Node, sql.Row) (sql.RowIter, error)
	rows    sql.RowIter         // the rows of the present round, nil before the first
	made    []sql.Row           // the rows that this round has made
	known   map[uint64]struct{} // hashes of all rows; nil for UNION ALL
	// rounds is the number of rounds that have begun after the first part. most is the largest
	// allowed number.
	rounds, most uint64
}

// Next implements sql.RowIter.
func (r *recursion) Next(ctx *sql.Context) (sql.Row, error) {
	var err error
	if r.rows == nil {
		if r.rows, err = r.build(ctx, r.node.Left(), r.outer); err != nil {
			return nil, err
		}
	}
	for {
		row, err := r.rows.Next(ctx)
		switch {
		case err == io.EOF && len(r.made) > 0:
			if err := r.round(ctx); err != nil {
				return nil, err
			}
			continue
		case err != nil:
			return nil, err
		}
		if row, err = typedRow(ctx, r.columns, row); err != nil {
			return nil, err
		}
		if r.known != nil {
			h, err := hash.HashOf(ctx, nil, row)
			if err != nil {
				return nil, err
			}
			if _, known := r.known[h]; known {
				continue
			}
			r.known[h] = struct{}{}
		}
		r.made = append(r.made, row)
		return row, nil
	}
}

// round begins a round over the rows of the round before.
func (r *recursion) round(ctx *sql.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.rounds++; r.rounds > r.most {
		return mysql.NewSQLError(3636, "HY000", "Recursive query aborted after %d iterations. Try increasing @@cte_max_recursion_depth to a larger value.", r.rounds)
	}
	r.node.Working.Buf, r.made = r.made, nil
	err := r.rows.Close(ctx)
	if err != nil {
		return err
	}
	r.rows, err = r.build(ctx, r.node.Right(), r.outer)
	return err
}

// Close implements sql.RowIter.
func (r *recursion) Close(ctx *sql.Context) error {
	r.node.Working.Buf, r.made, r.known = nil, nil, nil
	if r.rows == nil {
		return nil
	}
	return r.rows.Close(ctx)
}
