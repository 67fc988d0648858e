package recorded

import (
	"fmt"
	"math"
	"sync"

	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
)

// Model is the model of a recording.
type Model struct {
	// Model is the model of a registry in which nothing is recorded: it has the classes, and empty
	// statistics of what recordings do not have.
	tables.Model
	server tables.Model
	reg    *instr.Registry
	rec    *record.Recording

	mu sync.Mutex
	// Guarded by mu.
	instruments   []instrument // by the number of the recording's class
	classes       map[*instr.Class][]uint32
	threadNames   map[uint32]string
	sources       []string                        // the places in the code, by the number of the recording's class
	truncated     map[uint32]record.Stat          // what TRUNCATE has subtracted from a class
	objects       map[uint64][3]record.Stat       // the same for an object
	last          *list                           // the objects as they were read last, nil if they must be read
	lost          record.Lost                     // what FLUSH STATUS has subtracted
	hidden        [hiddenTables]map[uint64]uint64 // the last event that a TRUNCATE has hidden, by goroutine
	lostWork      record.LostWork                 // as lost
	works         works
	threadClasses map[*instr.ThreadClass][]uint32   // the recording's classes of goroutines
	takenWaits    map[threadClass]record.Stat       // the same for a class of a goroutine
	takenTimes    map[uint32][record.Buckets]uint64 // the same for the histogram of a class
}

// The tables of events: places in Model.hidden.
const (
	current = iota
	history
	historyLong
)

var _ tables.Model = (*Model)(nil)

// New is the model of a recording. server is the model of the server that shows it.
func New(rec *record.Recording, server tables.Model) *Model {
	reg := instr.NewRegistry()
	for l := range instr.LimitCount {
		reg.Setup().SetLimit(l, -1)
	}
	m := &Model{
		Model: tables.Of(reg), server: server, reg: reg, rec: rec,
		instruments: make([]instrument, 1), classes: map[*instr.Class][]uint32{}, threadNames: map[uint32]string{},
		truncated: map[uint32]record.Stat{}, objects: map[uint64][3]record.Stat{}, takenTimes: map[uint32][record.Buckets]uint64{}, works: newWorks(),
	}
	s, all := reg.Setup(), rec.KindSwitches(0)
	s.SetConsumer(instr.ConsumerGlobalInstrumentation, all&record.Off == 0)
	s.SetConsumer(instr.ConsumerEventsWaitsCurrent, true)
	s.SetConsumer(instr.ConsumerEventsWaitsHistory, all&record.NoHistory == 0)
	s.SetConsumer(instr.ConsumerEventsWaitsHistoryLong, all&record.NoHistory == 0)
	for k, w := range workKinds {
		past := rec.KindSwitches(k)&record.NoHistory == 0
		s.SetConsumer(w.current, true)
		s.SetConsumer(w.history, past)
		s.SetConsumer(w.historyLong, past)
	}
	s.SetConsumer(instr.ConsumerEventsWaitsHistogram, all&record.Histograms != 0)
	// Locks have instruments only when somebody has waited for them. This one is there before.
	s.RecordedClass(instr.KindMutexHold, allHolds).SetEnabled(rec.HoldsRecorded())
	return m
}

// Provide adds to the server's model.
func (m *Model) Provide(key, value any) { m.server.Provide(key, value) }

// Provided returns what was added to the server's model.
func (m *Model) Provided(key any) any { return m.server.Provided(key) }

// StatusVariables are those of the server.
func (m *Model) StatusVariables() []*instr.StatusVariable { return m.server.StatusVariables() }

// GlobalStatus is the server's.
func (m *Model) GlobalStatus() instr.Status { return m.server.GlobalStatus() }

// ResetStatus is the server's.
func (m *Model) ResetStatus() { m.server.ResetStatus() }

// Err is the error of a recording that cannot be read whole.
func (m *Model) Err() error {
	if err := m.rec.Err(); err != nil {
		return fmt.Errorf("%w: %w", tables.ErrNotRead, err)
	}
	return nil
}

// Lost is what the recording had no room for. Its limits are other ones than a registry's, and the same for all kinds of locks: what is
// lost of locks counts as mutexes, connections of pools as sockets, channels and the like as condition variables, and places in the code as classes of condition variables.
func (m *Model) Lost(l instr.Limit) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return lostOf(m.rec.Lost(), m.lost, l) + lostWork(m.rec.LostWork(), m.lostWork, l)
}

// lostOf is what was lost because of a limit. FLUSH STATUS takes flushed from those that it resets in MySQL.
func lostOf(all, flushed record.Lost, l instr.Limit) uint64 {
	switch l {
	case instr.LimitCondClasses:
		return all.Classes
	case instr.LimitCondInstances:
		return all.Waited
	case instr.LimitMutexInstances:
		return all.Locks
	case instr.LimitThreadInstances:
		return all.Threads - min(all.Threads, flushed.Threads) + all.LockWaits - min(all.LockWaits, flushed.LockWaits)
	case instr.LimitSocketInstances:
		return all.Connections - min(all.Connections, flushed.Connections)
	case instr.LimitFileInstances:
		return all.Files - min(all.Files, flushed.Files)
	}
	return 0
}

// LockerLost is how many events were on processors that the recording has no room for, or statements too deep inside of others.
func (m *Model) LockerLost() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	all, nested := m.rec.Lost(), m.rec.LostWork().Nested
	return all.Events - min(all.Events, m.lost.Events) + nested - min(nested, m.lostWork.Nested)
}

// ResetLost begins to count anew, for this reader.
func (m *Model) ResetLost() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lost, m.lostWork = m.rec.Lost(), m.rec.LostWork()
	m.server.ResetLost()
}

// Setup is the switches.
func (m *Model) Setup() tables.Setup { return setup{m.Model.Setup(), m} }

// subtract is s without what a TRUNCATE has taken. An extreme of the rest is known if it goes
// beyond that of taken; else the average stands for it.
func subtract(s, taken record.Stat) record.Stat {
	if taken.Count == 0 {
		return s
	}
	out := record.Stat{
		Count: s.Count - min(s.Count, taken.Count), Untimed: s.Untimed - min(s.Untimed, taken.Untimed),
		Sum: s.Sum - min(s.Sum, taken.Sum), Bytes: s.Bytes - min(s.Bytes, taken.Bytes), Min: math.MaxUint64,
	}
	if timed := out.Count - min(out.Count, out.Untimed); timed > 0 {
		out.Min, out.Max = out.Sum/timed, out.Sum/timed
		if s.Min < taken.Min {
			out.Min = s.Min
		}
		if s.Max > taken.Max {
			out.Max = s.Max
		}
	}
	return out
}

// stat converts statistics to those that the tables read.
func stat(s record.Stat) instr.Stat {
	return instr.RecordedStat(s.Count, s.Untimed, s.Sum, s.Min, s.Max)
}
