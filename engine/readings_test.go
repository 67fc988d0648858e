package engine

import (
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// countedReadings is a model that counts the readings that statements have of it, and those that nobody has any more.
type countedReadings struct {
	tables.Model
	made, left *atomic.Int64
}

func (m countedReadings) Reading() tables.Model {
	one := &struct {
		tables.Model
		_ [64]byte
	}{Model: m.Model}
	m.made.Add(1)
	runtime.AddCleanup(one, func(left *atomic.Int64) { left.Add(1) }, m.left)
	return one
}

// What a statement has read of a program is large, and is not kept until the connection sends the next one.
func TestReadingsAreNotKept(t *testing.T) {
	if os.Getenv("READINGS_ALONE") == "" { // servers of other tests in this process may still have what they read
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestReadingsAreNotKept$", "-test.timeout=3m")
		cmd.Env = append(os.Environ(), "READINGS_ALONE=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	reg := instr.NewRegistry()
	m := countedReadings{tables.Of(reg), new(atomic.Int64), new(atomic.Int64)}
	r := serve(t, Options{Registry: reg, Model: m}, tables.All()...)
	for _, q := range []string{"SELECT COUNT(*) FROM threads", "SELECT * FROM sys.processlist LIMIT 3", "SELECT COUNT(*) FROM sys.what_waits", "SELECT t.NAME FROM threads t JOIN events_waits_current w USING (THREAD_ID)", "SELECT MAX(NAME) FROM threads GROUP BY TYPE"} {
		before := m.made.Load()
		r.query(t, q)
		if m.made.Load() == before {
			t.Errorf("%s has no reading", q)
		}
		eventually(t, q+" is over, and nobody has what it has read", func() bool {
			runtime.GC()
			return m.left.Load() == m.made.Load()
		})
	}
}
