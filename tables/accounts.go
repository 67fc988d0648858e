package tables

import (
	"slices"

	"pfsd/instr"
)

// The accounts that threads work for or have worked for. The row NULL, NULL is about the
// threads in the background, and the connections before login. TRUNCATE removes the
// accounts that have no thread now, and begins to count anew where there are threads; what
// the accounts have waited for is moved to their users and hosts.
//
// MySQL: performance_schema.accounts, since 5.6.
var _ = register(Def[*instr.Actor]{
	Name:     "accounts",
	Doc:      "The accounts and how many threads they have.",
	Recorded: NotKept,
	Columns: slices.Concat([]Column[*instr.Actor]{
		actorUser(func(r *instr.Actor) string { return r.User }),
		actorHost(func(r *instr.Actor) string { return r.Host }),
	}, connectionColumns),
	Indexes:  []Index{{Name: "ACCOUNT", Columns: []string{"USER", "HOST"}, Unique: true}},
	Estimate: func(Model) int { return actorEstimate },
	Rows:     actorRows(instr.LevelAccount),
	Truncate: func(model Model) { model.TruncateActors(instr.LevelAccount) },
})
