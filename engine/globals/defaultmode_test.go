package globals

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/mends/mendtest"
)

// TestDefaultMode checks that go-mysql-server parses each mode that is not its default, and that
// DefaultMode can replace the default.
func TestDefaultMode(t *testing.T) {
	own := sql.DefaultSqlMode
	defer DefaultMode(own)
	parses := func(mode string) bool { // false if the mode comes from the cache
		first, second := sql.NewSqlModeFromString(mode), sql.NewSqlModeFromString(mode)
		return first != second
	}
	const mode = "ANSI_QUOTES,NO_ZERO_DATE"
	if !parses(mode) || parses(own) {
		mendtest.NoLongerNeeded(t, "defaultmode.go")
	}
	DefaultMode(mode)
	if parses(mode) || !parses(own) {
		t.Error("the default is not", mode)
	}
	for m, want := range map[string]bool{mode: true, own: false} {
		got := sql.NewSqlModeFromString(m)
		if got.AnsiQuotes() != want || got.ModeEnabled("NO_ZERO_DATE") != want || got.ModeEnabled(sql.StrictTransTables) == want {
			t.Errorf("%s is %s", m, got)
		}
	}
	if got := sql.NewSqlModeFromString(mode).String(); got != mode {
		t.Errorf("%s is %s", mode, got)
	}
}
