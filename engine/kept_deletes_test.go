package engine

import "testing"

// TestKeptDeletesBelongToTheirSession: a DELETE from a table that others refer to, which comes again and again, deletes in the transaction of
// the session that executes it. Its plan has what deletes for one session, so that no plan of it is kept.
func TestKeptDeletesBelongToTheirSession(t *testing.T) {
	r := serve(t, Options{})
	r.exec(t, "CREATE TABLE test.parent (id INT PRIMARY KEY)")
	r.exec(t, "CREATE TABLE test.child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES test.parent (id) ON DELETE CASCADE)")
	r.exec(t, "INSERT INTO test.parent VALUES (1), (2), (3), (4), (5), (6), (7)")
	r.exec(t, "INSERT INTO test.child VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7)")
	const deletes = "DELETE FROM test.parent WHERE id = ?"
	a, _ := r.conn(t)
	b, _ := r.conn(t)
	for id := 1; id <= 3; id++ { // so often that a plan would be kept
		if _, err := a.ExecContext(t.Context(), deletes, id); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.ExecContext(t.Context(), "BEGIN"); err != nil {
		t.Fatal(err)
	}
	for id := 4; id <= 7; id++ {
		if _, err := b.ExecContext(t.Context(), deletes, id); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.kept.Counts().Plans; n != 0 {
		t.Errorf("%d plans are kept, with what deletes for one session", n)
	}
	for _, table := range []string{"test.parent", "test.child"} {
		if got := answerOf(t, b, "SELECT COUNT(*) FROM "+table); got != "0" {
			t.Errorf("who has deleted sees %s rows of %s", got, table)
		}
		if got := answerOf(t, a, "SELECT COUNT(*) FROM "+table); got != "4" {
			t.Errorf("others see %s rows of %s before the commit", got, table)
		}
	}
	if _, err := b.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"test.parent", "test.child"} {
		if got := answerOf(t, a, "SELECT COUNT(*) FROM "+table); got != "4" {
			t.Errorf("%s rows of %s are left after the rollback", got, table)
		}
	}
}
