package timers

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// readThreadCPU returns the CPU time of the current OS thread, nanoseconds. The system call does
// not block, so Go's scheduler need not be told about it.
func readThreadCPU() (uint64, bool) {
	var ts unix.Timespec
	if _, _, errno := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_THREAD_CPUTIME_ID, uintptr(unsafe.Pointer(&ts)), 0); errno != 0 {
		return 0, false
	}
	return uint64(ts.Nano()), true
}
