package vtable

import (
	"testing"
	"time"

	"pfsd/tables"
)

// A time that is converted to a value of go-mysql-server and back is the same.
func TestMomentsSurviveTheExecutor(t *testing.T) {
	at := tables.Time(time.Now())
	k := &tables.Kind{Type: tables.TypeTimestamp, Len: 6}
	for _, zone := range []*time.Location{time.Local, time.UTC, time.FixedZone("+05:30", 19800)} {
		if got := unbox(box(k, at, zone), zone); got != at {
			t.Errorf("%v: got %v, want %v", zone, got.Time(), at.Time())
		}
	}
}
