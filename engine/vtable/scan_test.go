package vtable

import (
	"testing"
	"time"

	"pfsd/tables"
)

// A moment that becomes a value of go-mysql-server and comes back is the same.
func TestMomentsSurviveTheExecutor(t *testing.T) {
	at := tables.Time(time.Now())
	k := &tables.Kind{Type: tables.TypeTimestamp, Len: 6}
	for _, zone := range []*time.Location{time.Local, time.UTC, time.FixedZone("+05:30", 19800)} {
		if got := unbox(box(k, at, zone), zone); got != at {
			t.Errorf("%v: got %v, want %v", zone, got.Time(), at.Time())
		}
	}
}
