package record

import (
	"math"

	"golang.org/x/sys/unix"
)

// Alive reports whether the process still runs: as long as it does, it holds a lock on the file.
func (r *Recording) Alive() bool {
	fd := int(r.file.Fd())
	if unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB) != nil {
		return true
	}
	_ = unix.Flock(fd, unix.LOCK_UN)
	return false
}

// monotonic is the clock that recorders read, nanoseconds.
func monotonic() uint64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return math.MaxInt64
	}
	return uint64(t.Nano())
}
