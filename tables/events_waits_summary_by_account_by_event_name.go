package tables

import (
	"slices"

	"pfsd/instr"
)

// The waits of each account, by instrument: a row for every instrument, whether it was
// used or not. The waits of threads that have ended are included. TRUNCATE moves the
// statistics of the threads to their accounts, and those of the accounts to their users
// and hosts.
//
// MySQL: performance_schema.events_waits_summary_by_account_by_event_name, since 5.6.
var _ = register(Def[*statRow]{
	Name:     "events_waits_summary_by_account_by_event_name",
	Doc:      "How often and how long the threads of each account have waited, by instrument.",
	Recorded: NotKept,
	Columns:  slices.Concat([]Column[*statRow]{statUser, statHost, statName}, waitStatColumns),
	Indexes:  []Index{{Name: "ACCOUNT", Columns: []string{"USER", "HOST", "EVENT_NAME"}, Unique: true}},
	Estimate: func(model Model) int {
		return actorEstimate * len(model.FamilyClasses(instr.FamilyWaits))
	},
	Rows:     actorStatRows(instr.LevelAccount),
	Truncate: func(model Model) { model.ResetActorWaits(instr.LevelAccount) },
})
