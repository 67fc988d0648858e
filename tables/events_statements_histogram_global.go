package tables

import "pfsd/instr"

// How many timed statements took how long, with and without a digest: a row for each bucket.
// TRUNCATE empties the buckets.
//
// MySQL: performance_schema.events_statements_histogram_global, since 8.0.
var _ = register(Def[*histogramRow]{
	Name:     "events_statements_histogram_global",
	Doc:      "How many timed statements took how long.",
	Recorded: OfProgram,
	Columns:  statementHistogramColumns,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"BUCKET_NUMBER"}, Unique: true}},
	Estimate: func(Model) int { return instr.StatementHistogramBuckets },
	Rows: func(model Model, key Key) Source[*histogramRow] {
		rows := histogramRows{key: key}
		return list(rows.of(histogramOf{}, instr.StatementHistogramBuckets, model.GlobalStatementHistogram().Count))
	},
	Truncate: Model.ResetGlobalStatementHistogram,
})
