package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pfsd/instr"
)

// cell is a value in the form of the model.
func cell(v Value) string {
	switch {
	case v.IsDouble():
		return strconv.FormatFloat(v.Float(), 'f', 6, 64)
	case v.IsNull() || v.IsText() || v.IsSigned():
		return text(v)
	}
	return num(v.Bits())
}

// compare says which row of a table is the first that is not as expected. The order of the
// rows does not matter.
func (e *expected) compare(reg *instr.Registry, tb Table) error {
	columns := e.columns
	if e.heads != nil {
		columns = slices.Concat(columns, unforeseenNames)
		if e.heads[0].class.kind == instr.KindStatement {
			columns = append(columns, "STATEMENT_ID")
		}
	}
	cols := make([]int, len(columns))
	for i, name := range columns {
		cols[i] = -1
		for at, c := range tb.Columns() {
			if c.Name == name {
				cols[i] = at
			}
		}
		if cols[i] < 0 {
			return fmt.Errorf("%s has no column %s", e.table, name)
		}
	}
	var rows [][]string
	values := make([]Value, len(cols))
	for c := tb.Scan(Of(reg), cols, e.where); c.Next(values); {
		cells := make([]string, len(values))
		for i, v := range values {
			cells[i] = cell(v)
		}
		rows = append(rows, cells)
	}
	return e.same(rows)
}

// same compares the rows of a table with those expected.
func (e *expected) same(rows [][]string) error {
	key := func(cells []string) string { return strings.Join(cells[:e.keys], "\x00") }
	is := map[string][]string{}
	for _, cells := range rows {
		if is[key(cells)] != nil {
			return fmt.Errorf("%s: two rows %q", e.table, cells[:e.keys])
		}
		is[key(cells)] = cells
	}
	for n, want := range e.rows {
		got := is[key(want)]
		if got == nil {
			return fmt.Errorf("%s: no row %q, want %q", e.table, want[:e.keys], want)
		}
		for i := range want {
			if got[i] != want[i] {
				return fmt.Errorf("%s: row %q: %s = %s, want %s\n\t%q\n\t%q", e.table, want[:e.keys], e.columns[i], got[i], want[i], got, want)
			}
		}
		if n < len(e.heads) {
			h := e.heads[n]
			if err := h.unforeseen(got[len(want):]); err != nil {
				return fmt.Errorf("%s: row %q: %w", e.table, want[:e.keys], err)
			}
			for _, o := range e.heads[:n] {
				if h.number != "" && o.number == h.number {
					return fmt.Errorf("%s: row %q: STATEMENT_ID = %s, that of event %d of thread %d", e.table, want[:e.keys], h.number, o.id, o.thread)
				}
			}
		}
		delete(is, key(want))
	}
	for _, cells := range rows {
		if is[key(cells)] != nil {
			return fmt.Errorf("%s: unexpected row %q", e.table, cells)
		}
	}
	return nil
}

// check compares all tables with the model.
func (w *modelWorld) check() error {
	w.checks++
	var err error
	w.calibrated(func() { err = w.checkOnce() })
	if err == nil {
		err = w.err
	}
	return err
}

func (w *modelWorld) checkOnce() error {
	for l := range instr.LimitCount {
		if got := w.reg.Reader().Lost(l); got != w.lost[l] {
			return fmt.Errorf("lost beyond %v: %d, want %d", l, got, w.lost[l])
		}
	}
	if got := w.reg.Reader().LockerLost(); got != w.lockerLost {
		return fmt.Errorf("locker_lost: %d, want %d", got, w.lockerLost)
	}
	if got := w.reg.Reader().NestedStatementLost(); got != w.nestedLost {
		return fmt.Errorf("nested_statement_lost: %d, want %d", got, w.nestedLost)
	}
	if got := w.reg.Reader().DigestsLost(); got != w.digestsLost {
		return fmt.Errorf("digest_lost: %d, want %d", got, w.digestsLost)
	}
	for t := range instr.ObjectTypeCount {
		for _, name := range [][2]string{{"db1", "t1"}, {"db1", "t2"}, {"mysql", "t1"}, {"db2", "t1"}} {
			enabled, timed := w.reg.Setup().ObjectSwitches(t, name[0], name[1])
			wantEnabled, wantTimed := w.watchedObject(t, name[0], name[1])
			if enabled != wantEnabled || timed != wantTimed {
				return fmt.Errorf("%s %s: enabled %v, timed %v; want %v, %v", modelObjectTypes[t], name, enabled, timed, wantEnabled, wantTimed)
			}
		}
	}
	all := w.expectAll()
	for _, e := range all {
		if err := e.compare(w.reg, w.table(e.table)); err != nil {
			return err
		}
	}
	return w.checkKeys(all[w.checks%len(all)])
}

// checkKeys looks up one of the rows by its key columns, and by the first of them: by equality or
// for the identical value.
func (w *modelWorld) checkKeys(e *expected) error {
	if len(e.rows) == 0 {
		return nil
	}
	tb, sought, same := w.table(e.table), e.rows[w.checks%len(e.rows)], w.checks/3%2 == 0
	only := *e
	only.heads = nil
	for i := range e.keys {
		v := Text(sought[i])
		for _, c := range tb.Columns() {
			if n, err := strconv.ParseUint(sought[i], 10, 64); c.Name == e.columns[i] && err == nil && c.Kind.Type >= TypeBigIntUnsigned {
				v = Uint(n)
				if c.Kind.Type == TypeInt {
					v = Int(int64(n))
				}
			}
		}
		matches := strings.EqualFold
		switch {
		case same:
			matches = func(a, b string) bool { return a == b }
			if sought[i] == "NULL" {
				v = Null
			}
		case sought[i] == "NULL":
			return nil // equals nothing
		}
		only.where = append(slices.Clone(only.where), Eq{Column: e.columns[i], Value: v, Same: same})
		only.rows = slices.DeleteFunc(slices.Clone(only.rows), func(cells []string) bool { return !matches(cells[i], sought[i]) })
		if err := only.compare(w.reg, tb); err != nil {
			return fmt.Errorf("where %v: %w", only.where, err)
		}
	}
	return nil
}

// expectAll is every table. The histogram tables are long: now and then it has a global one, that
// of one instrument or that of one digest, and seldom all. The histograms of all instruments, and
// that of all statements, are compared with what the registry returns.
func (w *modelWorld) expectAll() []*expected {
	w.readBounds()
	all := w.expect()
	waits := w.of(waitKinds...)
	global := []*expected{w.histograms("events_waits_histogram_global", nil, w.bounds, waits...), w.globalHistogram()}
	if w.checks%50 == 0 {
		all = append(all, global...)
	} else if w.checks%3 == 0 {
		all = append(all, global[w.checks/3%2])
	}
	for i, c := range waits {
		if w.checks%4 == 0 && i == w.checks/4%len(waits) || w.checks%50 == 0 {
			all = append(all, w.histograms("events_waits_histogram_by_event_name", Key{is("EVENT_NAME", c.name)}, w.bounds, c))
		}
		if got := w.reg.Reader().ClassByName(c.name); got == nil || got.Histogram() != c.histogram {
			w.fail("the histogram of %s is not as expected", c.name)
		}
	}
	counts := w.reg.Reader().GlobalStatementHistogram()
	for b, n := range w.histogram {
		if got := counts.Count(b); got != n {
			w.fail("the histogram of statements has %d in bucket %d, want %d", got, b, n)
		}
	}
	for i, d := range w.shownDigests() {
		if w.checks%4 == 1 && i == w.checks/4%len(w.shownDigests()) || w.checks%50 == 0 {
			all = append(all, w.digestHistogram(d))
		}
	}
	return all
}
