package executor

import (
	"io"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// rows is an iterator over fixed rows. After the last row it returns the error end.
type rows struct {
	rows []sql.Row
	end  error
}

func (r *rows) Next(*sql.Context) (sql.Row, error) {
	if len(r.rows) == 0 {
		return nil, r.end
	}
	row := r.rows[0]
	r.rows = r.rows[1:]
	return row, nil
}

func (r *rows) Close(*sql.Context) error { return nil }

func TestGroupByTellsGroupsOfOneHashApart(t *testing.T) {
	ctx := sql.NewEmptyContext()
	field := expression.NewGetField(0, types.Int64, "a", true)
	n := plan.NewGroupBy([]sql.Expression{field, aggregation.NewCount(expression.NewLiteral(int64(1), types.Int64))}, []sql.Expression{field}, nil)
	it := NewGroupBy(ctx, n, &rows{[]sql.Row{{int64(1)}, {int64(2)}, {nil}, {int64(1)}, {nil}}, io.EOF})
	it.(*groupBy).keys.hash = func(*sql.Context, sql.Schema, sql.Row) (uint64, error) { return 7, nil }
	got, err := sql.RowIterToRows(ctx, it)
	if err != nil {
		t.Fatal(err)
	}
	want := []sql.Row{{int64(1), int64(2)}, {int64(2), int64(1)}, {nil, int64(2)}}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i][0] != want[i][0] || got[i][1] != want[i][1] {
			t.Errorf("group %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestGroupByReturnsTheErrorOfItsInput(t *testing.T) {
	ctx := sql.NewEmptyContext()
	field := expression.NewGetField(0, types.Int64, "a", true)
	n := plan.NewGroupBy([]sql.Expression{field}, []sql.Expression{field}, nil)
	it := NewGroupBy(ctx, n, &rows{[]sql.Row{{int64(1)}}, io.ErrUnexpectedEOF})
	if _, err := it.Next(ctx); err != io.ErrUnexpectedEOF {
		t.Errorf("got %v", err)
	}
	if err := it.Close(ctx); err != nil {
		t.Error(err)
	}
}
