package recorded

import (
	"fmt"
	"maps"
	"time"

	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
)

// thread is a goroutine, as it was when it was read.
type thread struct {
	model *Model
	record.Thread
	now uint64 // when it was read, as Event.Start
}

var _ tables.Thread = (*thread)(nil)

// Current is nil: the reader is another process.
func (m *Model) Current() tables.Thread { return nil }

// Threads returns the goroutines. If some are not shown, the first one stands for them.
func (m *Model) Threads() []tables.Thread {
	return shared(m.threads(m.rec.Threads()))
}

// threads are goroutines that have just been read, and the one that stands for those that are not shown.
func (m *Model) threads(all []record.Thread) []thread {
	now := m.rec.Now()
	list := make([]thread, 0, len(all)+1)
	if m.rec.Unshown() > 0 {
		list = append(list, thread{m, record.Thread{ID: unshown}, now})
	}
	for _, t := range all {
		list = append(list, thread{m, t, now})
	}
	return list
}

func shared(all []thread) []tables.Thread {
	list := make([]tables.Thread, len(all))
	for i := range all {
		list[i] = &all[i]
	}
	return list
}

// unshown is the number of the thread that stands for the goroutines that are not shown; no goroutine has it.
const unshown = 0

// unshown says in words what is not shown.
func (m *Model) unshown() instr.ThreadInfo {
	n, lost := m.rec.Unshown(), m.rec.Lost().LockWaits
	info := instr.ThreadInfo{
		ID: unshown, Name: threadPrefix + "not shown", State: fmt.Sprintf("%d more goroutines are not shown", n), Since: m.rec.Info().Started,
		Info: fmt.Sprintf("%d more goroutines exist for which the recording has no room; of them only those are shown that wait for a lock", n),
	}
	if lost > 0 {
		info.Info += fmt.Sprintf("; %d waits for locks were not shown either", lost)
	}
	return info
}

// ThreadsOf returns the goroutines, which have neither user nor host.
func (m *Model) ThreadsOf(f instr.ActorFilter) []tables.Thread {
	if !ofNobody(f) {
		return nil
	}
	return m.Threads()
}

// ofNobody reports whether a filter accepts threads that have neither user nor host.
func ofNobody(f instr.ActorFilter) bool {
	return (f.User == nil || *f.User == "") && (f.Host == nil || *f.Host == "")
}

// ThreadByID is the goroutine with this number.
func (m *Model) ThreadByID(id uint64) tables.Thread {
	if t, ok := m.rec.Thread(id); ok {
		return &thread{m, t, m.rec.Now()}
	}
	return nil
}

// ThreadByGoroutine is the same as ThreadByID.
func (m *Model) ThreadByGoroutine(id uint64) tables.Thread { return m.ThreadByID(id) }

// ThreadByProcess is nil: there are no connections.
func (m *Model) ThreadByProcess(uint64) tables.Thread { return nil }

// ThreadCount is about how many goroutines there are.
func (m *Model) ThreadCount() int { return m.rec.ThreadRows() }

// threadName is the name of the threads whose goroutines have a start function.
func (m *Model) threadName(class uint32) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if name, ok := m.threadNames[class]; ok {
		return name
	}
	name := threadPrefix + "unknown"
	if all := m.rec.Classes(); class != 0 && int(class) < len(all) && len(all[class].Frames) > 0 {
		name = threadNameOf(&all[class])
		m.threadNames[class] = name
	}
	return name
}

// threadNameOf is the name of the threads of a class of goroutines.
func threadNameOf(c *record.Class) string {
	name := "unknown"
	if len(c.Frames) > 0 {
		name = c.Frames[0].Function
	}
	if name == "runtime.main" {
		name = "main.main"
	}
	return threadPrefix + name[max(0, len(name)-128+len(threadPrefix)):]
}

const threadPrefix = "thread/go/"

func (t *thread) ID() uint64 { return t.Thread.ID }

func (t *thread) Snapshot() (instr.ThreadInfo, bool) {
	m := t.model
	if t.Thread.ID == unshown {
		return m.unshown(), true
	}
	state := m.state(t.Running)
	stage, text := t.doing()
	if state == "" {
		state = stage
	}
	return instr.ThreadInfo{
		ID: t.Thread.ID, Name: m.threadName(t.Class), Parent: t.Parent, Goroutine: t.Thread.ID,
		ParentGoroutine: t.Parent, Automatic: t.Place != 0, Created: m.source(t.Place), State: state, Info: text,
		Since:        m.rec.Info().Started.Add(time.Duration(min(t.Thread.Created, 1<<62))),
		Instrumented: t.Switches&record.Off == 0, History: t.Switches&record.NoHistory == 0,
	}, true
}

// state says what a goroutine waits for.
func (m *Model) state(e record.Event) string {
	if in := m.instrumentOf(e.Class); in.class != nil {
		return in.class.Name()
	}
	return ""
}

// source is the file and line of a class.
func (m *Model) source(class uint32) string {
	if class == 0 {
		return ""
	}
	m.instrumentOf(class) // it makes the places of new classes known
	m.mu.Lock()
	defer m.mu.Unlock()
	if int(class) < len(m.sources) {
		return m.sources[class]
	}
	return ""
}

func (t *thread) SetInstrumented(on bool) { t.set(record.Off, !on) }
func (t *thread) SetHistory(on bool)      { t.set(record.NoHistory, !on) }

func (t *thread) set(bit record.Switches, on bool) {
	now, ok := t.model.rec.Thread(t.Thread.ID)
	if !ok {
		return
	}
	s := now.Switches &^ bit
	if on {
		s |= bit
	}
	_ = t.model.rec.SetThreadSwitches(now, s) // see Model.write
}

// event converts an event to one that the tables read; ok is false if its class is not one of
// waits.
func (m *Model) event(e record.Event, ended bool) (instr.WaitEvent, bool) {
	in := m.instrumentOf(e.Class)
	if in.class == nil {
		return instr.WaitEvent{}, false
	}
	return instr.RecordedEvent{
		Thread: e.Thread, ID: e.ID, Class: in.class, Op: in.op, Object: e.Object, Bytes: e.Bytes, Caller: uintptr(e.Class),
		Start: e.Start, End: e.End, Timed: e.Timed, Ended: ended, NestingID: e.NestingID, Nesting: nesting(e.Nesting), Spins: e.Spins, HasSpins: ended && in.class.Kind() == instr.KindMutex,
	}.Event(), true
}

// shown reports whether a table of events still shows an event, which TRUNCATE hides.
func (m *Model) shown(table int, e record.Event) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return e.ID > m.hidden[table][e.Thread]
}

func (m *Model) consumer(c instr.Consumer) bool { return m.reg.Setup().Consumer(c) }

func (t *thread) CurrentWaits(to []instr.WaitEvent) []instr.WaitEvent {
	if !t.model.consumer(instr.ConsumerEventsWaitsCurrent) {
		return to
	}
	e, ended := t.Running, false
	if e.End = max(t.now, e.Start); e.Class == 0 {
		past := t.model.rec.History(t.Thread)
		if len(past) == 0 {
			return to
		}
		e, ended = past[len(past)-1], true
	}
	if w, ok := t.model.event(e, ended); ok && t.model.shown(current, e) {
		to = append(to, w)
	}
	return to
}

func (t *thread) WaitsHistory(to []instr.WaitEvent) []instr.WaitEvent {
	if !t.model.consumer(instr.ConsumerEventsWaitsHistory) {
		return to
	}
	for _, e := range t.model.rec.History(t.Thread) {
		if w, ok := t.model.event(e, true); ok && t.model.shown(history, e) {
			to = append(to, w)
		}
	}
	return to
}

// WaitsHistoryLong is the last waits of all goroutines.
func (m *Model) WaitsHistoryLong() func([]instr.WaitEvent) int {
	var events []record.Event
	if m.consumer(instr.ConsumerEventsWaitsHistoryLong) {
		events = m.rec.HistoryLong()
	}
	return func(buf []instr.WaitEvent) int {
		n := 0
		for n < len(buf) && len(events) > 0 {
			e := events[0]
			events = events[1:]
			if w, ok := m.event(e, true); ok && m.shown(historyLong, e) {
				buf[n] = w
				n++
			}
		}
		return n
	}
}

// hide hides the events of a goroutine up to id.
func (m *Model) hide(table int, goroutine, id uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hidden[table] == nil {
		m.hidden[table] = map[uint64]uint64{}
	}
	m.hidden[table][goroutine] = max(id, m.hidden[table][goroutine])
}

func (t *thread) TruncateCurrentWaits() {
	id := t.Events
	if t.Running.Class != 0 {
		id = t.Running.ID
	}
	t.model.hide(current, t.Thread.ID, id)
	t.model.forget(current)
}

func (t *thread) TruncateWaitsHistory() {
	t.model.hide(history, t.Thread.ID, t.Events)
	t.model.forget(history)
}

// TruncateWaitsHistoryLong hides the events so far.
func (m *Model) TruncateWaitsHistoryLong() {
	events := m.rec.HistoryLong()
	m.mu.Lock()
	m.hidden[historyLong] = nil // drop entries of goroutines that have ended
	m.mu.Unlock()
	for _, e := range events {
		m.hide(historyLong, e.Thread, e.ID)
	}
}

// forget drops the entries of goroutines that have ended, if there are many entries.
func (m *Model) forget(table int) {
	m.mu.Lock()
	many := len(m.hidden[table]) > 2*m.rec.ThreadRows()+1000
	m.mu.Unlock()
	if !many {
		return
	}
	alive := map[uint64]bool{}
	for _, t := range m.rec.Threads() {
		alive[t.ID] = true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.hidden[table], func(id, _ uint64) bool { return !alive[id] })
}

// What recordings do not have of a goroutine.

func (t *thread) Status() instr.Status                                       { return instr.Status{} }
func (t *thread) ReadStatus(s *instr.Status) bool                            { *s = instr.Status{}; return true }
func (t *thread) ConnectAttrs(to []instr.ConnectAttr) []instr.ConnectAttr    { return to }
func (t *thread) UserVariables(to []instr.UserVariable) []instr.UserVariable { return to }
func (t *thread) PreparedStatements(to []*instr.PreparedStatement) []*instr.PreparedStatement {
	return to
}
