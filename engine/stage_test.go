package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// state is what the thread is doing.
func (s *sqlSession) state() string {
	info, _ := s.thread.Snapshot()
	return info.State
}

// A connection that waits for a lock says so wherever one looks, and can be killed.
func TestWaitForUserLock(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	a, b := r.session(t), r.session(t)
	a.run("SELECT GET_LOCK('l', 0)")
	if e := b.run("SELECT GET_LOCK('l', 0)"); b.state() != "" || e.Counters[instr.RowsSent] != 1 {
		t.Errorf("an attempt: %s, then %q", told(e), b.state())
	}
	got := make(chan error, 1)
	lock := func() {
		_, err := count(context.Background(), b.conn, "SELECT GET_LOCK('l', -1)")
		got <- err
	}
	go lock()
	eventually(t, "the second one waits", func() bool { return b.state() == "User lock" })
	id := b.id
	for q, want := range map[string]string{
		fmt.Sprintf("SELECT STATE FROM processlist WHERE ID = %d", id):                     "User lock",
		fmt.Sprintf("SELECT STATE FROM information_schema.PROCESSLIST WHERE ID = %d", id):  "User lock",
		fmt.Sprintf("SELECT PROCESSLIST_STATE FROM threads WHERE PROCESSLIST_ID = %d", id): "User lock",
	} {
		r.want(t, q, want)
	}
	if rows := strings.Join(r.query(t, "SHOW PROCESSLIST"), "\n"); !strings.Contains(rows, "|User lock|SELECT GET_LOCK('l', -1)") {
		t.Errorf("SHOW PROCESSLIST:\n%s", rows)
	}
	r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
	if err := <-got; !strings.HasPrefix(code(err), "1317 70100") {
		t.Errorf("killed: %v", err)
	}
	go lock()
	eventually(t, "the second one waits again", func() bool { return b.state() == "User lock" })
	a.run("SELECT RELEASE_LOCK('l')")
	if err := <-got; err != nil {
		t.Error(err)
	}
	r.want(t, fmt.Sprintf("SELECT IS_USED_LOCK('l') = %d", id), "1")
}

// Who reads a table does not undo what others write to it meanwhile.
func TestReadUndoesNothing(t *testing.T) {
	reached, goOn := make(chan struct{}), make(chan struct{})
	stop := &fake{name: "stop", rows: 1, scanned: func(tables.Key) {
		reached <- struct{}{}
		<-goOn
	}}
	r := serve(t, Options{}, stop)
	s := r.session(t)
	s.run("CREATE TABLE test.t (a INT)")
	s.run("INSERT INTO test.t VALUES (1)")
	ended := make(chan error, 1)
	go func() {
		_, err := count(context.Background(), s.conn, "SELECT (SELECT MAX(LEVEL) FROM stop WHERE LEVEL < t.a) FROM test.t")
		ended <- err
	}()
	<-reached
	r.exec(t, "INSERT INTO test.t VALUES (2)")
	close(goOn)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	r.want(t, "SELECT a FROM test.t ORDER BY a", "1", "2")
}
