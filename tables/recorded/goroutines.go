package recorded

import (
	"fmt"
	"strings"
	"time"

	"pfsd/instr"
	"pfsd/instr/record"
)

// waitReasons are the kinds of waits by the runtime's own words, as in stack traces.
var waitReasons = map[record.Kind]string{
	record.Mutex: "sync.Mutex.Lock", record.ReadLock: "sync.RWMutex.RLock", record.WriteLock: "sync.RWMutex.Lock", record.Cond: "sync.Cond.Wait",
	record.WaitGroup: "sync.WaitGroup.Wait", record.Receive: "chan receive", record.Send: "chan send", record.Select: "select", record.Sleep: "sleep",
	record.Network: "IO wait", record.Pool: "database/sql pool", record.HostPool: "net/http connections",
}

// Goroutines returns the goroutines of the recorded program. A goroutine without a wait that is recorded may run, be able to run, be in a
// system call, or wait for the runtime: its state is unknown.
func (m *Model) Goroutines() []instr.Goroutine {
	all, classes := m.rec.Threads(), m.rec.Classes()
	frames := func(class uint32) []record.Frame {
		if class == 0 || int(class) >= len(classes) {
			return nil
		}
		return classes[class].Frames
	}
	stacks := map[uint32]string{} // many goroutines wait at few places
	list := make([]instr.Goroutine, len(all))
	for i, t := range all {
		g := &list[i]
		*g = instr.Goroutine{ID: t.ID, ThreadID: t.ID, State: "unknown", LockUnknown: true, Parent: t.Parent}
		if f := frames(t.Class); len(f) > 0 {
			g.StartFunction = f[0].Function
		}
		if f := frames(t.Place); len(f) > 0 && t.Parent != 0 { // the runtime itself starts the first one
			g.Creator, g.Created = f[0].Function, sourceOf(f[0])
		}
		class := t.Running.Class
		if class == 0 || int(class) >= len(classes) {
			continue
		}
		g.State, g.WaitReason = "waiting", m.waitReason(&classes[class])
		if t.Running.Timed {
			g.Since = m.rec.Info().Started.Add(time.Duration(min(t.Running.Start, 1<<62)))
		}
		f := frames(class)
		for _, f := range f {
			if !strings.HasPrefix(f.Function, "runtime.") {
				g.Function, g.Source = f.Function, sourceOf(f)
				break
			}
		}
		stack, known := stacks[class]
		if !known {
			stack = stackText(f, classes[class].Gap)
			stacks[class] = stack
		}
		g.Stack, g.Own = stack, m.ownText(&classes[class])
	}
	return list
}

// waitReason is what a goroutine in a wait of a class waits for.
func (m *Model) waitReason(c *record.Class) string {
	if reason, ok := waitReasons[c.Kind]; ok {
		return reason
	}
	switch o := operations[c.Op]; c.Kind {
	case record.FileIO:
		return "file " + o.file.String()
	case record.SocketIO:
		return "socket " + o.socket.String()
	}
	return ""
}

// stackText is a stack as the runtime writes it in traces, without arguments.
func stackText(frames []record.Frame, gap int) string {
	var b strings.Builder
	for i, f := range frames {
		if i > 0 && i == gap {
			b.WriteString("...additional frames elided...\n")
		}
		fmt.Fprintf(&b, "%s(...)\n\t%s:%d\n", f.Function, f.File, f.Line)
	}
	return b.String()
}

// Moment is the present of the recorded program, or its end if it has ended.
func (m *Model) Moment() (at time.Time, ended bool) {
	return m.rec.Info().Started.Add(time.Duration(min(m.rec.Now(), 1<<62))), !m.rec.Alive()
}

// GoroutineLeaks is nil: only the runtime of the program itself can find leaks.
func (m *Model) GoroutineLeaks() []instr.Goroutine { return nil }
