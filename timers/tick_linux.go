package timers

import "golang.org/x/sys/unix"

// tickFrequency is USER_HZ, which is 100 on every Linux that Go runs on.
const tickFrequency = 100

func readTick() uint64 {
	var t unix.Tms
	n, err := unix.Times(&t)
	if err != nil {
		return 0
	}
	return uint64(n)
}
