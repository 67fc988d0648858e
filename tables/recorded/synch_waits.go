package recorded

import (
	"fmt"
	"strings"
	"time"

	"pfsd/instr/record"
	"pfsd/tables"
)

// Functions of golang.org/x/sync that wait in a channel for something else than a value.
const (
	errgroupMethods  = "golang.org/x/sync/errgroup.(*Group)."
	semaphoreAcquire = "golang.org/x/sync/semaphore.(*Weighted).Acquire"
)

// synchTypes are the types of what the kinds of waits are for. Those without one are not shown.
var synchTypes = map[record.Kind]string{
	record.Receive: tables.SynchChannel, record.Send: tables.SynchChannel, record.Cond: tables.SynchCondition, record.WaitGroup: tables.SynchGroup,
}

var synchOperations = map[record.Did]string{
	record.DidSend: "SEND", record.DidReceive: "RECEIVE", record.DidSignal: "SIGNAL", record.DidBroadcast: "BROADCAST", record.DidDone: "DONE", record.DidDo: "DO",
}

var signals = map[record.Did]string{record.DidSignal: "Signal", record.DidBroadcast: "Broadcast"}

// synchReading is what is known of what goroutines wait for, as it was at one moment.
type synchReading struct {
	model   *Model
	now     uint64
	classes []record.Class
	waited  map[uint64]record.Waited
	byID    func(uint64) tables.Thread
}

// SynchWaits returns a function that says what a thread waits for, false if that is nothing of the kind.
func (m *Model) SynchWaits() func(tables.Thread) (tables.SynchWait, bool) {
	return m.synchWaits(m.ThreadByID)
}

// SynchWaits is that of the goroutines of the reading.
func (r *reading) SynchWaits() func(tables.Thread) (tables.SynchWait, bool) {
	return r.synchWaits(r.ThreadByID)
}

func (m *Model) synchWaits(byID func(uint64) tables.Thread) func(tables.Thread) (tables.SynchWait, bool) {
	m.refresh()
	s := &synchReading{model: m, now: m.rec.Now(), waited: m.rec.Waited(), classes: m.rec.Classes(), byID: byID}
	return func(t tables.Thread) (tables.SynchWait, bool) {
		if t, ok := t.(*thread); ok {
			return s.of(&t.Thread)
		}
		return tables.SynchWait{}, false
	}
}

func (s *synchReading) of(t *record.Thread) (tables.SynchWait, bool) {
	e := &t.Running
	in := s.model.instrumentOf(e.Class)
	if in.class == nil {
		return tables.SynchWait{}, false
	}
	of, known := s.waited[e.Object]
	w := tables.SynchWait{Thread: t.ID, Class: in.class, Object: e.Object, Type: synchTypes[in.kind], Used: -1, Size: -1, Signals: -1}
	switch {
	case in.kind == record.Mutex && of.Kind == record.Once:
		w.Type = tables.SynchOnce
	case s.within(e.Class, semaphoreAcquire):
		w.Type = tables.SynchSemaphore
	case s.errgroup(e):
		w.Type = tables.SynchErrgroup
	}
	if w.Type == "" {
		return w, false
	}
	if known {
		w.Last, w.Received = s.done(of.Last), s.done(of.Received)
		switch of.Kind {
		case record.Channel, record.Semaphore:
			w.Used, w.Size = of.Used, int64(of.Size)
		case record.Group:
			w.Used = of.Used
		case record.Condition:
			w.Signals = int64(of.Signals)
		}
	}
	w.Text = s.text(t, &w, &of, known)
	return w, true
}

// within reports whether the innermost function outside of the standard library begins so.
func (s *synchReading) within(class uint32, function string) bool {
	return int(class) < len(s.classes) && strings.HasPrefix(s.model.callerFrame(&s.classes[class]).Function, function)
}

// errgroup reports whether a goroutine waits for a place under the limit of an errgroup, whose places are those in a channel.
func (s *synchReading) errgroup(e *record.Event) bool {
	return s.model.instrumentOf(e.Class).kind == record.Send && s.within(e.Class, errgroupMethods)
}

func (s *synchReading) done(l record.Last) tables.SynchDone {
	if l.Did == 0 {
		return tables.SynchDone{}
	}
	d := tables.SynchDone{Operation: synchOperations[l.Did], Thread: l.Thread, Source: s.model.source(l.Place), Since: (s.now - min(s.now, l.Since)) * 1000}
	if t, ok := s.byID(l.Thread).(*thread); ok {
		d.Name = s.model.threadName(t.Class)
	}
	return d
}

// text is what is known in words.
func (s *synchReading) text(t *record.Thread, w *tables.SynchWait, of *record.Waited, known bool) string {
	switch w.Type {
	case tables.SynchErrgroup:
		return fmt.Sprintf("the limit of an errgroup%s: %s", s.own(t.Running.Class), places(w, known))
	case tables.SynchSemaphore:
		if !known || of.Kind != record.Semaphore {
			return fmt.Sprintf("a semaphore%s; who has units is not known, and how many there are only while holds are recorded", s.own(t.Running.Class))
		}
		return fmt.Sprintf("a semaphore%s: when it began to wait, %d of %d units were taken; by whom is not known", s.own(t.Running.Class), w.Used, w.Size)
	case tables.SynchChannel:
		return channelText(w, of, known)
	}
	if !known {
		return "nothing more is known"
	}
	last := w.Last.Operation != ""
	switch w.Type {
	case tables.SynchCondition:
		switch {
		case w.Signals == 0:
			return "a condition variable that was never signalled"
		case uint32(w.Signals) == t.Signals:
			return fmt.Sprintf("signalled %s, last by %s with %s: before this one began to wait", times(w.Signals), by(&w.Last), signals[of.Last.Did])
		}
		return fmt.Sprintf("signalled %s, last by %s with %s: it has woken another one", times(w.Signals), by(&w.Last), signals[of.Last.Did])
	case tables.SynchGroup:
		if !last {
			return fmt.Sprintf("a WaitGroup whose counter is %d; who has changed it last is not known", w.Used)
		}
		return fmt.Sprintf("a WaitGroup whose counter is %d, last changed by %s", w.Used, by(&w.Last))
	}
	return fmt.Sprintf("the first call of a Once, begun by %s", by(&w.Last))
}

func places(w *tables.SynchWait, known bool) string {
	if !known {
		return "how many run is not known"
	}
	return fmt.Sprintf("%d of %d run", w.Used, w.Size)
}

func channelText(w *tables.SynchWait, of *record.Waited, known bool) string {
	var b strings.Builder
	switch {
	case w.Object == 0:
		return "a channel that is nil: nothing ever happens to it"
	case !known:
		return "a channel of which nothing more is known"
	case of.Timer:
		return "the channel of a timer or a ticker"
	case w.Size == 0:
		b.WriteString("a channel without a buffer")
	default:
		fmt.Fprintf(&b, "a channel with %d of %d values", w.Used, w.Size)
		if of.Empty {
			b.WriteString(" of no size")
		}
	}
	if w.Last.Operation == "" {
		b.WriteString("; nobody has sent to it")
	} else {
		fmt.Fprintf(&b, "; sent to last by %s", by(&w.Last))
	}
	if w.Received.Operation == "" {
		b.WriteString("; nobody has received from it")
	} else {
		fmt.Fprintf(&b, "; received from last by %s", by(&w.Received))
	}
	return b.String()
}

// by says who has done something last, where, and how long ago that was.
func by(d *tables.SynchDone) string {
	who := strings.TrimPrefix(d.Name, threadPrefix)
	if d.Name == "" {
		who = fmt.Sprintf("goroutine %d, which has ended,", d.Thread)
	}
	if d.Source != "" {
		who += " at " + d.Source
	}
	ago, unit := time.Duration(d.Since/1000), time.Duration(1)
	for unit*1000 <= ago {
		unit *= 10
	}
	return who + " " + ago.Round(unit).String() + " ago"
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// own is the line of the main module from which a library is called.
func (s *synchReading) own(class uint32) string {
	if int(class) < len(s.classes) {
		if at := s.model.ownText(&s.classes[class]); at != "" {
			return " (called at " + at + ")"
		}
	}
	return ""
}
