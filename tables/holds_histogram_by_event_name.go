package tables

import (
	"slices"

	"pfsd/instr"
)

// How many timed holds of locks took how long, by instrument: a row for each bucket of every
// instrument. What is timed while the consumer events_waits_histogram is on is counted.
// TRUNCATE empties them.
//
// MySQL: none.
var _ = register(Def[*histogramRow]{
	Name:     "holds_histogram_by_event_name",
	Doc:      "How many timed holds of locks took how long, by instrument.",
	Recorded: OfProgram,
	Columns: slices.Concat([]Column[*histogramRow]{
		{Name: "EVENT_NAME", Kind: varchar(128), Get: func(r *histogramRow) Value { return Text(r.of.name) }, Doc: "The instrument's name."},
	}, holdHistogramColumns),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME", "BUCKET_NUMBER"}, Unique: true}},
	Estimate: func(model Model) int { return instr.HistogramBuckets * len(model.FamilyClasses(instr.FamilyHolds)) },
	Rows: func(model Model, key Key) Source[*histogramRow] {
		if !model.CountsHolds() {
			return list[*histogramRow](nil)
		}
		rows := histogramRows{key: key}
		return each(classes(model, key, "EVENT_NAME", holdKinds...), func(c *instr.Class) []*histogramRow {
			counts := model.ClassHistogram(c)
			return rows.of(histogramOf{name: c.Name()}, len(counts), func(bucket int) uint64 { return counts[bucket] })
		})
	},
	Truncate: func(model Model) {
		for _, c := range model.FamilyClasses(instr.FamilyHolds) {
			model.ResetHistogram(c)
		}
	},
})
