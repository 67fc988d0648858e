package engine

import (
	"fmt"
	"math/bits"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// caughtPanics counts the panics that cost no more than a statement, by where they come from. Safe for
// concurrent use.
type caughtPanics struct {
	mu    sync.Mutex
	count map[string]uint64 // guarded by mu; by the place in the sources
}

// placesMax is how many places a caughtPanics tells apart.
const placesMax = 1000

// report is what the log gets to know of a panic, on the goroutine that has recovered it, "" if nothing: the
// stack the first time that the place panics, and how often it has when that has doubled.
func (c *caughtPanics) report(panicked any, text string) string {
	place := panicPlace()
	c.mu.Lock()
	if c.count == nil {
		c.count = map[string]uint64{}
	}
	if _, known := c.count[place]; !known && len(c.count) >= placesMax {
		place = "other places"
	}
	c.count[place]++
	n := c.count[place]
	c.mu.Unlock()
	switch {
	case n == 1:
		return fmt.Sprintf("%v, in statement %.1000q\n%s", panicked, text, debug.Stack())
	case bits.OnesCount64(n) == 1:
		return fmt.Sprintf("%v, in statement %.1000q, at %s, for the %dth time", panicked, text, place, n)
	}
	return ""
}

// panicPlace is the file and the line where the panic began that has just been recovered: code that has recovered it and panics
// with it again, as the SQL engine's planner does, stands nearer in the stack.
func panicPlace() string {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	place, panics := "an unknown place", false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panics = true
		case panics && !strings.HasPrefix(f.Function, "runtime."):
			place, panics = fmt.Sprintf("%s:%d", f.File, f.Line), false
		}
		if !more {
			return place
		}
	}
}
