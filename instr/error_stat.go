package instr

import (
	"slices"
	"sync/atomic"
	"time"
)

// ServerError is an error that the program knows, a row of events_errors_summary_*.
type ServerError struct {
	Number         int
	Name, SQLState string
}

// ErrorStat is a copy of the statistics of an error: how often it was raised without a handler, and
// how often with one. As in MySQL, a handled error does not count as raised too.
type ErrorStat struct {
	Raised, Handled uint64
	First, Last     time.Time // zero if never
}

// Add adds the errors of o to those of s.
func (s *ErrorStat) Add(o ErrorStat) {
	s.Raised += o.Raised
	s.Handled += o.Handled
	if s.First.IsZero() || !o.First.IsZero() && o.First.Before(s.First) {
		s.First = o.First
	}
	if o.Last.After(s.Last) {
		s.Last = o.Last
	}
}

// record counts an error.
func (s *ErrorStat) record(handled bool, at time.Time) {
	o := ErrorStat{Raised: 1, First: at, Last: at}
	if handled {
		o.Raised, o.Handled = 0, 1
	}
	s.Add(o)
}

// serverErrors is the errors that the program knows.
type serverErrors struct {
	all   []ServerError
	place map[int]int // by number
}

// errorList is the errors of a registry.
type errorList struct {
	atomic.Pointer[serverErrors]              // nil for none
	size                         atomic.Int64 // the length of the list that ServerErrors returns; -1: no limit
	class                        *Class       // the instrument error
}

// SetServerErrors says which errors the program knows; it must be called before any error is
// raised.
func (h Setup) SetServerErrors(all []ServerError) {
	s := &serverErrors{append([]ServerError{{}}, all...), make(map[int]int, len(all))}
	for i, e := range all {
		s.place[e.Number] = i + 1
	}
	h.r.errors.Store(s)
}

// SetErrorSize sets how long the list that ServerErrors returns can be; it must be called before
// any error is raised. Errors beyond the list count in its first element, and if the size is 0
// nowhere. -1 is no limit. MySQL: performance_schema_error_size.
func (h Setup) SetErrorSize(n int) { h.r.errors.size.Store(int64(max(-1, n))) }

// ErrorSize is how long the list of errors can be, -1 for no limit. Safe for concurrent use.
func (h Setup) ErrorSize() int { return int(h.r.errors.size.Load()) }

// ServerErrors returns the list: its first element, which is zero, stands for all errors
// that are not in it. Safe for concurrent use.
func (h Reader) ServerErrors() []ServerError {
	all := []ServerError{{}}
	if s := h.r.errors.Load(); s != nil {
		all = s.all
	}
	if size := h.r.Setup().ErrorSize(); size >= 0 && size < len(all) {
		all = all[:size]
	}
	return slices.Clone(all)
}

// placeOf is the place of an error in ServerErrors; ok is false if that is empty.
func (l *errorList) placeOf(number int) (place int, ok bool) {
	size := int(l.size.Load())
	if s := l.Load(); s != nil {
		place = s.place[number]
	}
	if size >= 0 && place >= size {
		place = 0
	}
	return place, size != 0
}

// RaiseError counts an error of the thread, by MySQL's number; handled says that a handler has
// caught it. If the consumer thread_instrumentation is off, the error counts as with
// Registry.RaiseError. For a nil thread nothing is counted. Owned by the thread's goroutine.
func (t *Thread) RaiseError(number int, handled bool) {
	if t == nil {
		return
	}
	r := t.registry
	sw := switches(r.errors.class.switches.Load())
	if sw&swThreads == 0 || t.ID() == 0 {
		r.RaiseError(number, handled)
		return
	}
	if place, ok := r.errors.placeOf(number); ok && t.instrumented() {
		a := t.ensureActivity()
		a.mu.Lock()
		a.stats.addError(place, handled, r.now())
		a.mu.Unlock()
	}
}

// RaiseError counts an error that belongs to no thread: only in the global statistics. Safe for
// concurrent use.
func (r *Registry) RaiseError(number int, handled bool) {
	place, ok := r.errors.placeOf(number)
	if !ok || switches(r.errors.class.switches.Load())&swEnabled == 0 {
		return
	}
	r.global.mu.Lock()
	r.global.stats.addError(place, handled, r.now())
	r.global.mu.Unlock()
}

// RaiseError is Registry.RaiseError of the default registry.
func RaiseError(number int, handled bool) { Default.RaiseError(number, handled) }
