package tables

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pfsd/instr"
	"pfsd/timers"
)

// modelSetupOps are the steps that change switches and limits, and TRUNCATE.
var modelSetupOps = []modelOp{
	{"consumer", 4, func(w *modelWorld, a, b, c uint32) string {
		on := b%4 != 0
		which := instr.Consumer(a % uint32(instr.ConsumerCount))
		// A switch that hides all others is soon switched on again.
		for _, other := range []instr.Consumer{instr.ConsumerGlobalInstrumentation, instr.ConsumerThreadInstrumentation} {
			if !w.consumers[other] && c%2 == 0 {
				which, on = other, true
			}
		}
		w.consumers[which] = on
		w.update("setup_consumers", Key{is("NAME", which.String())}, "ENABLED", yesOrNo(on))
		return which.String() + " " + yesOrNo(on)
	}},
	{"instrument", 5, func(w *modelWorld, a, b, c uint32) string {
		on, column := b%4 != 0, pick([]string{"ENABLED", "TIMED"}, c)
		flip := func(class *modelClass) {
			if column == "ENABLED" {
				class.enabled = on
			} else {
				class.timed = on
			}
		}
		if c%16 >= 14 {
			for _, class := range w.classes {
				flip(class)
			}
			w.update("setup_instruments", nil, column, yesOrNo(on))
			return "all " + column + " " + yesOrNo(on)
		}
		class := pick(w.classes, a)
		if work := w.of(modelFamilyKinds[:]...); b/4%2 == 0 {
			class = pick(work, a)
		}
		flip(class)
		w.update("setup_instruments", Key{is("NAME", class.name)}, column, yesOrNo(on))
		return class.name + " " + column + " " + yesOrNo(on)
	}},
	{"setup_threads", 1, func(w *modelWorld, a, b, c uint32) string {
		if len(w.threadClasses) == 0 {
			return ""
		}
		class, on, column := pick(w.threadClasses, a), b%3 != 0, pick([]string{"ENABLED", "HISTORY"}, c)
		if column == "ENABLED" {
			class.enabled = on
		} else {
			class.history = on
		}
		w.update("setup_threads", Key{is("NAME", class.name)}, column, yesOrNo(on))
		return class.name + " " + column + " " + yesOrNo(on)
	}},
	{"threads", 2, func(w *modelWorld, a, b, c uint32) string {
		if len(w.threads) == 0 {
			return ""
		}
		on, column := b%3 != 0, pick([]string{"INSTRUMENTED", "HISTORY"}, c)
		i := int(a % uint32(len(w.threads)))
		some, key, who := w.threads[i:i+1], Key{number("THREAD_ID", w.threads[i].id)}, fmt.Sprint(w.threads[i].id)
		if c%16 >= 14 {
			some, key, who = w.threads, nil, "all"
		}
		for _, t := range some {
			if column == "INSTRUMENTED" {
				t.instrumented = on
			} else {
				t.history = on
			}
		}
		w.update("threads", key, column, yesOrNo(on))
		return fmt.Sprint(who, " ", column, " ", yesOrNo(on))
	}},
	{"setup_actors", 3, func(w *modelWorld, a, b, c uint32) string {
		row := instr.SetupActor{
			Host: pick([]string{"%", "h1", "h2", "H2"}, a), User: pick([]string{"%", "alice", "bob"}, b), Role: "%",
			Enabled: c&1 != 0, History: c&2 != 0,
		}
		switch a / 4 % 16 {
		case 0:
			row.Role = "role"
		case 1:
			row.Host = ""
		}
		return modelSetupActors.change(w, row, a, b, c)
	}},
	{"setup_objects", 2, func(w *modelWorld, a, b, c uint32) string {
		row := instr.SetupObject{
			Type: instr.ObjectType(a % uint32(instr.ObjectTypeCount)), Schema: pick([]string{"%", "mysql", "db1"}, b), Name: pick([]string{"%", "t1"}, b/3),
			Enabled: c&1 != 0, Timed: c&2 != 0,
		}
		return modelSetupObjects.change(w, row, a, b, c)
	}},
	{"setup_timers", 2, func(w *modelWorld, a, b, c uint32) string {
		kind, timer := instr.TimerKind(a%uint32(instr.TimerKindCount)), pick([]timers.ID{timers.Cycle, timers.Nanosecond, timers.Microsecond}, b)
		if !timer.Available() {
			return ""
		}
		w.timers[kind] = timer.String()
		w.update("setup_timers", Key{is("NAME", kind.String())}, "TIMER_NAME", timer.String())
		return kind.String() + " " + timer.String()
	}},
	{"truncate", 14, func(w *modelWorld, a, b, c uint32) string {
		table := pick(modelTruncates, a)
		if a%2 != 0 {
			table = pick(modelWorkTruncates, a/2)
		}
		if b/2%4 == 0 {
			table = pick(modelMemoryTruncates, b/8)
		}
		if table == "events_waits_current" && slices.ContainsFunc(w.threads, func(t *modelThread) bool { return t.depth > 0 }) {
			return "" // what becomes of a running wait is not said
		}
		if strings.HasPrefix(table, "setup_") && b%2 != 0 {
			return ""
		}
		w.truncate(table)
		w.table(table).Truncate(Of(w.reg))
		return table
	}},
	{"limit", 1, func(w *modelWorld, a, b, c uint32) string {
		l := pick([]instr.Limit{
			instr.LimitAccounts, instr.LimitUsers, instr.LimitHosts, instr.LimitMutexInstances, instr.LimitThreadInstances,
			instr.LimitSocketInstances, instr.LimitRWMutexInstances, instr.LimitSetupActors, instr.LimitSetupObjects,
		}, a)
		if w.limits[l] < 0 {
			return "" // only in worlds that have this limit
		}
		w.setLimit(l, int(b%4))
		return fmt.Sprint(l, " ", b%4)
	}},
}

var modelTruncates = []string{
	"events_waits_current", "events_waits_history", "events_waits_history_long",
	"events_waits_summary_by_instance", "events_waits_summary_global_by_event_name", "events_waits_summary_global_by_class",
	"events_waits_summary_global_by_order", "events_waits_summary_global_by_family", "events_waits_summary_global_by_genus",
	"events_waits_summary_by_thread_by_event_name", "events_waits_summary_by_thread_by_class", "events_waits_summary_by_thread_by_order",
	"events_waits_summary_by_thread_by_family", "events_waits_summary_by_thread_by_genus",
	"events_waits_summary_by_account_by_event_name", "events_waits_summary_by_account_by_event_name",
	"events_waits_summary_by_user_by_event_name", "events_waits_summary_by_host_by_event_name",
	"events_waits_histogram_global", "events_waits_histogram_by_event_name",
	"file_summary_by_instance", "file_summary_by_event_name", "socket_summary_by_instance", "socket_summary_by_event_name",
	"accounts", "accounts", "users", "users", "hosts", "hosts", "setup_actors", "setup_objects",
}

// modelSetupTable is a table of the setup that rows are added to and taken from.
type modelSetupTable[R any] struct {
	name     string
	limit    instr.Limit
	keys     []string          // the columns that tell one row from another
	key      func(R) []string  // what these are
	same     func(a, b R) bool // whether two rows have the same key
	switches [2]string         // the columns that can be updated
	of       func(*R) [2]*bool // what these are
	all      func(*model) *[]R
	empty    func(R) bool // whether there is no such row, as a name is missing
}

var modelSetupActors = modelSetupTable[instr.SetupActor]{
	name: "setup_actors", limit: instr.LimitSetupActors, keys: []string{"HOST", "USER", "ROLE"}, switches: [2]string{"ENABLED", "HISTORY"},
	key: func(r instr.SetupActor) []string { return []string{r.Host, r.User, r.Role} },
	same: func(a, b instr.SetupActor) bool {
		return strings.EqualFold(a.Host, b.Host) && a.User == b.User && a.Role == b.Role
	},
	of:    func(r *instr.SetupActor) [2]*bool { return [2]*bool{&r.Enabled, &r.History} },
	all:   func(m *model) *[]instr.SetupActor { return &m.actors },
	empty: func(r instr.SetupActor) bool { return r.Host == "" },
}

var modelSetupObjects = modelSetupTable[instr.SetupObject]{
	name: "setup_objects", limit: instr.LimitSetupObjects, keys: []string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"}, switches: [2]string{"ENABLED", "TIMED"},
	key: func(r instr.SetupObject) []string { return []string{modelObjectTypes[r.Type], r.Schema, r.Name} },
	same: func(a, b instr.SetupObject) bool {
		return a.Type == b.Type && a.Schema == b.Schema && a.Name == b.Name
	},
	of:    func(r *instr.SetupObject) [2]*bool { return [2]*bool{&r.Enabled, &r.Timed} },
	all:   func(m *model) *[]instr.SetupObject { return &m.schemaObjects },
	empty: func(instr.SetupObject) bool { return false },
}

// change adds a row, or more often updates or deletes an existing one; seldom it deletes all.
func (s modelSetupTable[R]) change(w *modelWorld, row R, a, b, c uint32) string {
	all := s.all(w.model)
	if c/4%4 >= 2 && c/64%4 != 0 && len(*all) > 0 {
		row = pick(*all, a)
	}
	var key Key
	values := s.key(row)
	for k, column := range s.keys {
		key = append(key, is(column, values[k]))
	}
	i := slices.IndexFunc(*all, func(o R) bool { return s.same(o, row) })
	what := fmt.Sprintf("%q", values)
	switch c / 4 % 4 {
	case 0, 1:
		on := s.of(&row)
		err := w.table(s.name).Insert(Of(w.reg), []Value{Text(values[0]), Text(values[1]), Text(values[2]), yes(*on[0]), yes(*on[1])})
		full := w.limits[s.limit] >= 0 && len(*all) >= w.limits[s.limit]
		w.inserted(s.name, err, s.empty(row), i >= 0, full)
		if err == nil {
			*all = append(*all, row)
		}
		return fmt.Sprintf("insert %s: %v %v: %v", what, *on[0], *on[1], err)
	case 2:
		on, which := b/8%2 == 0, c/16%2
		if i >= 0 {
			*s.of(&(*all)[i])[which] = on
		}
		w.update(s.name, key, s.switches[which], yesOrNo(on))
		return fmt.Sprintf("update %s: %s %v", what, s.switches[which], on)
	}
	switch {
	case c/256%16 == 0:
		*all, key, what = nil, nil, "all"
	case i >= 0:
		*all = slices.Delete(*all, i, i+1)
	}
	if err := w.table(s.name).Delete(Of(w.reg), key); err != nil {
		w.fail("DELETE: %v", err)
	}
	return "delete " + what
}

// inserted checks what an INSERT has returned.
func (w *modelWorld) inserted(table string, err error, empty, duplicate, full bool) {
	var wanted []error
	for _, c := range []struct {
		when bool
		err  error
	}{{empty, ErrEmptyName}, {duplicate, ErrDuplicate}, {full, ErrFull}} {
		if c.when {
			wanted = append(wanted, c.err)
		}
	}
	// The reference does not say which of two errors comes first.
	if len(wanted) == 0 && err != nil || len(wanted) > 0 && !slices.ContainsFunc(wanted, func(want error) bool { return errors.Is(err, want) }) {
		w.fail("INSERT INTO %s: %v, want one of %v", table, err, wanted)
	}
}

// update is an UPDATE that succeeds.
func (w *modelWorld) update(table string, key Key, column, value string) {
	if err := w.table(table).Update(Of(w.reg), key, column, Text(value)); err != nil {
		w.fail("UPDATE %s SET %s = %s: %v", table, column, value, err)
	}
}
