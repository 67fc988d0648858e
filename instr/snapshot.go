package instr

import (
	"cmp"
	"slices"
	"time"

	"pfsd/timers"
)

// Snapshot is what a registry has recorded, for Go programs: the numbers that the summary tables show, with times as durations.
// Numbers only grow, unless they are reset. The zero values of times mean that nothing was timed.
type Snapshot struct {
	Time time.Time
	// Instruments are those that have counted anything, in the order of their names.
	Instruments []InstrumentSnapshot
	// Threads is how many threads there are, Lost how often something was not recorded for want of room, by the name that the status variable
	// Performance_schema_NAME has in SQL.
	Threads int
	Lost    map[string]uint64
	// Connections are the open connections of pools.
	Connections []PoolConnection
}

// InstrumentSnapshot is what an instrument has counted. Each family has its own numbers: the others are nil.
type InstrumentSnapshot struct {
	Name string
	Kind Kind
	// Events are waits, stages, statements or transactions.
	Events EventNumbers
	// IO are the operations of files and sockets, which are Events, too.
	IO *IONumbers
	// Statements are what statements count besides their times.
	Statements *StatementNumbers
	Memory     *MemoryNumbers
	// Times are the histograms, while their consumers are on: of all events first, then by operation and object. See Reader.Times.
	Times []Times
}

// EventNumbers are how many events there were and how long they took.
type EventNumbers struct {
	Count, Timed  uint64 // all events, and those whose time is known
	Sum, Min, Max time.Duration
}

// IONumbers are the operations of files or sockets.
type IONumbers struct {
	Read, Write, Other    EventNumbers
	ReadBytes, WriteBytes uint64
}

// StatementNumbers are what statements counted. LockTime and CPUTime are sums.
type StatementNumbers struct {
	Errors, Warnings                       uint64
	RowsAffected, RowsSent, RowsExamined   uint64
	CreatedTmpTables, CreatedTmpDiskTables uint64
	FullScans, FullJoins, NoIndexUsed      uint64
	LockTime, CPUTime                      time.Duration
}

// MemoryNumbers are the memory that an instrument counts.
type MemoryNumbers struct {
	Allocs, Frees         uint64
	AllocBytes, FreeBytes uint64
	UsedBytes, UsedCount  int64
}

// Snapshot copies what has been recorded. It stops nobody; what is counted while it copies may be in the copy or
// not. It takes some microseconds for each instrument, object and thread. Safe for concurrent use; the copy is the
// caller's.
func (h Reader) Snapshot() Snapshot {
	h.MeasureMemory()
	s := Snapshot{Time: time.Now(), Threads: h.ThreadCount(), Lost: map[string]uint64{}, Connections: h.PoolConnections()}
	work := h.GlobalWork(WorkStages, WorkStatements, WorkTransactions, WorkMemory)
	for _, c := range h.Classes() {
		if i, any := h.instrument(c, &work); any {
			s.Instruments = append(s.Instruments, i)
		}
	}
	slices.SortFunc(s.Instruments, func(a, b InstrumentSnapshot) int { return cmp.Compare(a.Name, b.Name) })
	for l := range LimitCount {
		if name := l.LostName(); name != "" {
			s.Lost[name] = h.Lost(l)
		}
	}
	s.Lost["locker_lost"], s.Lost["digest_lost"] = h.LockerLost(), h.DigestsLost()
	s.Lost["nested_statement_lost"], s.Lost["goroutine_threads_lost"] = h.NestedStatementLost(), h.GoroutineThreadsLost()
	s.Lost["instance_histograms_lost"] = h.InstanceTimesLost()
	return s
}

// instrument is what c has counted, and whether it has counted anything.
func (h Reader) instrument(c *Class, work *Work) (i InstrumentSnapshot, any bool) {
	i = InstrumentSnapshot{Name: c.Name(), Kind: c.Kind(), Times: h.Times(c)}
	switch c.Kind() {
	case KindFile, KindSocket:
		io := c.IO()
		i.Events = waitNumbers(io.All())
		i.IO = &IONumbers{waitNumbers(io.Read), waitNumbers(io.Write), waitNumbers(io.Misc), io.ReadBytes, io.WriteBytes}
	case KindStage:
		i.Events = workNumbers(work.Stage(c))
	case KindTransaction:
		i.Events = workNumbers(work.Transaction().All())
	case KindStatement:
		s := work.Statement(c)
		n := &s.Counters
		i.Events = workNumbers(s.WorkStat)
		i.Statements = &StatementNumbers{
			n[Errors], n[Warnings], n[RowsAffected], n[RowsSent], n[RowsExamined], n[CreatedTmpTables], n[CreatedTmpDiskTables],
			n[SelectScan], n[SelectFullJoin], n[NoIndexUsed], picoseconds(n[LockTime]), picoseconds(n[CPUTime]),
		}
	case KindMemory:
		m := work.Memory(c)
		m.Add(c.SharedMemory())
		i.Memory = &MemoryNumbers{m.Allocs, m.Frees, m.AllocBytes, m.FreeBytes, m.Bytes(), m.Count()}
		return i, m.Allocs > 0
	case KindError:
		return i, false
	default:
		i.Events = waitNumbers(c.Waits())
	}
	return i, i.Events.Count > 0
}

func picoseconds(ps timers.Picoseconds) time.Duration {
	return time.Duration(ps / 1000) // at most 2^64 / 1000, which an int64 has room for
}

func waitNumbers(s Stat) EventNumbers {
	return EventNumbers{s.Count, s.Count - s.Untimed, picoseconds(s.SumPicoseconds()), picoseconds(s.MinPicoseconds()), picoseconds(s.MaxPicoseconds())}
}

func workNumbers(s WorkStat) EventNumbers {
	return EventNumbers{s.Count, s.Count - s.Untimed, picoseconds(s.SumPicoseconds()), picoseconds(s.MinPicoseconds()), picoseconds(s.MaxPicoseconds())}
}
