package tables

import (
	"slices"

	"pfsd/instr"
)

// How often and how long locks were held, by instrument: of mutexes, and of readers-writer locks for writing and for reading. The
// instruments are hold/synch/mutex/NAME and hold/synch/rwlock/NAME, beside wait/synch/... of the same name, and off until they are switched
// on. A recording has none. A hold counts when it ends; one for reading if a thread unlocks the lock that has locked it. TRUNCATE empties them.
//
// MySQL: none.
var _ = register(Def[*statRow]{
	Name:     "holds_summary_global_by_event_name",
	Doc:      "How often and how long locks were held, by instrument.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*statRow]{statName}, holdStatColumns),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME"}, Unique: true}},
	Estimate: func(model Model) int { return len(model.FamilyClasses(instr.FamilyHolds)) },
	Rows: func(model Model, key Key) Source[*statRow] {
		if !model.CountsHolds() {
			return list[*statRow](nil)
		}
		return mapped(list(classes(model, key, "EVENT_NAME", holdKinds...)), func(r *statRow, c *instr.Class) bool {
			*r = statRow{name: c.Name(), waits: model.ClassWaits(c)}
			return true
		})
	},
	Truncate: resetClasses(holdKinds...),
})
