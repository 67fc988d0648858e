package processor

import "syscall"

// Awake wakes the monitor of Go's scheduler if it sleeps: any call of the system does that which the scheduler is told of. What
// has been begun by a read that it was not told of, and takes long, calls it, so that the program's other goroutines get their turn. Safe for concurrent
// use; it takes a tenth of a microsecond if the monitor is awake.
func Awake() { _, _, _ = syscall.Syscall(syscall.SYS_GETPID, 0, 0, 0) }
