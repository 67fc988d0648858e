package executor

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// failing returns the rows of an iterator, and then an error.
type failing struct{ sql.RowIter }

var errFailing = errors.New("no more rows")

// Next implements sql.RowIter.
func (f failing) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := f.RowIter.Next(ctx)
	if err == io.EOF {
		err = errFailing
	}
	return row, err
}

// Sorts that use the same memory one after the other do not see each other's rows, even if some end
// early or fail.
func TestSortsShareRoom(t *testing.T) {
	ctx := sql.NewEmptyContext()
	fields := sql.SortFields{{Column: expression.NewGetField(0, types.Int64, "a", false)}}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		var rows []sql.Row
		var want []int64
		for range rng.IntN(40) {
			v := rng.Int64N(1000)
			rows, want = append(rows, sql.Row{v, fmt.Sprint(n)}), append(want, v)
		}
		slices.Sort(want)
		child := sql.RowsToRowIter(rows...)
		if n%5 == 0 {
			child = failing{child}
		}
		sorted := NewSort(ctx, fields, child)
		read := len(want)
		if n%3 == 0 {
			read /= 2
		}
		for i := range read {
			row, err := sorted.Next(ctx)
			if n%5 == 0 {
				if err != errFailing {
					t.Fatalf("sort %d of rows that fail: %v, %v", n, row, err)
				}
				break
			}
			if err != nil || row[0] != want[i] || row[1] != fmt.Sprint(n) {
				t.Fatalf("row %d of sort %d is %v, not %d: %v", i, n, row, want[i], err)
			}
		}
		if err := sorted.Close(ctx); err != nil {
			t.Fatal(err)
		}
		if row, err := sorted.Next(ctx); err != io.EOF {
			t.Fatalf("after it is closed sort %d yields %v, %v", n, row, err)
		}
	}
}
