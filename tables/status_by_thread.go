package tables

import (
	"slices"
)

// The status variables of each connection, since it began or they were emptied. As in MySQL, the
// counters of statements, Com_..., are only in SHOW STATUS. TRUNCATE moves the counters to the
// accounts, or else to users and hosts, and to those of everybody.
//
// MySQL: performance_schema.status_by_thread, since 5.7.
var _ = register(Def[*statusRow]{
	Name:     "status_by_thread",
	Doc:      "The status variables of each connection.",
	Recorded: NotKept,
	Columns: slices.Concat([]Column[*statusRow]{
		{Name: "THREAD_ID", Kind: bigintUnsigned, Get: func(r *statusRow) Value { return Uint(r.who.ThreadID) }, Doc: "The connection's thread."},
	}, statusColumns("What the variable is for the connection, as text.")),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "VARIABLE_NAME"}, Unique: true}},
	Estimate: statusEstimate(threadCount),
	Rows:     threadStatus,
	Truncate: Model.ResetThreadStatus,
})
