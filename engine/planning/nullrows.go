package planning

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// NullRow says what it means that all columns of a table are NULL in a row of a join.
type NullRow int

// What a row of NULLs may be.
const (
	OwnRow    NullRow = iota // one of the table
	NoRow                    // the table has no row there, which an outer join says so
	UnsureRow                // either of these
)

// NullRowOf returns what a row of NULLs is in the rows of n, for the table with this name or alias.
func NullRowOf(ctx *sql.Context, n sql.Node, table string) NullRow {
	outer := false
	for {
		var condition sql.Expression
		next := childWith(ctx, n, table)
		switch n := n.(type) {
		case *plan.Filter:
			condition = n.Expression
		case *plan.JoinNode:
			right := next == n.Right()
			if kind := n.JoinType(); right || !kind.IsLeftOuter() && !kind.IsAnti() { // the rows of an anti join are those that the condition is not true for
				condition = n.JoinCond()
				outer = outer || n.JoinType().IsLeftOuter()
			}
		}
		if condition != nil && neverTrue(ctx, condition, columnsIn(ctx, condition, table)) {
			return NoRow // then no row of NULLs of the table comes this far
		}
		if next != nil {
			n = next
			continue
		}
		switch {
		case slices.ContainsFunc(n.Schema(ctx), func(c *sql.Column) bool { return isOf(c, table) && !c.Nullable }):
			return NoRow
		case outer:
			return UnsureRow
		}
		return OwnRow
	}
}

// childWith returns the child of n that has the columns of a table, nil if none has.
func childWith(ctx *sql.Context, n sql.Node, table string) sql.Node {
	for _, c := range n.Children() {
		if slices.ContainsFunc(c.Schema(ctx), func(c *sql.Column) bool { return isOf(c, table) }) {
			return c
		}
	}
	return nil
}

func isOf(c *sql.Column, table string) bool { return strings.EqualFold(c.Source, table) }

// columnsIn returns the columns of a table that e has.
func columnsIn(ctx *sql.Context, e sql.Expression, table string) (all sql.ColSet) {
	sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		if f, ok := e.(*expression.GetField); ok && f.Id() > 0 && strings.EqualFold(f.Table(), table) {
			all.Add(f.Id())
		}
		return true
	})
	return all
}
