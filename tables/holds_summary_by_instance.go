package tables

import (
	"slices"

	"pfsd/instr"
)

// How often and how long each lock that exists was held, as in holds_summary_global_by_event_name. EVENT_NAME is the instrument of the holds.
// TRUNCATE empties the statistics of the locks.
//
// MySQL: none.
var _ = register(Def[*statRow]{
	Name:     "holds_summary_by_instance",
	Doc:      "How often and how long each mutex and readers-writer lock was held.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*statRow]{statName, objectInstance(func(r *statRow) uint64 { return r.object })}, holdStatColumns),
	Indexes: []Index{
		{Name: "EVENT_NAME", Columns: []string{"EVENT_NAME"}},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*statRow] {
		if !model.CountsHolds() {
			return list[*statRow](nil)
		}
		return mapped(instances(model, key, "", lockKinds...), func(r *statRow, in Instance) bool {
			*r = statRow{name: in.Class().Holds().Name(), object: in.ID(), waits: in.(interface{ Holds() instr.Stat }).Holds()}
			return key.allows("EVENT_NAME", Text(r.name))
		})
	},
	Truncate: resetInstances(holdKinds...),
})
