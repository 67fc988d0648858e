//go:build !amd64 && !arm64

package timers

import "time"

const cycleTrusted = false

// ReadCycle reads the monotonic clock, nanoseconds, as no cycle counter is known here.
// Safe for concurrent use.
func ReadCycle() uint64 { return uint64(time.Since(epoch)) }
