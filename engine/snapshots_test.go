package engine

import (
	"strings"
	"testing"

	"pfsd/tables"
)

// Snapshots are there after a restart; what was waited between two is compared if one run of the server took both.
func TestSnapshotsOfWaits(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir}, tables.All()...)
	r.exec(t, "CREATE TABLE test.t (id INT PRIMARY KEY)")
	r.exec(t, "INSERT INTO test.t VALUES (0)")
	r.exec(t, "CALL sys.snapshot('before deploy')")
	for _, id := range []string{"1", "2", "3"} {
		r.exec(t, "INSERT INTO test.t VALUES ("+id+")")
	}
	r.exec(t, "CALL sys.snapshot('after deploy')")
	results, err := called(t, r.db, "CALL sys.compare_snapshots('before deploy', 'after deploy')")
	if err != nil || len(results) != 1 || results[0][0] != "event|per_second|mean_ms|waiting" || !strings.Contains(strings.Join(results[0], "\n"), "wait/io/file/") {
		t.Errorf("%v, %v", results, err)
	}
	const grown = "SELECT b.COUNT_STAR - a.COUNT_STAR FROM events_waits_snapshot a JOIN events_waits_snapshot b USING (EVENT_NAME) WHERE a.SNAPSHOT_NAME = 'before deploy' AND b.SNAPSHOT_NAME = 'after deploy' AND EVENT_NAME = 'wait/io/table/sql/handler'"
	r.want(t, grown, "3")
	all := r.query(t, "SELECT * FROM events_waits_snapshot")
	r.stop()

	r = serve(t, Options{DataDir: dir}, tables.All()...)
	r.want(t, "SELECT * FROM events_waits_snapshot", all...)
	r.want(t, grown, "3")
	r.exec(t, "CALL sys.snapshot('another run')")
	if _, err := r.db.ExecContext(t.Context(), "CALL sys.compare_snapshots('after deploy', 'another run')"); err == nil || !strings.Contains(err.Error(), "The server was started between") {
		t.Errorf("%v", err)
	}
	if _, err := r.db.ExecContext(t.Context(), "CALL sys.snapshot('another run')"); code(err) != "1062 23000 Duplicate entry 'another run' for key 'events_waits_snapshot.PRIMARY'" {
		t.Errorf("%v", err)
	}
	r.exec(t, "CALL sys.drop_snapshot('before deploy')")
	r.want(t, "SELECT DISTINCT SNAPSHOT_NAME FROM events_waits_snapshot", "after deploy", "another run")
}

// An account needs EXECUTE for the procedures, INSERT on the table to take a snapshot, DELETE and SELECT to forget one, DROP to forget
// all, and SELECT to see any.
func TestSnapshotsAccess(t *testing.T) {
	r := serveAll(t, Options{})
	r.exec(t, "CALL sys.snapshot('of root')")
	r.exec(t, "CREATE USER ann IDENTIFIED BY 'x'")
	c, err := r.enter(t, "ann:x")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ grant, needs, statement string }{
		{"EXECUTE ON sys.*", "1370", "CALL sys.snapshot('of ann')"},
		{"INSERT ON performance_schema.events_waits_snapshot", "1142", "CALL sys.snapshot('of ann')"},
		{"SELECT ON performance_schema.events_waits_snapshot", "1142", "SELECT * FROM performance_schema.events_waits_snapshot"},
		{"DELETE ON performance_schema.events_waits_snapshot", "1142", "CALL sys.drop_snapshot('of root')"},
		{"DROP ON performance_schema.events_waits_snapshot", "1142", "TRUNCATE TABLE performance_schema.events_waits_snapshot"},
	} {
		if _, err := c.ExecContext(t.Context(), step.statement); err == nil || !strings.HasPrefix(code(err), step.needs+" ") {
			t.Errorf("%s without %s: %v", step.statement, step.grant, err)
		}
		r.exec(t, "GRANT "+step.grant+" TO ann")
		if step.needs == "1370" {
			continue
		}
		if _, err := c.ExecContext(t.Context(), step.statement); err != nil {
			t.Errorf("%s with %s: %v", step.statement, step.grant, err)
		}
	}
	if _, err := c.ExecContext(t.Context(), "CALL sys.drop_snapshot('of ann')"); !strings.HasPrefix(code(err), "1644 45000 There is no snapshot") {
		t.Errorf("%v", err)
	}
	r.want(t, "SELECT COUNT(*) FROM events_waits_snapshot", "0")
}
