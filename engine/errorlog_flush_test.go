package engine

import (
	"os"
	"strings"
	"testing"

	"pfsd/engine/wire"
	"pfsd/tables"
)

// TestFlushLogs: FLUSH LOGS ends a log that has been moved away, and begins a new one.
func TestFlushLogs(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	path := r.options.LogError
	for _, q := range []string{"FLUSH LOGS", "FLUSH ERROR LOGS", "FLUSH NO_WRITE_TO_BINLOG LOGS"} {
		if err := os.Rename(path, path+".old"); err != nil {
			t.Fatal(err)
		}
		r.exec(t, q)
		c := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
		c.write(commandOf(wire.ComDebug)) // which is logged
		c.read()
		if b, err := os.ReadFile(path); err != nil || strings.Count(string(b), "\n") != 1 || !strings.Contains(string(b), "Status information") {
			t.Errorf("%s: the new log is %q, %v", q, b, err)
		}
	}
	for _, q := range []string{"FLUSH BINARY LOGS", "FLUSH ENGINE LOGS", "FLUSH GENERAL LOGS", "FLUSH RELAY LOGS", "FLUSH SLOW LOGS"} {
		r.exec(t, q)
	}
	r.exec(t, "CREATE USER nobody")
	c, err := r.enter(t, "nobody")
	if err == nil {
		_, err = c.ExecContext(t.Context(), "FLUSH LOGS")
	}
	if got := code(err); !strings.HasPrefix(got, "1227 42000") {
		t.Errorf("without RELOAD: %s", got)
	}
}

// TestShowReplicas: nobody replicates from here.
func TestShowReplicas(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.want(t, "SHOW REPLICAS")
	rows, err := r.db.Query("SHOW REPLICAS")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	if got, _ := rows.Columns(); strings.Join(got, " ") != "Server_Id Host Port Source_Id Replica_UUID" {
		t.Errorf("columns %q", got)
	}
	r.exec(t, "CREATE USER nobody")
	c, err := r.enter(t, "nobody")
	if err == nil {
		_, err = c.ExecContext(t.Context(), "SHOW REPLICAS")
	}
	if got := code(err); !strings.HasPrefix(got, "1227 42000") {
		t.Errorf("without REPLICATION SLAVE: %s", got)
	}
}
