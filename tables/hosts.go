package tables

import (
	"slices"

	"pfsd/instr"
)

// The hosts that threads work for or have worked for. The row NULL is about the threads in
// the background, and the connections before login. TRUNCATE removes the hosts that have
// no thread now, and begins to count anew where there are threads; the accounts are
// truncated before, and what the hosts have waited for is emptied.
//
// MySQL: performance_schema.hosts, since 5.6.
var _ = register(Def[*instr.Actor]{
	Name:     "hosts",
	Doc:      "The hosts and how many threads they have.",
	Recorded: NotKept,
	Columns: slices.Concat([]Column[*instr.Actor]{
		actorHost(func(r *instr.Actor) string { return r.Host }),
	}, connectionColumns),
	Indexes:  []Index{{Name: "HOST", Columns: []string{"HOST"}, Unique: true}},
	Estimate: func(Model) int { return actorEstimate },
	Rows:     actorRows(instr.LevelHost),
	Truncate: func(model Model) { model.TruncateActors(instr.LevelHost) },
})
