package tables

import (
	"testing"

	"pfsd/instr"
)

// populate gives every table rows: n threads that have waited, objects of several classes,
// some of them held.
func populate(t testing.TB, reg *instr.Registry, n int) {
	t.Helper()
	classes := []string{"test/a", "test/b", "test/c"}
	mutexes := make([]*instr.Mutex, 10)
	for i := range mutexes {
		mutexes[i] = reg.NewMutex(classes[i%len(classes)])
	}
	t.Cleanup(func() {
		for _, m := range mutexes[:6] {
			m.Unlock()
		}
	})
	threadsIn(t, reg, n, func(i int, _ *instr.Thread) {
		lock(mutexes[6+i%4], 3)
		if i < 6 {
			mutexes[i].Lock()
		}
	})
}
