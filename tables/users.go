package tables

import (
	"slices"

	"pfsd/instr"
)

// The users that threads work for or have worked for. The row NULL is about the threads in
// the background, and the connections before login. TRUNCATE removes the users that have
// no thread now, and begins to count anew where there are threads; the accounts are
// truncated before, and what the users have waited for is emptied.
//
// MySQL: performance_schema.users, since 5.6.
var _ = register(Def[*instr.Actor]{
	Name:     "users",
	Doc:      "The users and how many threads they have.",
	Recorded: NotKept,
	Columns: slices.Concat([]Column[*instr.Actor]{
		actorUser(func(r *instr.Actor) string { return r.User }),
	}, connectionColumns),
	Indexes:  []Index{{Name: "USER", Columns: []string{"USER"}, Unique: true}},
	Estimate: func(Model) int { return actorEstimate },
	Rows:     actorRows(instr.LevelUser),
	Truncate: func(model Model) { model.TruncateActors(instr.LevelUser) },
})
