package tables

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pfsd/instr"
)

// lookedAt is a model whose goroutines and present a test sets.
type lookedAt struct {
	Model
	goroutines []instr.Goroutine
	at         time.Time
	ended      bool
}

func (m *lookedAt) Goroutines() []instr.Goroutine { return m.goroutines }
func (m *lookedAt) Moment() (time.Time, bool)     { return m.at, m.ended }

// started makes goroutines that one line has started and that have waited for so many seconds.
func (m *lookedAt) started(line string, seconds ...int) {
	for _, s := range seconds {
		m.goroutines = append(m.goroutines, instr.Goroutine{State: "waiting", WaitReason: "chan send", Created: line, Source: "main.go:9", Since: m.at.Add(-time.Duration(s) * time.Second)})
	}
}

// The number of each group is compared with the first time and the last; what was not looked at is not known.
func TestGoroutineGroups(t *testing.T) {
	m := &lookedAt{Model: Of(instr.NewRegistry()), at: time.Unix(1000, 0)}
	look := func(want ...string) {
		t.Helper()
		var got []string
		for _, def := range All() {
			if def.Name() != "goroutine_groups" {
				continue
			}
			cols := []int{1, 6, 7, 9, 10} // CREATED_AT, GOROUTINES, TIMER_OLDEST, GROWN, SHRUNK
			values := make([]Value, len(cols))
			for c := def.Scan(m, cols, nil); c.Next(values); {
				var cells []string
				for _, v := range values {
					n, isNumber := v.Uint()
					switch {
					case v.IsNull():
						cells = append(cells, "NULL")
					case v.IsText() || !isNumber:
						cells = append(cells, v.Str())
					default:
						cells = append(cells, strconv.FormatUint(n, 10))
					}
				}
				got = append(got, strings.Join(cells, "|"))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	m.started("leak.go:1", 3, 5)
	m.started("pool.go:2", 1, 1, 1)
	m.goroutines = append(m.goroutines, instr.Goroutine{State: "running", Created: "leak.go:1"})
	look("leak.go:1|2|5000000000000|NULL|NULL", "pool.go:2|3|1000000000000|NULL|NULL")
	m.started("leak.go:1", 1)
	m.started("new.go:3", 0, 0)
	m.goroutines = slices.DeleteFunc(m.goroutines, func(g instr.Goroutine) bool { return g.Created == "pool.go:2" })
	m.started("pool.go:2", 1)
	look("leak.go:1|3|5000000000000|1|NO", "new.go:3|2|0|2|NO", "pool.go:2|1|1000000000000|0|YES")
	m.started("pool.go:2", 1, 1, 1, 1)
	look("leak.go:1|3|5000000000000|1|NO", "new.go:3|2|0|2|NO", "pool.go:2|5|1000000000000|2|YES")
	m.goroutines = nil
	look()
	m.started("new.go:3", 0, 0)
	look("new.go:3|2|0|2|YES")

	dead := &lookedAt{Model: Of(instr.NewRegistry()), at: time.Unix(1000, 0), ended: true}
	dead.started("leak.go:1", 7)
	m = dead
	for range 2 {
		look("leak.go:1|1|7000000000000|NULL|NULL")
	}
}
