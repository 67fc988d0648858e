//go:build unix

package engine

import (
	"time"

	"golang.org/x/sys/unix"
)

// processUsage is what the process has used so far.
func processUsage() (u usage) {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return u
	}
	return usage{
		user: time.Duration(r.Utime.Nano()), system: time.Duration(r.Stime.Nano()), known: true,
		counts: [9]int64{
			int64(r.Nvcsw), int64(r.Nivcsw), int64(r.Inblock), int64(r.Oublock), int64(r.Msgsnd), int64(r.Msgrcv),
			int64(r.Majflt), int64(r.Minflt), int64(r.Nswap),
		},
	}
}
