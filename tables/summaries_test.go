package tables

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pfsd/instr"
	"pfsd/tables/tabletest"
	"pfsd/timers"
)

// summaries are the tables that add up times, with the checks for their rows.
var summaries = sync.OnceValue(func() map[Table]*tabletest.Summary {
	all := map[Table]*tabletest.Summary{}
	for _, tb := range AllOf(9) {
		var names []string
		for _, c := range tb.Columns() {
			names = append(names, c.Name)
		}
		if s := tabletest.NewSummary(names); s != nil {
			all[tb] = s
		}
	}
	return all
})

// sumsUp says which row of a summary is inconsistent.
func sumsUp(reg *instr.Registry) error {
	for tb, s := range summaries() {
		for _, row := range values(tb, reg, nil) {
			if err := s.Check(func(c int) uint64 { return row[c].Bits() }, false); err != nil {
				return fmt.Errorf("%s: %w in %v", tb.Name(), err, row)
			}
		}
	}
	return nil
}

// Many threads record events, timed or not, while timers change and tables are truncated: each row
// of each summary is consistent.
func TestSummariesAddUp(t *testing.T) {
	for _, tb := range AllOf(9) {
		averages := 0
		for _, c := range tb.Columns() {
			if strings.HasPrefix(c.Name, "AVG_") && c.Name != "AVG_VALUE" { // of numbers that are no times
				averages++
			}
		}
		if s := summaries()[tb]; averages > 0 && (s == nil || s.Groups() != averages) {
			t.Errorf("%s has %d averages, of which some are not checked", tb.Name(), averages)
		}
	}
	reg := watched()
	reg.Setup().SetServerErrors(knownErrors)
	m, rw := keep(t, reg.NewMutex("test/a")), keep(t, reg.NewRWMutex("test/a"))
	_, client, server := connect(t, reg, "tcp", "127.0.0.1:0")
	table, dir := reg.NewTable("test", "t", "PRIMARY"), t.TempDir()
	stop := make(chan struct{})
	var workers sync.WaitGroup
	for i := range 4 {
		workers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				th := reg.AttachConnection("sql/one_connection", uint64(i))
				th.SetAccount("user", "host"+fmt.Sprint(i%2))
				doWork(reg, th, n)
				runStatement(reg, th, "test", "SELECT 1", 3)
				openSession(reg, th, i)
				useTable(table.Open(th), n%8)
				th.StartIdle().End()
				lock(m, 20)
				rw.RLock()
				rw.RUnlock()
				fileWork(reg, filepath.Join(dir, fmt.Sprint(i)))
				if i == 0 {
					server.SetIdle(n%2 == 0)
					must(client.Write([]byte("xy")))
					must(server.Read(make([]byte, 2)))
				}
				th.Detach()
			}
		})
	}
	for round := range 24 {
		if err := sumsUp(reg); err != nil {
			t.Error(err)
			break
		}
		for _, timer := range []string{"idle", "wait", "stage", "statement", "transaction"} {
			name := []timers.ID{timers.Cycle, timers.Nanosecond, timers.Microsecond}[round%3].String()
			if err := tableNamed(t, "setup_timers").Update(Of(reg), Key{is("NAME", timer)}, "TIMER_NAME", Text(name)); err != nil {
				t.Error(err)
			}
		}
		for i, like := range AllOf(9) {
			if like.Truncatable() && strings.Contains(like.Name(), "summary") && i%5 == round%5 {
				like.Truncate(Of(reg))
			}
		}
		if err := tableNamed(t, "setup_instruments").Update(Of(reg), nil, "TIMED", yes(round%4 != 2)); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	workers.Wait()
	if err := sumsUp(reg); err != nil {
		t.Error(err)
	}
}
