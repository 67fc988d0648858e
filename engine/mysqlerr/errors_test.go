package mysqlerr

import (
	"errors"
	"fmt"
	"pfsd/tables"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
)

// TestErrorsAreThoseOfTheServer: what the executor's errors become is among the errors that the
// server counts, with the same SQLSTATE.
func TestErrorsAreThoseOfTheServer(t *testing.T) {
	known := map[int]string{}
	for _, e := range All() {
		known[e.Number] = e.SQLState
	}
	numbers := map[int]bool{}
	for _, k := range kinds {
		numbers[k.number] = true
	}
	for _, r := range texts {
		numbers[r.number] = true
	}
	for _, m := range kindNumbers {
		numbers[m.number] = true
	}
	for n := range numbers {
		if state, ok := known[n]; !ok || state != Numbered(n, "").State {
			t.Errorf("%d has %s here, and %q among the errors of the server", n, Numbered(n, "").State, state)
		}
	}
}

// TestTableErrors: what a table says of a write has MySQL's number.
func TestTableErrors(t *testing.T) {
	for err, want := range map[error]string{
		tables.ErrColumnNotUpdatable: "1683 HY000 Invalid performance_schema usage.",
		tables.ErrBadValue:           "1265 01000 Data truncated for column 'TIMER_NAME' at row 1",
		tables.ErrNull:               "1048 23000 Column 'TIMER_NAME' cannot be null",
		tables.ErrTimerNotAvailable:  "1031 HY000 Table storage engine for 'setup_timers' doesn't have this option",
		tables.ErrEmptyName:          "1031 HY000 Table storage engine for 'setup_timers' doesn't have this option",
		tables.ErrOutOfRange:         "1264 22003 Out of range value for column 'TIMER_NAME' at row 1",
		tables.ErrTooLong:            "1406 22001 Data too long for column 'TIMER_NAME' at row 1",
		tables.ErrDuplicate:          "1022 23000 Can't write; duplicate key in table 'setup_timers'",
		tables.ErrNotRead:            "1030 HY000 Got error 168 - 'not read' from storage engine",
		tables.ErrFull:               "1114 HY000 The table 'setup_timers' is full",
	} {
		var e *mysql.SQLError
		if got := OfTable(err, "setup_timers", "TIMER_NAME"); !errors.As(got, &e) || fmt.Sprintf("%d %s %s", e.Num, e.State, e.Message) != want {
			t.Errorf("%v is %v, want %s", err, got, want)
		}
	}
}
