package timers

import (
	"os"
	"strings"
	"time"
	"unsafe"
)

// rdtscAddress is the address of a function that reads the time stamp counter, unordered.
// See cycle_amd64.s.
//
//go:noescape
func rdtscAddress() uintptr

// invariantTSC reports whether, according to CPUID, the counter runs at the same rate in all power
// states.
//
//go:noescape
func invariantTSC() bool

// cycleTrusted says that the counter is invariant and that the kernel uses it as its clock. If the
// kernel's choice is not known, CPUID alone decides.
var cycleTrusted = invariantTSC() && kernelTrustsTSC()

func kernelTrustsTSC() bool {
	b, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err != nil {
		return true
	}
	switch strings.TrimSpace(string(b)) {
	case "tsc", "kvm-clock", "hyperv_clocksource_tsc_page":
		return true
	}
	return false
}

// A func value is a pointer to a word that holds the address of the code.
var rdtscValue = &struct{ pc uintptr }{rdtscAddress()}

// readCycle reads the time stamp counter if it is trusted, else the monotonic clock. The assembly
// function is called through a func value, because then it needs no wrapper.
var readCycle = func() func() uint64 {
	if cycleTrusted {
		return *(*func() uint64)(unsafe.Pointer(&rdtscValue))
	}
	return func() uint64 { return uint64(time.Since(epoch)) }
}()

// ReadCycle reads the Cycle timer, the time stamp counter. Safe for concurrent use.
func ReadCycle() uint64 { return readCycle() }
