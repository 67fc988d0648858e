package tables

import (
	"slices"

	"pfsd/instr"
)

// The counters of each user: those of its threads, and of those that have ended. As in MySQL, those
// of statements, Com_..., are only in SHOW STATUS. TRUNCATE moves those of threads and accounts to the users and
// hosts, and empties those of users. Those of everybody, in global_status, stay as they are.
//
// MySQL: performance_schema.status_by_user, since 5.7.
var _ = register(Def[*statusRow]{
	Name:     "status_by_user",
	Doc:      "The status variables of each user.",
	Recorded: NotKept,
	Columns: slices.Concat([]Column[*statusRow]{
		actorUser((*statusRow).user),
	}, statusColumns("What the variable is for all threads of the user, as text.")),
	Indexes:  []Index{{Name: "USER", Columns: []string{"USER", "VARIABLE_NAME"}, Unique: true}},
	Estimate: statusEstimate(actorCount),
	Rows:     actorStatus(instr.LevelUser),
	Truncate: func(model Model) { model.ResetActorStatus(instr.LevelUser) },
})
