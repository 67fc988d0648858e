package tables

import "pfsd/instr"

// bucketRow is a bucket of a histogram that is not empty.
type bucketRow struct {
	timesRow
	bucket int
}

// How many timed events took how long, of all instruments, of the operations of those of files and sockets, and of objects: a row for each
// bucket that is not empty. What is timed while the consumer events_X_histogram of the instrument's family is on is
// counted; of an object while events_waits_histogram_by_instance and events_waits_current are on, too. Counts can be added up, and
// subtracted from later ones. TRUNCATE empties all of them, those of events_waits_histogram_by_event_name included.
//
// MySQL: none.
var _ = register(Def[*bucketRow]{
	Name:     "event_histograms",
	Doc:      "How many timed events took how long, by instrument, operation and object.",
	Recorded: OfProgram,
	Columns: append(timesOfColumns(func(r *bucketRow) *timesRow { return &r.timesRow }),
		Column[*bucketRow]{Name: "BUCKET_NUMBER", Kind: intUnsigned, Get: func(r *bucketRow) Value { return Uint(uint64(r.bucket)) }, Doc: "The bucket's number, from 0."},
		Column[*bucketRow]{Name: "BUCKET_TIMER_LOW", Kind: bigintUnsigned, Get: func(r *bucketRow) Value {
			low, _ := instr.HistogramBounds(r.bucket)
			return Uint(low)
		}, Doc: "The shortest time of the bucket, picoseconds."},
		Column[*bucketRow]{Name: "BUCKET_TIMER_HIGH", Kind: bigintUnsigned, Get: func(r *bucketRow) Value {
			_, high := instr.HistogramBounds(r.bucket)
			return Uint(high)
		}, Doc: "The time below which those of the bucket are, picoseconds."},
		Column[*bucketRow]{Name: "COUNT_BUCKET", Kind: bigintUnsigned, Get: func(r *bucketRow) Value { return Uint(r.Buckets[r.bucket]) }, Doc: "How many events are in the bucket."},
	),
	Indexes: []Index{
		{Name: "EVENT_NAME", Columns: []string{"EVENT_NAME"}},
		{Name: "OBJECT_INSTANCE_BEGIN", Columns: []string{"OBJECT_INSTANCE_BEGIN"}},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*bucketRow] {
		return each(classes(model, key, "EVENT_NAME", timedKinds...), func(c *instr.Class) (rows []*bucketRow) {
			for _, t := range timesOf(model, key, c) {
				for i, n := range &t.Buckets {
					if n > 0 {
						rows = append(rows, &bucketRow{*t, i})
					}
				}
			}
			return rows
		})
	},
	Truncate: resetTimes,
})

func resetTimes(model Model) {
	for _, c := range model.Classes() {
		model.ResetHistogram(c)
	}
}
