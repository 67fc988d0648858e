package tables

import "pfsd/instr"

// How many timed waits took how long, all instruments together: a row for each bucket.
// What is timed while the consumer events_waits_histogram is on is counted. TRUNCATE
// empties the histograms of all instruments.
//
// MySQL: none.
var _ = register(Def[*histogramRow]{
	Name:     "events_waits_histogram_global",
	Doc:      "How many timed waits took how long.",
	Recorded: OfProgram,
	Columns:  waitHistogramColumns,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"BUCKET_NUMBER"}, Unique: true}},
	Estimate: func(Model) int { return instr.HistogramBuckets },
	Rows: func(model Model, key Key) Source[*histogramRow] {
		var sum instr.Histogram
		for _, c := range classes(model, nil, "", waitKinds...) {
			for i, n := range model.ClassHistogram(c) {
				sum[i] += n
			}
		}
		rows := histogramRows{key: key}
		return list(rows.of(histogramOf{}, len(sum), func(bucket int) uint64 { return sum[bucket] }))
	},
	Truncate: resetHistograms,
})
