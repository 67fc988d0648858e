package tableuse

import (
	"io"
	"testing"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/status"
	"pfsd/engine/usertables"
	"pfsd/instr"
)

// oneRow yields a row. Owned by one goroutine.
type oneRow struct{ left int }

func (r *oneRow) Next(*sql.Context) (sql.Row, error) {
	if r.left == 0 {
		return nil, io.EOF
	}
	r.left--
	return nil, nil
}

func (*oneRow) Close(*sql.Context) error { return nil }

// BenchmarkTableUse measures what it costs a statement that reads one row, or many, that its
// table is seen, with what is on by default and with the instruments off.
func BenchmarkTableUse(b *testing.B) {
	for _, c := range []struct {
		name string
		on   bool
		rows int
	}{{"on=default/rows=1", true, 1}, {"on=none/rows=1", false, 1}, {"on=default/rows=1000", true, 1000}, {"on=none/rows=1000", false, 1000}} {
		b.Run(c.name, func(b *testing.B) {
			reg := instr.NewRegistry()
			if !c.on {
				reg.Setup().AddPattern("%/table/%", instr.PatternOff)
			}
			th := reg.Attach("test/connection")
			defer th.Detach()
			db := memory.NewDatabase("test")
			ctx := sql.NewContext(b.Context(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), memory.NewDBProvider(db))))
			t := memory.NewTable(ctx, db, "t", sql.NewPrimaryKeySchema(sql.Schema{{Name: "id", Type: types.Int64, Source: "t"}}), db.GetForeignKeyCollection())
			n := plan.NewResolvedTable(usertables.NewTable(t), db, nil)
			ts, examined := New(reg, th, status.NewCounters(reg)), uint64(0)
			defer ts.Close()
			b.ReportAllocs()
			for b.Loop() {
				ts.Use(ctx, n, t, false)
				f := ts.Fetch(ts.Reads(ctx, n, n.Table, 0), &oneRow{c.rows}, &examined)
				for {
					if _, err := f.Next(ctx); err != nil {
						break
					}
				}
				_ = f.Close(ctx)
				ts.Rest(0)
			}
		})
	}
}
