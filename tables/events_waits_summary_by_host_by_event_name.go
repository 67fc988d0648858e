package tables

import (
	"slices"

	"pfsd/instr"
)

// The waits of each host, by instrument: a row for every instrument, whether it was used
// or not. The waits of threads that have ended are included. TRUNCATE empties the
// statistics of the hosts, after those of the threads and the accounts have been moved to
// their users and hosts.
//
// MySQL: performance_schema.events_waits_summary_by_host_by_event_name, since 5.6.
var _ = register(Def[*statRow]{
	Name:     "events_waits_summary_by_host_by_event_name",
	Doc:      "How often and how long the threads of each host have waited, by instrument.",
	Recorded: NotKept,
	Columns:  slices.Concat([]Column[*statRow]{statHost, statName}, waitStatColumns),
	Indexes:  []Index{{Name: "HOST", Columns: []string{"HOST", "EVENT_NAME"}, Unique: true}},
	Estimate: func(model Model) int {
		return actorEstimate * len(model.FamilyClasses(instr.FamilyWaits))
	},
	Rows:     actorStatRows(instr.LevelHost),
	Truncate: func(model Model) { model.ResetActorWaits(instr.LevelHost) },
})
