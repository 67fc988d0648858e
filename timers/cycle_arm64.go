package timers

// cntvct reads the generic timer's virtual counter, unordered. See cycle_arm64.s.
//
//go:noescape
func cntvct() uint64

// The architecture guarantees that the counter is invariant, and the same on all processors.
const cycleTrusted = true

// ReadCycle reads the Cycle timer, CNTVCT_EL0. Safe for concurrent use.
func ReadCycle() uint64 { return cntvct() }
