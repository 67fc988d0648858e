package main

import (
	"testing"
	"time"
)

// A server that is idle gives memory back that it does not need any more, and one that is not keeps it.
func TestIdleMemory(t *testing.T) {
	ticks := make(chan time.Time)
	end := returnMemory(ticks)
	defer end()
	_, small := heapUse()
	var kept [][]byte
	for range 64 {
		kept = append(kept, make([]byte, 1<<20))
	}
	ticks <- time.Time{}                                  // much was allocated: not idle
	ticks <- time.Time{}                                  // idle, but all is needed; the end of the first tick is certain when it is taken
	if _, has := heapUse(); has < uint64(len(kept))<<20 { // of small, some may not have been needed
		t.Errorf("%d bytes, %d more than before, of which %d are needed", has, has-small, len(kept)<<20)
	}
	kept = nil
	for range 8 {
		kept = append(kept, make([]byte, 1<<20))
	}
	ticks <- time.Time{}
	ticks <- time.Time{}
	ticks <- time.Time{} // the memory has been given back when it is taken
	if _, has := heapUse(); has > small+16<<20 {
		t.Errorf("%d bytes, %d more than before, of which %d are needed", has, has-small, len(kept)<<20)
	}
}
