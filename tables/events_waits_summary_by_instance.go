package tables

import (
	"slices"
)

// The waits for each object that exists. TRUNCATE empties the statistics of the objects.
//
// MySQL: performance_schema.events_waits_summary_by_instance, since 5.5.
var _ = register(Def[*statRow]{
	Name:     "events_waits_summary_by_instance",
	Doc:      "How often and how long each object was waited for.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*statRow]{statName, objectInstance(func(r *statRow) uint64 { return r.object })}, waitStatColumns),
	Indexes: []Index{
		{Name: "EVENT_NAME", Columns: []string{"EVENT_NAME"}},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*statRow] {
		return mapped(instances(model, key, "EVENT_NAME", objectKinds...), func(r *statRow, in Instance) bool {
			*r = statRow{name: in.Class().Name(), object: in.ID(), waits: in.Waits()}
			return true
		})
	},
	Truncate: resetInstances(objectKinds...),
})
