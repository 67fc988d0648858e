package tables

import (
	"slices"
	"time"

	"pfsd/instr"
)

// The statements by default database and digest, while the consumer statements_digest is on.
// What has no room counts in a row without a digest. TRUNCATE removes all rows.
//
// Differs: QUERY_SAMPLE_SEEN is 1970-01-01 00:00:00 UTC where there is no sample, as there is no zero timestamp.
// MySQL: performance_schema.events_statements_summary_by_digest, since 5.6.
var _ = register(Def[*instr.DigestRow]{
	Name:     "events_statements_summary_by_digest",
	Doc:      "The statements by default database and digest.",
	Recorded: OfProgram,
	Columns: slices.Concat([]Column[*instr.DigestRow]{
		digestSchema(func(r *instr.DigestRow) Value { return schemaName(r.Schema) }),
		digestHash(func(r *instr.DigestRow) Value { return digestValue(r.Digest) }),
		{Name: "DIGEST_TEXT", Kind: longtext.nullable(), Get: func(r *instr.DigestRow) Value { return digestText(r.Digest) }, Doc: "The normalised statement; NULL in the row of what has no row of its own."},
	}, statementColumns(func(r *instr.DigestRow) *instr.StatementStat { return &r.Stat }), []Column[*instr.DigestRow]{
		{Name: "FIRST_SEEN", Kind: timestamp(6), Get: func(r *instr.DigestRow) Value { return Time(r.First) }, Doc: "When the first of the statements ended."},
		{Name: "LAST_SEEN", Kind: timestamp(6), Get: func(r *instr.DigestRow) Value { return Time(r.Last) }, Doc: "When the last of the statements ended."},
		{Name: "QUANTILE_95", Kind: bigintUnsigned, Get: func(r *instr.DigestRow) Value { return Uint(r.Quantile95) }, Doc: "95 % of the timed statements took no longer, picoseconds: the end of a histogram's bucket; 0 if there are none."},
		{Name: "QUANTILE_99", Kind: bigintUnsigned, Get: func(r *instr.DigestRow) Value { return Uint(r.Quantile99) }, Doc: "99 % of the timed statements took no longer, picoseconds; 0 if there are none."},
		{Name: "QUANTILE_999", Kind: bigintUnsigned, Get: func(r *instr.DigestRow) Value { return Uint(r.Quantile999) }, Doc: "99.9 % of the timed statements took no longer, picoseconds; 0 if there are none."},
		{Name: "QUERY_SAMPLE_TEXT", Kind: longtext.nullable(), Get: func(r *instr.DigestRow) Value { return clientText(r.SampleText) }, Doc: "One of the statements: the slowest of late; NULL if there is none."},
		{Name: "QUERY_SAMPLE_SEEN", Kind: timestamp(6), Get: func(r *instr.DigestRow) Value {
			if r.SampleSeen.IsZero() {
				return Time(time.Unix(0, 0))
			}
			return Time(r.SampleSeen)
		}, Doc: "When that statement ended."},
		{Name: "QUERY_SAMPLE_TIMER_WAIT", Kind: bigintUnsigned, Get: func(r *instr.DigestRow) Value { return Uint(r.SampleWait) }, Doc: "How long that statement took, picoseconds; 0 if it was not timed."},
	}),
	Indexes:  []Index{{Name: "SCHEMA_NAME", Columns: []string{"SCHEMA_NAME", "DIGEST"}, Unique: true}},
	Estimate: func(Model) int { return digestEstimate },
	Rows: func(model Model, key Key) Source[*instr.DigestRow] {
		return pointers(model.Digests(digestsOf(key)))
	},
	Truncate: Model.TruncateDigests,
})
