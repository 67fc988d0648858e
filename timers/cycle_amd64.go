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

// invariantTSC is CPUID's word on whether the counter runs at one rate in all states.
//
//go:noescape
func invariantTSC() bool

// cycleTrusted: the counter is invariant, and the kernel keeps time by it. Where there is
// no word from the kernel, the processor's must do.
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

// readCycle is the time stamp counter if it is trusted, else the monotonic clock. Called
// through a func value, the assembly needs no wrapper.
var readCycle = func() func() uint64 {
	if cycleTrusted {
		return *(*func() uint64)(unsafe.Pointer(&rdtscValue))
	}
	return func() uint64 { return uint64(time.Since(epoch)) }
}()

// ReadCycle reads the Cycle timer, the time stamp counter. Safe for concurrent use.
func ReadCycle() uint64 { return readCycle() }
