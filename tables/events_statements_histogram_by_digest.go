package tables

import (
	"slices"

	"pfsd/instr"
)

// How many timed statements took how long, by schema and digest: a row for each bucket of
// every row of events_statements_summary_by_digest. TRUNCATE empties the buckets, those of
// the row without a digest too, which TRUNCATE of that table leaves.
//
// MySQL: performance_schema.events_statements_histogram_by_digest, since 8.0.
var _ = register(Def[*histogramRow]{
	Name:     "events_statements_histogram_by_digest",
	Doc:      "How many timed statements took how long, by schema and digest.",
	Recorded: OfProgram,
	Columns: slices.Concat([]Column[*histogramRow]{
		digestSchema(func(r *histogramRow) Value { return r.of.schema }),
		digestHash(func(r *histogramRow) Value { return r.of.digest }),
	}, statementHistogramColumns),
	Indexes:  []Index{{Name: "SCHEMA_NAME", Columns: []string{"SCHEMA_NAME", "DIGEST", "BUCKET_NUMBER"}, Unique: true}},
	Estimate: func(Model) int { return instr.StatementHistogramBuckets * digestEstimate },
	Rows: func(model Model, key Key) Source[*histogramRow] {
		rows := histogramRows{key: key}
		return each(model.DigestHistograms(digestsOf(key)), func(h instr.DigestHistogram) []*histogramRow {
			return rows.of(histogramOf{schema: schemaName(h.Schema), digest: digestValue(h.Digest)}, instr.StatementHistogramBuckets, h.Counts.Count)
		})
	},
	Truncate: Model.ResetDigestHistograms,
})
