package engine

import (
	"testing"

	"pfsd/engine/globals"
)

// TestSessionsShareValues: sessions that have set the same have one map of values, and who sets something changes nobody else's.
func TestSessionsShareValues(t *testing.T) {
	r := serve(t, Options{})
	a, b, c := r.session(t), r.session(t), r.session(t)
	shared := func(s *sqlSession) uint64 { return r.workOf(s.id).Variables.StateNumber() }
	for _, s := range []*sqlSession{a, b} {
		mustRun(t, s, "SET SESSION sort_buffer_size = 100000, autocommit = 0")
	}
	if shared(a) != shared(b) || shared(a) == shared(c) {
		t.Error("two sessions that have set the same have different values, or a third one has theirs")
	}
	mustRun(t, b, "SET NAMES latin1")
	if shared(a) == shared(b) {
		t.Error("two sessions that have set different values have the same")
	}
	mustRun(t, b, "SET NAMES utf8mb4")
	mustRun(t, a, "SET autocommit = 1, sort_buffer_size = DEFAULT")
	if shared(a) != shared(c) {
		t.Error("a session that has set nothing else than the defaults has values of its own")
	}
	for s, want := range map[*sqlSession]string{a: "1|262144", b: "0|100000", c: "1|262144"} {
		var got string
		if err := s.conn.QueryRowContext(t.Context(), "SELECT CONCAT(@@autocommit, '|', @@sort_buffer_size)").Scan(&got); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if globals.SessionValues(r.workOf(a.id).Client.Session) == nil {
		t.Error("sessions have no values in common with this version of go-mysql-server")
	}
	// A SET that fails changes nothing, and values that nobody has any more are forgotten.
	if a.try("SET sort_buffer_size = 'x'") == nil {
		t.Error("a text is a size")
	}
	if shared(a) != shared(c) {
		t.Error("a SET that has failed has changed something")
	}
	mustRun(t, b, "SET autocommit = 1, sort_buffer_size = DEFAULT")
	if shared(b) != shared(c) {
		t.Error("a session that has set the defaults again has values of its own")
	}
}

func mustRun(t *testing.T, s *sqlSession, q string) {
	t.Helper()
	if err := s.try(q); err != nil {
		t.Errorf("%s: %v", q, err)
	}
}
