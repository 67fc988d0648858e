package tables

import (
	"slices"

	"pfsd/instr"
)

// The counters of each host: those of its threads, and of those that have ended. As in MySQL, those
// of statements, Com_..., are only in SHOW STATUS. TRUNCATE moves those of threads and accounts to the users and
// hosts, and empties those of hosts. Those of everybody, in global_status, stay as they are.
//
// MySQL: performance_schema.status_by_host, since 5.7.
var _ = register(Def[*statusRow]{
	Name:     "status_by_host",
	Doc:      "The status variables of each host.",
	Recorded: NotKept,
	Columns: slices.Concat([]Column[*statusRow]{
		actorHost((*statusRow).host),
	}, statusColumns("What the variable is for all threads of the host, as text.")),
	Indexes:  []Index{{Name: "HOST", Columns: []string{"HOST", "VARIABLE_NAME"}, Unique: true}},
	Estimate: statusEstimate(actorCount),
	Rows:     actorStatus(instr.LevelHost),
	Truncate: func(model Model) { model.ResetActorStatus(instr.LevelHost) },
})
