//go:build amd64 || arm64

package instr

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"
)

// goroutineOffsets are found by trial, as goidOffset is: several goroutines with different parents look
// in their own descriptors for the values that they know.
var goroutineOffsets = findDescriptor()

// Values of the status word: Go's _Grunning, _Gwaiting, _Gdead and the flag _Gscan.
const (
	statusRunning = 2
	statusWaiting = 4
	statusDead    = 6
	statusScan    = 0x1000
)

// trials has what these goroutines have found.
var trials struct {
	sync.Mutex
	starts, parents [][]uintptr // for each goroutine, the offsets of words with the right value
	descriptors     []uint64
	running         int    // how many had statusRunning
	parent          uint64 // the goroutine that starts the next one
	wait            chan struct{}
	done            sync.WaitGroup
}

// tryDescriptor looks for the entry of this function and for the parent's id.
func tryDescriptor() {
	const lastOffset = 400
	// Until a goroutine has been switched away from, the saved program counter is its start, too.
	runtime.Gosched()
	start := uint64(reflect.ValueOf(tryDescriptor).Pointer())
	g, _ := goroutine(0)
	_, status := goroutine(goidOffset - 8)
	var starts, parents []uintptr
	for offset := uintptr(8); offset <= lastOffset; offset += 8 {
		switch _, word := goroutine(offset); word {
		case start:
			starts = append(starts, offset)
		case trials.parent:
			parents = append(parents, offset)
		}
	}
	trials.Lock()
	trials.starts, trials.parents = append(trials.starts, starts), append(trials.parents, parents)
	trials.descriptors = append(trials.descriptors, g)
	if uint32(status)&^statusScan == statusRunning {
		trials.running++
	}
	trials.Unlock()
	<-trials.wait
	trials.done.Done()
}

func findDescriptor() (d descriptorOffsets) {
	const goroutines = 4
	if goidOffset == 0 {
		return d
	}
	trials.wait = make(chan struct{})
	trials.done.Add(goroutines)
	for i := range goroutines {
		started := make(chan struct{})
		go func() {
			trials.parent = stackGoid()
			go tryDescriptor()
			until(time.Minute, func() bool {
				trials.Lock()
				defer trials.Unlock()
				return len(trials.descriptors) > i
			})
			close(started)
		}()
		<-started
	}
	all := func(status uint32) func() bool {
		return func() bool {
			return !slices.ContainsFunc(trials.descriptors, func(g uint64) bool {
				return uint32(peek(uintptr(g)+goidOffset-8))&^statusScan != status
			})
		}
	}
	// The scheduler decides when the goroutines wait and when they end. The time limits are long
	// enough for a machine under load, and only pass if the status is not in this word.
	ok := trials.running == goroutines && until(time.Second, all(statusWaiting))
	close(trials.wait)
	trials.done.Wait()
	if ok && until(time.Second, all(statusDead)) {
		d.status = goidOffset - 8
	}
	d.start, d.parent = onlyCommon(trials.starts), onlyCommon(trials.parents)
	if d.parent != 0 && d.start == d.parent+24 {
		d.created = d.parent + 8
	}
	trials.starts, trials.parents, trials.descriptors = nil, nil, nil
	return d
}

// until lets other goroutines run until ok is true, at most for d.
func until(d time.Duration, ok func() bool) bool {
	for begin := time.Now(); !ok(); runtime.Gosched() {
		if time.Since(begin) > d {
			return ok()
		}
	}
	return true
}

// onlyCommon returns the one number that all lists have, 0 if there is not exactly one.
func onlyCommon(lists [][]uintptr) (only uintptr) {
	for _, n := range lists[0] {
		if slices.ContainsFunc(lists, func(l []uintptr) bool { return !slices.Contains(l, n) }) {
			continue
		}
		if only != 0 {
			return 0
		}
		only = n
	}
	return only
}

// goroutineEnded reports whether goroutine goid, whose descriptor is at g and which has run, has
// ended. A thread of C keeps its goroutine, whose status is dead between two calls of Go, but such
// a goroutine has no start function.
func goroutineEnded(g uintptr, goid uint64) bool {
	if goidOffset == 0 || goroutineOffsets.status == 0 {
		return false
	}
	return peek(g+goidOffset) != goid || uint32(peek(g+goroutineOffsets.status)) == statusDead && peek(g+goroutineOffsets.start) != 0
}
