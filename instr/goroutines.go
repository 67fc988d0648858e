package instr

import (
	"bytes"
	"iter"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// Goroutine is what the runtime knows of a goroutine, and which thread it is.
type Goroutine struct {
	ID       uint64
	ThreadID uint64 // 0 if it is no thread of the registry
	// State is running, runnable, syscall or waiting, or another word of the runtime's. WaitReason is what a waiting one waits for, as in stack
	// traces: "chan receive", "IO wait", "sync.Mutex.Lock"; "" of others.
	State, WaitReason string
	// Since is when a garbage collection first found it waiting, to the minute; zero if it has waited for less than a minute since.
	Since          time.Time
	LockedToThread bool // see runtime.LockOSThread
	LockUnknown    bool // whether LockedToThread is not known: that of a recording
	Leaked         bool // see GoroutineLeaks
	// Function and Source are where it is, outside of package runtime; StartFunction is where it began.
	Function, Source, StartFunction string
	// Own is the file and line of the innermost function in the main module that it is in; "" if it is in none.
	Own string
	// Parent is the goroutine that started it, by Creator at the file and line Created; zero values of the first one.
	Parent           uint64
	Creator, Created string
	// Labels are those of package pprof, as {"key":"value", "key":"value"} in the order of keys; "" if it has none, or if goroutines with
	// the same stack have others.
	Labels string
	Stack  string // the trace, innermost call first
}

// maxGoroutineText is how long the text of a profile can be, in bytes: about 100,000 goroutines with short stacks.
const maxGoroutineText = 32 << 20

// fewGoroutines is up to how many goroutines a profile may be taken at any time.
const fewGoroutines = 1000

// profile is the last one that was taken of more than fewGoroutines; all registries share it, as there is one runtime.
var profile struct {
	sync.Mutex
	goroutines []Goroutine // nil: the next reader takes one
	size       int         // bytes of text of the last one
	lost       int
}

// Goroutines returns all goroutines of the program by the runtime's own profile, which stops the program while it is taken, about
// 4 microseconds a goroutine, and finds pprof labels by a second one, which does not. So that readers cannot stop the program
// again and again, a profile of more than a thousand goroutines is used again by all calls within ten times the time that it
// took. Goroutines whose stacks have no room in 32 MiB of text are left out: see GoroutinesLost. Safe for concurrent use; the
// slice is the caller's.
func (h Reader) Goroutines() []Goroutine {
	all := profiled()
	for i := range all {
		if t := h.r.threadByGoroutine(all[i].ID); t != nil {
			all[i].ThreadID = t.ID()
		}
	}
	return all
}

// GoroutinesLost is how many goroutines the last profile has left out. Safe for concurrent use.
func (h Reader) GoroutinesLost() int {
	profile.Lock()
	defer profile.Unlock()
	return profile.lost
}

// leaks is the last look for leaked goroutines.
var leaks struct {
	sync.Mutex
	goroutines []Goroutine
	until      time.Time // when another look may be taken
}

// GoroutineLeaks returns the goroutines that wait for something that nobody can reach any more, by the runtime's profile
// goroutineleak; nil where the runtime has none, as Go 1.26 without GOEXPERIMENT=goroutineleakprofile. It is a garbage collection
// that finds them, so a look serves all calls within ten times the time that it took. Safe for concurrent use; the slice is the
// caller's.
func (h Reader) GoroutineLeaks() []Goroutine {
	profile := pprof.Lookup("goroutineleak")
	if profile == nil {
		return nil
	}
	leaks.Lock()
	defer leaks.Unlock()
	if begun := time.Now(); begun.After(leaks.until) {
		text := limitedText{most: maxGoroutineText}
		_ = profile.WriteTo(&text, 2) // fails only where the text is too long: then those that are in it are returned
		leaks.goroutines = slices.DeleteFunc(parseGoroutines(string(text.bytes), begun), func(g Goroutine) bool { return !g.Leaked })
		now := time.Now()
		leaks.until = now.Add(10 * now.Sub(begun))
	}
	all := slices.Clone(leaks.goroutines)
	for i := range all {
		if t := h.r.threadByGoroutine(all[i].ID); t != nil {
			all[i].ThreadID = t.ID()
		}
	}
	return all
}

// limitedText is a writer that keeps the first so many bytes.
type limitedText struct {
	bytes []byte
	most  int
}

// Write implements io.Writer.
func (t *limitedText) Write(b []byte) (int, error) {
	t.bytes = append(t.bytes, b[:min(len(b), t.most-len(t.bytes))]...)
	return len(b), nil
}

// profiled returns a copy of the last profile, or a new one.
func profiled() []Goroutine {
	profile.Lock()
	defer profile.Unlock()
	if profile.goroutines != nil {
		return slices.Clone(profile.goroutines)
	}
	all, took := takeProfile()
	if len(all) <= fewGoroutines {
		return all
	}
	profile.goroutines = all
	time.AfterFunc(10*took, func() {
		profile.Lock()
		defer profile.Unlock()
		profile.goroutines = nil
	})
	return slices.Clone(all)
}

// takeProfile takes a profile, and returns how long that stopped the program. The caller has locked
// profile.
func takeProfile() (all []Goroutine, took time.Duration) {
	size := max(profile.size+profile.size/4, runtime.NumGoroutine()<<10, 1<<16)
	for {
		text := make([]byte, min(size, maxGoroutineText))
		begun := time.Now()
		n := runtime.Stack(text, true)
		took += time.Since(begun)
		if n == len(text) && n < maxGoroutineText {
			size *= 2
			continue
		}
		profile.size, profile.lost = n, 0
		// From here on the buffer does not change: the text shares its memory.
		all = parseGoroutines(unsafe.String(unsafe.SliceData(text), n), begun)
		if n == maxGoroutineText {
			all = all[:len(all)-1] // its stack is cut
			profile.lost = max(1, runtime.NumGoroutine()-len(all))
		}
		addLabels(all)
		return all, took
	}
}

// parseGoroutines reads the traces that runtime.Stack has written at a time.
func parseGoroutines(text string, now time.Time) (all []Goroutine) {
	for text != "" {
		trace, rest, _ := strings.Cut(text, "\n\n")
		text = rest
		if g, ok := parseGoroutine(strings.TrimSuffix(trace, "\n"), now); ok {
			all = append(all, g)
		}
	}
	return all
}

// parseGoroutine reads one trace: a line such as "goroutine 7 [chan receive, 5 minutes, locked to thread]:", and two lines for each call.
func parseGoroutine(trace string, now time.Time) (g Goroutine, ok bool) {
	header, stack, _ := strings.Cut(trace, "\n")
	header, ok = strings.CutPrefix(header, "goroutine ")
	number, words, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(header, ":"), "]"), " [")
	number, _, _ = strings.Cut(number, " ") // addresses, at GOTRACEBACK=system
	id, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil {
		return g, false
	}
	g.ID, g.Stack = id, stack
	if before, labels, found := strings.Cut(words, " labels:"); found {
		words, g.Labels = before, strings.ReplaceAll(labels, `": "`, `":"`)
	}
	state, more, _ := strings.Cut(words, ", ")
	state, g.Leaked = strings.CutSuffix(strings.TrimSuffix(state, " (scan)"), " (leaked)")
	g.setState(state)
	for word := range strings.SplitSeq(more, ", ") {
		if minutes, is := strings.CutSuffix(word, " minutes"); is {
			if n, err := strconv.Atoi(minutes); err == nil {
				g.Since = now.Add(-time.Duration(n) * time.Minute)
			}
		}
		g.LockedToThread = g.LockedToThread || word == "locked to thread"
	}
	for function, place := range calls(stack) {
		if creator, is := strings.CutPrefix(function, "created by "); is {
			creator, parent, _ := strings.Cut(creator, " in goroutine ")
			g.Parent, _ = strconv.ParseUint(parent, 10, 64)
			g.Creator, g.Created = creator, place
			continue
		}
		function = withoutArguments(function)
		if g.Own == "" && isOwn(function, mainModule()) {
			g.Own = place
		}
		if g.StartFunction = function; g.Source == "" && !inRuntime(function) {
			g.Function, g.Source = function, place
		}
	}
	return g, true
}

// setState sets State and WaitReason by the trace's word for the state, which is the reason if the
// goroutine waits.
func (g *Goroutine) setState(word string) {
	switch word {
	case "idle", "runnable", "running", "syscall", "dead", "copystack", "leaked", "preempted":
		g.State = word
	default:
		g.State, g.WaitReason = "waiting", word
	}
}

// calls yields the calls of a trace: the line with the function, and the file and line without directories.
func calls(stack string) iter.Seq2[string, string] {
	return func(yield func(function, place string) bool) {
		for stack != "" {
			var function, place string
			if function, stack, _ = strings.Cut(stack, "\n"); strings.HasPrefix(function, "...") || strings.HasPrefix(function, "\t") {
				continue // calls are left out here, or there is no stack
			}
			place, stack, _ = strings.Cut(stack, "\n")
			place, _, _ = strings.Cut(strings.TrimPrefix(place, "\t"), " +")
			if !yield(function, place[strings.LastIndexAny(place, "/\\")+1:]) {
				return
			}
		}
	}
}

// withoutArguments is the function of a call such as "pkg.(*T).run(0xc000012345, {0x1, 0x2})".
func withoutArguments(call string) string {
	if i := strings.LastIndexByte(call, '('); i > 0 {
		return call[:i]
	}
	return call
}

func inRuntime(function string) bool { return strings.HasPrefix(function, "runtime.") }

// addLabels sets the labels of the goroutines whose traces lack them. The profile that has them has no ids, but stacks.
func addLabels(all []Goroutine) {
	var text bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&text, 1); err != nil || !bytes.Contains(text.Bytes(), []byte("\n# labels: {")) {
		return
	}
	byStack := labelsByStack(text.String())
	for i := range all {
		if g := &all[i]; g.Labels == "" {
			var stack strings.Builder
			for function, place := range calls(g.Stack) {
				if !strings.HasPrefix(function, "created by ") {
					addCall(&stack, withoutArguments(function), place)
				}
			}
			g.Labels = byStack[stack.String()]
		}
	}
}

// labelsByStack reads a profile of goroutines in its text form: a record has a line with addresses, perhaps one with labels, and
// one for each call. A stack that occurs with several sets of labels gets none.
func labelsByStack(text string) map[string]string {
	labels := map[string]string{}
	for record := range strings.SplitSeq(text, "\n\n") {
		var of string
		var stack strings.Builder
		for line := range strings.SplitSeq(record, "\n") {
			if l, is := strings.CutPrefix(line, "# labels: "); is {
				of = l
			} else if fields := strings.Fields(line); len(fields) >= 4 && fields[0] == "#" {
				function, _, _ := strings.Cut(fields[2], "+0x")
				addCall(&stack, function, filepath.Base(fields[len(fields)-1]))
			}
		}
		if other, known := labels[stack.String()]; known && other != of {
			of = ""
		}
		labels[stack.String()] = of
	}
	return labels
}

// addCall adds a call to the text by which stacks are compared. Calls in package runtime are left
// out, because the two profiles show different ones.
func addCall(stack *strings.Builder, function, place string) {
	if !inRuntime(function) {
		stack.WriteString(function)
		stack.WriteByte(' ')
		stack.WriteString(place)
		stack.WriteByte('\n')
	}
}

// mainModule is the path of the program's main module, "" if that is unknown.
var mainModule = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Path
})

// isOwn reports whether a function belongs to a module or to package main.
func isOwn(function, module string) bool {
	rest, ok := strings.CutPrefix(function, module)
	return strings.HasPrefix(function, "main.") || ok && module != "" && rest != "" && (rest[0] == '.' || rest[0] == '/')
}
