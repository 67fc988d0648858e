package tables

import (
	"slices"

	"pfsd/instr"
)

// The waits of each thread, by instrument: a row for every instrument of every thread,
// whether it has waited or not. TRUNCATE empties the statistics of the threads.
//
// MySQL: performance_schema.events_waits_summary_by_thread_by_event_name, since 5.5.
var _ = register(Def[*statRow]{
	Name: "events_waits_summary_by_thread_by_event_name",
	Doc:  "How often and how long each thread has waited, by instrument.",
	Columns: slices.Concat([]Column[*statRow]{
		{Name: "THREAD_ID", Kind: bigintUnsigned, Get: func(r *statRow) Value { return Uint(r.thread) }, Doc: "The thread that waited."},
		eventName("EVENT_NAME", (*statRow).instrument),
	}, statColumns("STAR", "WAIT", "waits", (*statRow).stat)),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_NAME"}, Unique: true}},
	Estimate: func(reg *instr.Registry) int { return len(reg.Threads()) * len(reg.Classes()) },
	Rows: func(reg *instr.Registry, key Key) Source[*statRow] {
		classes := classes(reg, key, "EVENT_NAME", waitKinds...)
		var rows []statRow
		return mapped(each(threadsOf(reg, key), func(t *instr.Thread) []statRow {
			rows = threadStats(rows[:0], t, classes)
			return rows
		}), func(r *statRow, s statRow) bool {
			*r = s
			return true
		})
	},
	Truncate: func(reg *instr.Registry) {
		for _, t := range reg.Threads() {
			t.ResetWaits()
		}
	},
})

// threadStats appends the statistics of a thread, nothing if it ends meanwhile.
func threadStats(rows []statRow, t *instr.Thread, classes []*instr.Class) []statRow {
	id := t.ID()
	for _, c := range classes {
		rows = append(rows, statRow{class: c, thread: id, waits: t.Waits(c)})
	}
	if id == 0 || t.ID() != id {
		return rows[:0]
	}
	return rows
}
