//go:build unix

package profiling

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
			r.Nvcsw, r.Nivcsw, r.Inblock, r.Oublock, r.Msgsnd, r.Msgrcv,
			r.Majflt, r.Minflt, r.Nswap,
		},
	}
}
