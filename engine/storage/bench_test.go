package storage_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
)

// cpu returns the processor time of the process, in nanoseconds.
func cpu() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// BenchmarkStatements measures statements on tables of this package and on go-mysql-server's tables
// in memory, with 10,000 rows of 120 bytes.
func BenchmarkStatements(b *testing.B) {
	const rows = 10000
	for _, engine := range []string{"storage", "memory"} {
		var do func(text string) error
		var fill func(from, to int)
		setup := func(b *testing.B) {
			var e *sqle.Engine
			var session sql.Session
			if engine == "storage" {
				w := newWorld(b)
				e, session = w.e, w.client().session
			} else {
				p := memory.NewDBProvider(memory.NewDatabase("d"))
				e, session = sqle.New(analyzer.NewBuilder(p).Build(), nil), memory.NewSession(sql.NewBaseSession(), p)
				session.SetCurrentDatabase("d")
			}
			do = func(text string) error {
				_, err := query(e, session, text)
				return err
			}
			fill = func(from, to int) {
				for ; from < to; from += 1000 {
					var values []string
					for id := from; id < min(from+1000, to); id++ {
						values = append(values, fmt.Sprintf("(%d, %d, '%0110d')", id, id, id))
					}
					if err := do("insert into t values " + strings.Join(values, ", ")); err != nil {
						b.Fatal(err)
					}
				}
			}
			if err := do("create table t (id int primary key, n int, c char(110), index (n))"); err != nil {
				b.Fatal(err)
			}
		}
		for _, s := range []struct {
			name string
			text func(i int) string
			per  float64 // rows in each operation
		}{
			{"get", func(i int) string { return fmt.Sprintf("select c from t where id = %d", i%rows) }, 1},
			{"update", func(i int) string { return fmt.Sprintf("update t set c = '%d' where id = %d", i, i%rows) }, 1},
			{"insert", func(i int) string { return fmt.Sprintf("insert into t values (%d, %d, 'c')", rows+i, i) }, 1},
			{"delete", func(i int) string { return fmt.Sprintf("delete from t where id = %d", i%rows) }, 1},
			{"update-all", func(i int) string { return fmt.Sprintf("update t set c = '%d'", i) }, rows},
			{"update-by-index", func(i int) string { return fmt.Sprintf("update t set c = '%d' where n between 1000 and 1999", i) }, 1000},
			{"scan", func(int) string { return "select * from t" }, rows},
		} {
			b.Run(s.name+"/engine="+engine, func(b *testing.B) {
				setup(b)
				fill(0, rows)
				began := cpu()
				i := 0
				for b.Loop() {
					if err := do(s.text(i)); err != nil {
						b.Fatal(err)
					}
					i++
				}
				b.ReportMetric(float64(cpu()-began)/float64(i)/s.per/1000, "cpu-us/row")
			})
		}
		b.Run("load/engine="+engine, func(b *testing.B) {
			count := 100000
			if engine == "memory" {
				count = 10000 // each statement copies the table
			}
			for b.Loop() {
				setup(b)
				began := cpu()
				fill(0, count)
				b.ReportMetric(float64(cpu()-began)/float64(count)/1000, "cpu-us/row")
			}
		})
	}
}
