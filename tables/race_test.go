package tables

import (
	"errors"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// While threads come, work and go, every table is scanned, updated and truncated: each
// event that is read must make sense.
func TestScansWhileThreadsWork(t *testing.T) {
	reg := watched()
	m, rw := keep(t, reg.NewMutex("test/a")), keep(t, reg.NewRWMutex("test/a"))
	_, client, server := connect(t, reg, "tcp", "127.0.0.1:0")
	segments, dir := reg.NewFileClass("test/segment"), t.TempDir()
	stop := make(chan struct{})
	var workers sync.WaitGroup
	for i := range 4 {
		workers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				th := reg.AttachConnection("sql/one_connection", uint64(i))
				th.SetAccount("user", "host"+strconv.Itoa(i))
				th.SetCommand("Query")
				lock(m, 20)
				rw.RLock()
				rw.RUnlock()
				name := filepath.Join(dir, strconv.Itoa(i))
				fileWork(reg, name)
				must(0, segments.Rename(name, name+".old"))
				must(0, segments.Remove(name+".old"))
				if i == 0 {
					server.SetOwner(th)
					must(client.Write([]byte("x")))
					must(server.Read(make([]byte, 1)))
				}
				lock(m, 20)
				th.Detach()
			}
		})
	}
	for round := range 12 {
		for _, tb := range All() {
			values(tb, reg, nil)
			if tb.Truncatable() && round%4 == 3 {
				tb.Truncate(Of(reg))
			}
		}
		for _, name := range []string{"events_waits_current", "events_waits_history", "events_waits_history_long"} {
			for _, r := range rows(t, reg, name) {
				if r["THREAD_ID"] == "0" || r["EVENT_ID"] == "0" || r["END_EVENT_ID"] != "NULL" && numberIn(t, r, "END_EVENT_ID") < numberIn(t, r, "EVENT_ID") {
					t.Errorf("%s: %v", name, r)
				}
			}
		}
		v := yes(round%3 == 0)
		for _, u := range []struct{ table, column string }{
			{"threads", "HISTORY"}, {"setup_instruments", "TIMED"}, {"setup_consumers", "ENABLED"},
			{"setup_actors", "HISTORY"}, {"setup_objects", "TIMED"}, {"setup_threads", "HISTORY"},
		} {
			if err := tableNamed(t, u.table).Update(Of(reg), nil, u.column, v); err != nil {
				t.Error(err)
			}
		}
		for table, column := range map[string]string{"setup_actors": "USER", "setup_objects": "OBJECT_NAME"} {
			// After a TRUNCATE no row may be left by which users are watched.
			if err := insert(t, reg, table, nil); err != nil && !errors.Is(err, ErrDuplicate) {
				t.Error(err)
			}
			if err := insert(t, reg, table, row{column: "other"}); err != nil {
				t.Error(err)
			}
			if err := tableNamed(t, table).Delete(Of(reg), Key{is(column, "other")}); err != nil {
				t.Error(err)
			}
		}
	}
	close(stop)
	workers.Wait()
}
