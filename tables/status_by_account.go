package tables

import (
	"slices"

	"pfsd/instr"
)

// The counters of each account: those of its threads, and of those that have ended. As in MySQL, those
// of statements, Com_..., are only in SHOW STATUS. TRUNCATE moves those of threads and accounts to the users and
// hosts. Those of everybody, in global_status, stay as they are.
//
// MySQL: performance_schema.status_by_account, since 5.7.
var _ = register(Def[*statusRow]{
	Name:     "status_by_account",
	Doc:      "The status variables of each account.",
	Recorded: NotKept,
	Columns: slices.Concat([]Column[*statusRow]{
		actorUser((*statusRow).user),
		actorHost((*statusRow).host),
	}, statusColumns("What the variable is for all threads of the account, as text.")),
	Indexes:  []Index{{Name: "ACCOUNT", Columns: []string{"USER", "HOST", "VARIABLE_NAME"}, Unique: true}},
	Estimate: statusEstimate(actorCount),
	Rows:     actorStatus(instr.LevelAccount),
	Truncate: func(model Model) { model.ResetActorStatus(instr.LevelAccount) },
})
