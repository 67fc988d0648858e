//go:build unix

package txkv

import (
	"syscall"
	"testing"
)

// processor reports the CPU time of an operation. Other programs on the machine change it less than
// the elapsed time. The benchmark calls the returned function after all operations.
func processor(b *testing.B) func() {
	used := func() int64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return u.Utime.Nano() + u.Stime.Nano()
	}
	start := used()
	return func() { b.ReportMetric(float64(used()-start)/float64(b.N), "cpu-ns/op") }
}
