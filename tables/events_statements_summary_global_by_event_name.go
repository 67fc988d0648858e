package tables

import "pfsd/instr"

// The statements of all threads together, by instrument: a row for every instrument,
// whether it was used or not. What threads that have ended did is included. TRUNCATE
// empties the statistics of everybody: of threads, accounts, users and hosts, too; and
// events_statements_histogram_global.
//
// MySQL: performance_schema.events_statements_summary_global_by_event_name, since 5.6.
var _ = register(Def[*statementRow]{
	Name:     "events_statements_summary_global_by_event_name",
	Doc:      "What statements any thread has run, by instrument.",
	Recorded: OfProgram,
	Columns:  statementSummary,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyStatements, single),
	Rows:     statementRows(globalWork),
	Truncate: resetGlobalWork(instr.WorkStatements),
})
