package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// stageConsumers are all that there is for stages.
var stageConsumers = map[string]bool{
	"events_stages_current": true, "events_stages_history": true, "events_stages_history_long": true,
}

// rowsText is n rows for VALUES: (0, n-1), (1, n-2) ...
func rowsText(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",(%d,%d)", i, n-1-i)
	}
	return b.String()[1:]
}

// fill makes the table test.NAME of n rows, as rowsText has them.
func (s *sqlSession) fill(name string, n int) {
	s.t.Helper()
	for _, q := range []string{
		"CREATE TABLE test." + name + " (a INT, b INT, KEY (a))", "INSERT INTO test." + name + " VALUES " + rowsText(n),
	} {
		if e := s.run(q); e.Errno != 0 {
			s.t.Fatal(told(e))
		}
	}
}

// progressOf is the stages of a statement that tell how far they are.
func (r *running) progressOf(e instr.StatementEvent) (all []string) {
	for _, g := range r.reg.Reader().StagesHistoryLong() {
		if g.ThreadID == e.ThreadID && g.NestingID == e.ID && g.Progress() {
			all = append(all, fmt.Sprintf("%s %d/%d", strings.TrimPrefix(g.Class.Name(), "stage/sql/"), g.WorkCompleted, g.WorkEstimated))
		}
	}
	return all
}

// What statements tell of their progress when they have ended, and that small ones tell none.
func TestProgress(t *testing.T) {
	oneAtATime(t)
	const rows = 12_000
	r := serve(t, Options{Consumers: stageConsumers})
	s := r.session(t)
	s.fill("small", 9_999)
	s.fill("few", 50)
	for _, test := range []struct {
		text string
		want []string
	}{
		{"CREATE TABLE test.big (a INT, b INT, KEY (a))", nil},
		{"INSERT INTO test.big VALUES " + rowsText(rows), []string{"Applying batch of row changes (write) 12000/12000"}},
		{"SELECT * FROM test.big", []string{"Sending data 12000/12000"}},
		{"SELECT SUM(b) FROM test.big WHERE b > 11990", []string{"Sending data 12000/12000"}},
		{"SELECT * FROM test.big WHERE a >= 6000", []string{"Sending data 6000/12000"}},
		{"SELECT * FROM test.big WHERE a = 6000", nil},
		{"SELECT * FROM test.big WHERE a > 11990", nil},
		{"SELECT * FROM test.big LIMIT 1000", nil},
		{"SELECT * FROM test.big LIMIT 2000", []string{"Sending data 2000/12000"}},
		{"SELECT * FROM test.small", nil},
		{"SELECT * FROM test.big ORDER BY b", []string{"Creating sort index 12000/12000"}},
		{"SELECT * FROM test.big ORDER BY b LIMIT 3", []string{"Creating sort index 12000/12000"}},
		{"SELECT * FROM test.small ORDER BY b", []string{"Creating sort index 9999/0"}},
		{"SELECT COUNT(*) FROM test.big x JOIN test.big y ON x.a = y.a WHERE x.b < 5", []string{"Sending data 12000/12000"}},
		{"(SELECT b FROM test.big) UNION ALL (SELECT b FROM test.big)", []string{"Sending data 12000/12000", "Sending data 12000/12000"}},
		{"SELECT a, (SELECT COUNT(*) FROM test.big WHERE b < small.a) FROM test.small WHERE a < 3", nil},
		{"CREATE TABLE test.copied AS SELECT a, b FROM test.big", []string{"Applying batch of row changes (write) 12000/12000"}},
		{"INSERT INTO test.copied SELECT b, a FROM test.big WHERE a < 7", nil},
		{"INSERT INTO test.copied SELECT b, a FROM test.big WHERE b < 7", []string{"Applying batch of row changes (write) 12000/12000"}},
		{"UPDATE test.big SET b = b + 1 WHERE b < 10", []string{"Applying batch of row changes (update) 12000/12000"}},
		{"DELETE FROM test.big WHERE b > 11990 AND b < 11995", []string{"Applying batch of row changes (delete) 12000/12000"}},
		{"CREATE INDEX i ON test.big (b)", []string{"copy to tmp table 11996/11996"}},
		{"ALTER TABLE test.big ADD COLUMN c INT NOT NULL DEFAULT 7", []string{"copy to tmp table 11996/11996"}},
		{"ALTER TABLE test.big MODIFY COLUMN c BIGINT FIRST", []string{"copy to tmp table 11996/11996"}},
		{"ALTER TABLE test.big DROP COLUMN c, DROP INDEX i", []string{"copy to tmp table 11996/11996"}},
		{"ALTER TABLE test.few ADD PRIMARY KEY (a), ADD UNIQUE (b)", []string{"copy to tmp table 50/50", "copy to tmp table 50/50", "copy to tmp table 50/50"}}, // the unique key reads twice,
		{"ALTER TABLE test.few DROP PRIMARY KEY", []string{"copy to tmp table 50/50"}},
		{"ALTER TABLE test.big RENAME COLUMN b TO d", nil},
	} {
		e := s.run(test.text)
		if e.Errno != 0 {
			t.Fatalf("%.80s: %s", test.text, told(e))
		}
		if got := r.progressOf(e); !slices.Equal(got, test.want) {
			t.Errorf("%.80s:\n got %q\nwant %q", test.text, got, test.want)
		}
	}
	r.want(t, "SELECT COUNT(*), SUM(d) = SUM(a + 0) - 11990 - 11991 + 10 - 11992 - 11993 FROM test.big", "11996|0")
}

// What runs inside a statement is in stages of its own, and the statement goes on where it was.
func TestProgressAroundPrograms(t *testing.T) {
	r := serve(t, Options{Consumers: stageConsumers})
	s := r.session(t)
	s.fill("big", 12_000)
	for _, q := range []string{
		"USE test", "CREATE TABLE few (a INT, b INT)", "CREATE TABLE log (a INT)",
		"CREATE TRIGGER each_row AFTER INSERT ON few FOR EACH ROW INSERT INTO log SELECT MAX(b) FROM big WHERE b >= 0",
		"CREATE PROCEDURE p() BEGIN SELECT SUM(b) FROM big WHERE b > 5; END",
	} {
		if e := s.run(q); e.Errno != 0 {
			t.Fatal(told(e))
		}
	}
	e := s.run("INSERT INTO few SELECT a, b FROM big WHERE b = 6000 OR b = 0")
	if e.Errno != 0 {
		t.Fatal(told(e))
	}
	const outer, inner = "Applying batch of row changes (write)", "Sending data 12000/12000"
	var got []string
	for _, g := range r.reg.Reader().StagesHistoryLong() {
		if g.ThreadID == e.ThreadID && g.ID > e.ID && g.Progress() {
			got = append(got, fmt.Sprintf("%s %d/%d", strings.TrimPrefix(g.Class.Name(), "stage/sql/"), g.WorkCompleted, g.WorkEstimated))
		}
	}
	if want := []string{outer + " 5120/12000", inner, outer + " 11264/12000", inner, outer + " 12000/12000"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if e := s.run("CALL p()"); e.Errno != 0 || !slices.Contains(r.progressOf(s.last(2)[0]), inner) {
		t.Errorf("%s; %s: %q", told(e), told(s.last(2)[0]), r.progressOf(s.last(2)[0]))
	}
}

// Others see how far a statement is while it runs.
func TestProgressIsSeen(t *testing.T) {
	oneAtATime(t)
	var scans atomic.Int64
	at := map[int64]chan struct{}{5_000: make(chan struct{}), 15_000: make(chan struct{})}
	reached := make(chan int64)
	stop := &fake{name: "stop", rows: 1, scanned: func(tables.Key) {
		n := scans.Add(1)
		if c := at[n]; c != nil {
			reached <- n
			<-c
		}
	}}
	r := serve(t, Options{Consumers: stageConsumers}, append(tables.All(), stop)...)
	s := r.session(t)
	s.fill("big", 20_000)
	for _, test := range []struct{ text, stage string }{
		{"SELECT COUNT((SELECT MAX(LEVEL) FROM stop WHERE LEVEL < big.b + 10)) FROM test.big", "Sending data"},
		{"SELECT a FROM test.big WHERE (SELECT MAX(LEVEL) FROM stop WHERE LEVEL < big.b + 10) IS NULL ORDER BY b", "Creating sort index"},
		{"UPDATE test.big SET b = b + (SELECT MAX(LEVEL) FROM stop WHERE LEVEL < big.b + 10)", "Applying batch of row changes (update)"},
	} {
		scans.Store(0)
		ended := make(chan error, 1)
		go func() {
			_, err := count(context.Background(), s.conn, test.text)
			ended <- err
		}()
		for _, completed := range []int{4_096, 14_336} {
			select {
			case n := <-reached:
				r.want(t, fmt.Sprintf("SELECT EVENT_NAME, WORK_COMPLETED, WORK_ESTIMATED FROM events_stages_current WHERE THREAD_ID = %d", s.thread.ID()),
					fmt.Sprintf("stage/sql/%s|%d|20000", test.stage, completed))
				r.want(t, fmt.Sprintf("SELECT PROCESSLIST_STATE FROM threads WHERE THREAD_ID = %d", s.thread.ID()), test.stage)
				at[n] <- struct{}{}
			case err := <-ended:
				t.Fatalf("%s: ended too soon: %v", test.text, err)
			}
		}
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", test.text, err)
		}
		if got, want := r.progressOf(s.last(1)[0]), test.stage+" 20000/20000"; len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q, want %q", test.text, got, want)
		}
	}
}
