package engine

import (
	"log/slog"
	"testing"
)

// error_log has what the program logs by slog, as far as log_error_verbosity lets it.
func TestProgramLog(t *testing.T) {
	s := serveAll(t, Options{})
	log := slog.New(s.ProgramLog())
	log.Info("nobody reads this")
	log.Warn("disk is nearly full", "free", "3%")
	var prio, data string
	if err := s.db.QueryRow("SELECT PRIO, DATA FROM performance_schema.error_log WHERE SUBSYSTEM = 'Program'").Scan(&prio, &data); err != nil {
		t.Fatal(err)
	}
	if prio != "Warning" || data != "disk is nearly full free=3%" {
		t.Errorf("%s %q", prio, data)
	}
}
