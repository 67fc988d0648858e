package instr

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// WorkStat is a copy of statistics of stages, statements or transactions. Times are in
// picoseconds; Min is the largest number there is while no event was timed. Untimed of the Count
// events have no time.
type WorkStat struct {
	Count, Sum, Min, Max uint64
	Untimed              uint64
}

// NoWorkStat is the statistics of no event. The zero WorkStat is not, because its Min is 0.
var NoWorkStat = WorkStat{Min: math.MaxUint64}

// Timed reports whether any event was timed.
func (s WorkStat) Timed() bool { return s.Count > 0 && s.Min <= s.Max }

// SumPicoseconds, MinPicoseconds, AvgPicoseconds and MaxPicoseconds are the times, all 0
// while no event was timed. The sum stays at 2^64-1 where it would wrap.
func (s WorkStat) SumPicoseconds() uint64 { return s.Sum }

// MinPicoseconds is the shortest time.
func (s WorkStat) MinPicoseconds() uint64 {
	if !s.Timed() {
		return 0
	}
	return s.Min
}

// AvgPicoseconds is the average time of the timed events. It is at least the shortest one, even if
// the sum has overflowed.
func (s WorkStat) AvgPicoseconds() uint64 {
	if !s.Timed() {
		return 0
	}
	return max(s.Sum/(s.Count-s.Untimed), s.Min)
}

// MaxPicoseconds is the longest time.
func (s WorkStat) MaxPicoseconds() uint64 { return s.Max }

// Add adds the events of o to those of s.
func (s *WorkStat) Add(o WorkStat) {
	switch {
	case o.Count == 0:
	case s.Count == 0:
		*s = o
	default:
		s.Count += o.Count
		s.addTime(o.Sum)
		s.Min = min(s.Min, o.Min)
		s.Max = max(s.Max, o.Max)
		s.Untimed += o.Untimed
	}
}

func (s *WorkStat) addTime(ps uint64) {
	sum, wraps := bits.Add64(s.Sum, ps, 0)
	s.Sum = sum | -wraps
}

// record counts an event.
func (s *WorkStat) record(timed bool, ps uint64) {
	if s.Count == 0 {
		*s = NoWorkStat
	}
	s.Count++
	if timed {
		s.addTime(ps)
		s.Min = min(s.Min, ps)
		s.Max = max(s.Max, ps)
	} else {
		s.Untimed++
	}
}

// orNone returns s, or NoWorkStat if s has no events.
func (s WorkStat) orNone() WorkStat {
	if s.Count == 0 {
		return NoWorkStat
	}
	return s
}

// Add adds the statements of o to those of s.
func (s *StatementStat) Add(o StatementStat) { s.add(&o) }

func (s *StatementStat) add(o *StatementStat) {
	s.WorkStat.Add(o.WorkStat)
	for i, n := range &o.Counters {
		switch c := StatementCounter(i); {
		case n == 0: // most are: skipping them saves cache misses
		case c == MaxControlledMemory || c == MaxTotalMemory:
			s.Counters[c] = max(s.Counters[c], n)
		default:
			s.Counters[c] += n
		}
	}
}

// Add adds the transactions of o to those of s.
func (s *TransactionStat) Add(o TransactionStat) {
	s.ReadWrite.Add(o.ReadWrite)
	s.ReadOnly.Add(o.ReadOnly)
}

// WorkKind is a family of statistics that TRUNCATE empties.
type WorkKind uint8

// The families.
const (
	WorkStages WorkKind = iota
	WorkStatements
	WorkTransactions
	WorkErrors
	WorkMemory
	workKindCount
)

// workKinds is a set of families.
type workKinds uint8

const allWork workKinds = 1<<workKindCount - 1

func (k WorkKind) set() workKinds { return 1 << k }

func (ks workKinds) has(k WorkKind) bool { return ks&k.set() != 0 }

// workKindsOf is the set of the families that a reader names; if it names none it is all.
func workKindsOf(kinds []WorkKind) (ks workKinds) {
	for _, k := range kinds {
		ks |= k.set()
	}
	if ks == 0 {
		return allWork
	}
	return ks
}

// workList is statistics by id: the id of a class, or the place of an error. It is a sorted list
// because most threads use few of the many ids.
type workList[S any] []workEntry[S]

type workEntry[S any] struct {
	id   int
	stat S
}

// search returns where an id is, or should be.
func (l workList[S]) search(id int) int {
	low, high := 0, len(l)
	for low < high {
		if middle := (low + high) / 2; l[middle].id < id {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// get returns the statistics of an id, nil if there is none.
func (l workList[S]) get(id int) *S {
	if i := l.search(id); i < len(l) && l[i].id == id {
		return &l[i].stat
	}
	return nil
}

// at returns the statistics of an id, made if need be.
func (l *workList[S]) at(id int) *S { return &(*l)[l.place(id)].stat }

// place returns where the statistics of an id are, made if need be.
func (l *workList[S]) place(id int) int {
	i := l.search(id)
	if i == len(*l) || (*l)[i].id != id {
		*l = slices.Insert(*l, i, workEntry[S]{id: id})
	}
	return i
}

func (l *workList[S]) addAll(o workList[S], add func(to *S, from S)) {
	if len(*l) == 0 {
		*l = append(*l, o...)
		return
	}
	for i := range o {
		add(l.at(o[i].id), o[i].stat)
	}
}

// workStats is the statistics of stages, statements, transactions, errors and memory of a thread or
// an actor, or the global ones. Statistics without events are zero. The zero workStats is empty.
// The lock of what it is part of guards it.
type workStats struct {
	stages       workList[WorkStat]
	nextStage    int // where the next stage probably counts
	statements   workList[StatementStat]
	transactions TransactionStat
	errors       workList[ErrorStat]
	memory       workList[MemoryStat]  // highest and lowest values are elsewhere: see memorySlack
	lastMemory   int                   // the place that was used last
	cleared      [workKindCount]uint64 // how often clear has emptied a family that was not empty, or memory was moved
}

// addStage counts a stage that took ps picoseconds, if it was timed.
func (w *workStats) addStage(class uint16, timed bool, ps uint64) {
	// Statements go through much the same stages, in the order of their ids.
	i := w.nextStage
	if i >= len(w.stages) {
		i = 0
	}
	if i >= len(w.stages) || w.stages[i].id != int(class) {
		i = w.stages.place(int(class))
	}
	w.stages[i].stat.record(timed, ps)
	w.nextStage = i + 1
}

// addStatement counts the statements of s.
func (w *workStats) addStatement(class uint16, s *StatementStat) {
	w.statements.at(int(class)).add(s)
}

// addTransaction counts a transaction that took ps picoseconds, if it was timed.
func (w *workStats) addTransaction(readOnly, timed bool, ps uint64) {
	s := &w.transactions.ReadWrite
	if readOnly {
		s = &w.transactions.ReadOnly
	}
	s.record(timed, ps)
}

// addError counts the error at a place of ServerErrors.
func (w *workStats) addError(index int, handled bool, at time.Time) {
	w.errors.at(index).record(handled, at)
}

// has reports whether there is any event of a family.
func (w *workStats) has(k WorkKind) bool {
	switch k {
	case WorkStages:
		return len(w.stages) > 0
	case WorkStatements:
		return len(w.statements) > 0
	case WorkTransactions:
		return w.transactions.ReadWrite.Count+w.transactions.ReadOnly.Count > 0
	case WorkErrors:
		return len(w.errors) > 0
	default:
		return len(w.memory) > 0
	}
}

// empty reports whether there is no event of some families.
func (w *workStats) empty(ks workKinds) bool {
	for k := range workKindCount {
		if ks.has(k) && w.has(k) {
			return false
		}
	}
	return true
}

// add adds the events of some families, but not memory.
func (w *workStats) add(o *workStats, ks workKinds) {
	if ks.has(WorkStages) {
		w.stages.addAll(o.stages, (*WorkStat).Add)
	}
	if ks.has(WorkStatements) {
		w.statements.addAll(o.statements, (*StatementStat).Add)
	}
	if ks.has(WorkTransactions) {
		w.transactions.Add(o.transactions)
	}
	if ks.has(WorkErrors) {
		w.errors.addAll(o.errors, (*ErrorStat).Add)
	}
}

// clear empties some families, but not memory. The lists stay for what comes.
func (w *workStats) clear(ks workKinds) {
	for k := range WorkMemory {
		if !ks.has(k) || !w.has(k) {
			continue
		}
		w.cleared[k]++
		switch k {
		case WorkStages:
			w.stages = w.stages[:0]
		case WorkStatements:
			w.statements = w.statements[:0]
		case WorkTransactions:
			w.transactions = TransactionStat{}
		case WorkErrors:
			w.errors = w.errors[:0]
		}
	}
}

// Work is a copy of the statistics of stages, statements, transactions, errors and memory of a
// thread, an account, a user or a host, or of the global ones.
type Work struct {
	ThreadID   uint64 // of a thread
	User, Host string // of an actor; "" where the tables show NULL
	stats      workStats
}

// Stage is the statistics of a class of stages.
func (w *Work) Stage(c *Class) WorkStat {
	if s := w.stats.stages.get(int(c.id)); s != nil {
		return *s
	}
	return NoWorkStat
}

// Statement is the statistics of a class of statements.
func (w *Work) Statement(c *Class) StatementStat {
	if s := w.stats.statements.get(int(c.id)); s != nil {
		return *s
	}
	return StatementStat{WorkStat: NoWorkStat}
}

// Transaction is the statistics of transactions.
func (w *Work) Transaction() TransactionStat {
	return TransactionStat{w.stats.transactions.ReadWrite.orNone(), w.stats.transactions.ReadOnly.orNone()}
}

// Error is how often an error was raised and handled, and when for the first and the last time.
// index is the error's place in Reader.ServerErrors, 0 for all errors that are not in it.
func (w *Work) Error(index int) ErrorStat {
	if s := w.stats.errors.get(index); s != nil {
		return *s
	}
	return ErrorStat{}
}
