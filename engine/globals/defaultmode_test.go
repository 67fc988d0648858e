package globals

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/mends/mendtest"
)

// go-mysql-server still splits what is not the default of its own, and the default may be another.
func TestDefaultMode(t *testing.T) {
	own := sql.DefaultSqlMode
	defer DefaultMode(own)
	read := func(mode string) bool { // and not kept from before
		first, second := sql.NewSqlModeFromString(mode), sql.NewSqlModeFromString(mode)
		return first != second
	}
	const mode = "ANSI_QUOTES,NO_ZERO_DATE"
	if !read(mode) || read(own) {
		mendtest.NoLongerNeeded(t, "defaultmode.go")
	}
	DefaultMode(mode)
	if read(mode) || !read(own) {
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
