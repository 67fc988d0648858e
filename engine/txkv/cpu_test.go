//go:build unix

package txkv

import (
	"syscall"
	"testing"
)

// processor reports the processor's time of an operation, which other programs on the machine change less than
// the clock's. The function that it returns is called when all are done.
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
