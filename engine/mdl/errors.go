package mdl

import "errors"

// ErrTimeout is returned when a lock has not been granted within the timeout.
var ErrTimeout = errors.New("mdl: lock wait timeout exceeded")

// ErrDeadlock is returned to the victim of a deadlock.
var ErrDeadlock = errors.New("mdl: deadlock")
