package storage

import (
	"runtime"
	"testing"
	"weak"

	"github.com/dolthub/go-mysql-server/sql"
)

// TestClearedWarningsAreForgotten: what is not charged any more is not referred to any more.
func TestClearedWarningsAreForgotten(t *testing.T) {
	s := &Session{BaseSession: sql.NewBaseSession()}
	var all []weak.Pointer[sql.Warning]
	for range 10 * warnedKept {
		w := &sql.Warning{Message: "some"}
		all = append(all, weak.Make(w))
		s.Warn(w)
	}
	if n := len(s.Warnings()); n != len(all) || int(s.WarningCount()) != n {
		t.Fatalf("%d warnings, count %d, of %d", n, s.WarningCount(), len(all))
	}
	s.LockWarnings()
	s.ClearWarnings()
	if int(s.WarningCount()) != len(all) {
		t.Error("warnings that are locked were cleared")
	}
	s.UnlockWarnings()
	s.ClearWarnings()
	runtime.GC()
	for i, w := range all {
		if w.Value() != nil {
			t.Fatalf("the session refers to warning %d", i)
		}
	}
	if len(s.Warnings()) != 0 || s.WarningCount() != 0 || cap(s.warned) > warnedKept {
		t.Errorf("%d warnings, count %d, %d places", len(s.Warnings()), s.WarningCount(), cap(s.warned))
	}
	runtime.KeepAlive(s)
}
