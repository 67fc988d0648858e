package mendtest

import (
	"runtime"
	"testing"
)

// NoLongerNeeded fails the test: go-mysql-server does without the mend in file what MySQL does.
func NoLongerNeeded(t testing.TB, file string) {
	t.Helper()
	t.Errorf("go-mysql-server does what MySQL does: %s can go", file)
}

// Allocated returns how many bytes f, and what else runs, allocate.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
