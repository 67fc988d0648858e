package nodes

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

func TestBuilders(t *testing.T) {
	var b Builders
	On(&b, func(_ *sql.Context, n *plan.Offset, row sql.Row) (sql.RowIter, error) {
		return sql.RowsToRowIter(row), nil
	})
	rows, err := b.Build(nil, &plan.Offset{}, sql.NewRow(7))
	if err != nil || rows == nil {
		t.Fatal(rows, err)
	}
	if row, err := rows.Next(nil); err != nil || row[0] != 7 {
		t.Error(row, err)
	}
	if rows, err := b.Build(nil, &plan.Limit{}, nil); rows != nil || err != nil {
		t.Errorf("a node that nobody builds has rows %v, %v", rows, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a node may be built in two ways")
		}
	}()
	On(&b, func(*sql.Context, *plan.Offset, sql.Row) (sql.RowIter, error) { return nil, nil })
}

func BenchmarkBuild(b *testing.B) {
	var all Builders
	On(&all, func(*sql.Context, *plan.Offset, sql.Row) (sql.RowIter, error) { return nil, nil })
	n := &plan.Offset{}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = all.Build(nil, n, nil)
	}
}
