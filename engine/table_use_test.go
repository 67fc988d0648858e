package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pfsd/instr"
)

// tableLedger is what a table's statistics have to be.
type tableLedger struct{ primaryFetch, fetch, insert, primaryUpdate, update, primaryDelete, reads, writes int }

// Random statements, as text and prepared: the statistics of the table have exactly what they do.
func TestTableLedger(t *testing.T) {
	r := serveAll(t, Options{Registry: instr.NewRegistry()})
	db := r.login(t, "root")
	exec := func(q string, args ...any) {
		t.Helper()
		if _, err := db.Exec(q, args...); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	exec("CREATE DATABASE ledger")
	exec("CREATE TABLE ledger.t (id INT PRIMARY KEY, a INT, b INT)")
	exec("CREATE TABLE ledger.copied (id INT, a INT)")
	var want tableLedger
	copied := 0
	rows := map[int]int{} // a by id
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		id := random.IntN(60)
		a, there := rows[id]
		switch random.IntN(9) {
		case 0, 1, 2:
			if there {
				continue
			}
			rows[id] = i % 7
			exec(fmt.Sprintf("INSERT INTO ledger.t VALUES (%d, %d, 0)", id, rows[id]))
			want.insert++
			want.writes++
		case 3:
			var got int
			err := db.QueryRow("SELECT a FROM ledger.t WHERE id = ?", id).Scan(&got)
			if (err == nil) != there || there && got != a {
				t.Fatalf("a of %d is %d, %v", id, got, err)
			}
			want.primaryFetch++ // also one that is not there
			want.reads++
		case 4:
			var n int
			if err := db.QueryRow("SELECT COUNT(a) FROM ledger.t WHERE a >= 0 AND b = 0").Scan(&n); err != nil {
				t.Fatal(err)
			}
			want.fetch += len(rows)
			want.reads++
		case 5:
			exec("UPDATE ledger.t SET a = a + 1 WHERE id = ?", id)
			want.primaryFetch++
			want.writes++
			if there {
				rows[id]++
				want.primaryUpdate++
			}
		case 6:
			exec(fmt.Sprintf("UPDATE ledger.t SET a = 100 WHERE a = %d", i%7))
			want.fetch += len(rows)
			want.writes++
			for id, a := range rows {
				if a == i%7 {
					rows[id] = 100
					want.update++
				}
			}
		case 7:
			exec("DELETE FROM ledger.t WHERE id = ?", id)
			want.primaryFetch++
			want.writes++
			if there {
				delete(rows, id)
				want.primaryDelete++
			}
		case 8:
			exec("INSERT INTO ledger.copied SELECT id, a FROM ledger.t")
			want.fetch += len(rows)
			want.reads++
			copied += len(rows)
		}
	}
	r.want(t, "SELECT INDEX_NAME, COUNT_FETCH, COUNT_INSERT, COUNT_UPDATE, COUNT_DELETE, COUNT_STAR FROM table_io_waits_summary_by_index_usage WHERE OBJECT_SCHEMA = 'ledger' AND OBJECT_NAME = 't'",
		fmt.Sprintf("PRIMARY|%d|0|%d|%d|%d", want.primaryFetch, want.primaryUpdate, want.primaryDelete, want.primaryFetch+want.primaryUpdate+want.primaryDelete),
		fmt.Sprintf("NULL|%d|%d|%d|0|%d", want.fetch, want.insert, want.update, want.fetch+want.insert+want.update))
	r.want(t, "SELECT COUNT_STAR, COUNT_READ_EXTERNAL, COUNT_WRITE_EXTERNAL FROM table_lock_waits_summary_by_table WHERE OBJECT_SCHEMA = 'ledger' AND OBJECT_NAME = 't'",
		fmt.Sprintf("%d|%d|%d", want.reads+want.writes, want.reads, want.writes))
	r.want(t, "SELECT COUNT_INSERT, COUNT_STAR FROM table_io_waits_summary_by_table WHERE OBJECT_NAME = 'copied'", fmt.Sprintf("%d|%d", copied, copied))
	all := want.primaryFetch + want.fetch + want.insert + want.primaryUpdate + want.update + want.primaryDelete + copied
	for _, q := range []string{
		"SELECT COUNT_STAR FROM events_waits_summary_global_by_event_name WHERE EVENT_NAME = 'wait/io/table/sql/handler'",
		"SELECT SUM(COUNT_STAR) FROM events_waits_summary_by_user_by_event_name WHERE EVENT_NAME = 'wait/io/table/sql/handler'",
	} {
		r.want(t, q, fmt.Sprint(all))
	}
}

// Connections write, read, alter and drop tables while others look at what is counted. No
// statement fails for it, and all handles are closed with their connections.
func TestTablesOfManyConnections(t *testing.T) {
	reg := instr.NewRegistry()
	r := serveAll(t, Options{Registry: reg})
	const writers, steps = 4, 60
	r.login(t, "root").Exec("CREATE DATABASE many")
	var all sync.WaitGroup
	for i := range writers {
		db := r.login(t, "root")
		all.Go(func() {
			defer db.Close()
			mine := fmt.Sprint("many.t", i)
			for n := range steps {
				for _, q := range []string{
					"CREATE TABLE IF NOT EXISTS " + mine + " (id INT PRIMARY KEY, a INT)",
					fmt.Sprintf("INSERT INTO %s VALUES (%d, %d)", mine, n, n),
					fmt.Sprintf("UPDATE %s SET a = a + 1 WHERE id = %d", mine, n),
					"SELECT COUNT(a) FROM " + mine + " WHERE a > 3",
				} {
					if _, err := db.Exec(q); err != nil {
						t.Errorf("%s: %v", q, err)
					}
				}
				if n%20 == 10 {
					db.Exec("ALTER TABLE " + mine + " ADD INDEX by_a (a)")
				}
				if n%20 == 19 {
					db.Exec("DROP TABLE " + mine)
				}
			}
		})
	}
	done := make(chan struct{})
	var looking sync.WaitGroup
	for i := range 2 {
		db := r.login(t, "root")
		looking.Go(func() {
			defer db.Close()
			for {
				select {
				case <-done:
					return
				default:
				}
				for _, table := range []string{"table_handles", "table_io_waits_summary_by_table", "table_io_waits_summary_by_index_usage", "table_lock_waits_summary_by_table", "objects_summary_global_by_type", "events_waits_history"} {
					rows, err := db.Query("SELECT * FROM performance_schema." + table)
					if err != nil {
						t.Error(err)
						return
					}
					for rows.Next() {
					}
					if err := rows.Err(); err != nil {
						t.Error(err)
					}
				}
				if i == 0 {
					db.Exec("TRUNCATE TABLE performance_schema.objects_summary_global_by_type")
				}
			}
		})
	}
	all.Wait()
	close(done)
	looking.Wait()
	eventually(t, "the handles are closed", func() bool {
		for _, table := range reg.Reader().Tables() {
			if strings.HasPrefix(table.Name(), "t") && len(table.TableHandles()) > 0 {
				return false
			}
		}
		return true
	})
	var names []string
	for _, table := range reg.Reader().Tables() {
		if table.Schema() == "many" {
			names = append(names, table.Name())
		}
	}
	if len(names) != 0 {
		slices.Sort(names)
		t.Errorf("tables %v are left, of which each was dropped at last", names)
	}
}
