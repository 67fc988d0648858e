package tables

import (
	"fmt"
	"slices"
	"time"

	"pfsd/instr"
)

// errorRows has a row for each error that is known, and one without a number for all others.
func (m *model) errorRows(w modelWork, _ int) (rows [][]string) {
	for _, e := range m.errors {
		cells := []string{"NULL", "NULL", "NULL"}
		if e.Number != 0 {
			cells = []string{num(e.Number), e.Name, e.SQLState}
		}
		s := w.of(modelKey{modelErrors, m.error(), e.Number})
		rows = append(rows, append(cells, num(s.count), num(s.handled), secondCell(s.first), secondCell(s.last)))
	}
	return rows
}

// microCell and secondCell are TIMESTAMP(6) and TIMESTAMP.
func microCell(t time.Time) string { return num(uint64(t.UnixMicro())) }

func secondCell(t time.Time) string {
	if t.IsZero() {
		return "NULL"
	}
	return microCell(t.Truncate(time.Second))
}

// raise counts an error of a thread; if the thread has ended, or there is none, it only counts
// globally.
func (m *model) raise(t *modelThread, number int, handled bool, now time.Time) {
	if len(m.errors) == 0 || !m.error().enabled || !m.consumers[instr.ConsumerGlobalInstrumentation] {
		return
	}
	if !slices.ContainsFunc(m.errors, func(e instr.ServerError) bool { return e.Number == number }) {
		number = 0
	}
	one := modelSum{count: 1, first: now, last: now}
	if handled {
		one.count, one.handled = 0, 1
	}
	key := modelKey{modelErrors, m.error(), number}
	switch {
	case t == nil || !m.consumers[instr.ConsumerThreadInstrumentation]:
		m.work.add(key, one)
	case t.instrumented:
		t.work.add(key, one)
	}
}

var modelErrorOps = []modelOp{
	{"error", 8, func(w *modelWorld, a, b, c uint32) string {
		r, number, handled := pick(w.routines, a), pick([]int{1064, 1146, 9999, 777}, b), c%3 == 0
		if c/3%5 == 0 {
			w.reg.RaiseError(number, handled)
			w.raise(nil, number, handled, w.now)
			return fmt.Sprintf("%d of no thread, handled %v", number, handled)
		}
		if !r.attached() {
			return ""
		}
		w.in(r, func() { r.handle.RaiseError(number, handled) })
		w.raise(r.thread, number, handled, w.now)
		return fmt.Sprintf("%d of %s, handled %v", number, r, handled)
	}},
}
