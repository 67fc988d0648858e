package tables

import (
	"slices"

	"pfsd/instr"
)

// How many timed waits took how long, by instrument: a row for each bucket of every
// instrument. What is timed while the consumer events_waits_histogram is on is counted.
// TRUNCATE empties the histograms of all instruments.
//
// MySQL: none.
var _ = register(Def[*histogramRow]{
	Name:     "events_waits_histogram_by_event_name",
	Doc:      "How many timed waits took how long, by instrument.",
	Recorded: OfProgram,
	Columns: slices.Concat([]Column[*histogramRow]{
		{Name: "EVENT_NAME", Kind: varchar(128), Get: func(r *histogramRow) Value { return Text(r.of.name) }, Doc: "The instrument's name."},
	}, waitHistogramColumns),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME", "BUCKET_NUMBER"}, Unique: true}},
	Estimate: func(model Model) int { return instr.HistogramBuckets * len(model.Classes()) },
	Rows: func(model Model, key Key) Source[*histogramRow] {
		rows := histogramRows{key: key}
		return each(classes(model, key, "EVENT_NAME", waitKinds...), func(c *instr.Class) []*histogramRow {
			counts := model.ClassHistogram(c)
			return rows.of(histogramOf{name: c.Name()}, len(counts), func(bucket int) uint64 { return counts[bucket] })
		})
	},
	Truncate: resetHistograms,
})
