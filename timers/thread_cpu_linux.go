package timers

import "golang.org/x/sys/unix"

// readThreadCPU returns the CPU time of the current OS thread, nanoseconds.
func readThreadCPU() (uint64, bool) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		return 0, false
	}
	return uint64(ts.Nano()), true
}
