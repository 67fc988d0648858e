package tables

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"pfsd/instr"
)

// threadMinute is what the samples of a minute say of a thread's waits of one instrument.
type threadMinute struct {
	start          time.Time
	thread         uint64
	event          string
	latest         uint64 // the number of the latest wait
	waits, samples uint64
	sum            float64 // seconds
	longest        uint64  // picoseconds
	timed          bool
}

const bucketStart = "BUCKET_START"

// For what each thread has waited in each minute, as the samples of active_session_history show it: for how long is about right, and a
// wait that was over between two samples is not seen. It goes back as far as the samples, and is empty while the consumer
// events_waits_summary_by_thread_by_time is off. TRUNCATE removes the samples. A minute in which the clock was set back has its rows twice.
//
// MySQL: none.
var _ = register(Def[*threadMinute]{
	Name:     "events_waits_summary_by_thread_by_time",
	Doc:      "For what each thread has waited in each minute, by the samples of active sessions.",
	Recorded: OfProgram,
	Columns: []Column[*threadMinute]{
		{Name: bucketStart, Kind: timestamp(0), Get: func(r *threadMinute) Value { return Time(r.start) }, Doc: "When the minute began."},
		{Name: "THREAD_ID", Kind: bigintUnsigned, Get: func(r *threadMinute) Value { return Uint(r.thread) }, Doc: "The thread."},
		{Name: "EVENT_NAME", Kind: varchar(128), Get: func(r *threadMinute) Value { return Text(r.event) }, Doc: "The instrument."},
		{Name: "COUNT_STAR", Kind: bigintUnsigned, Get: func(r *threadMinute) Value { return Uint(r.waits) }, Doc: "How many waits were seen, also those that began in an earlier minute."},
		{Name: "COUNT_SAMPLES", Kind: bigintUnsigned, Get: func(r *threadMinute) Value { return Uint(r.samples) }, Doc: "How many samples saw the thread wait."},
		{Name: "SUM_TIMER_WAIT", Kind: bigintUnsigned, Get: func(r *threadMinute) Value { return Uint(uint64(r.sum*1000+0.5) * 1e9) }, Doc: "For how long these samples stand, picoseconds."},
		{Name: "MAX_TIMER_WAIT", Kind: bigintUnsigned.nullable(), Get: func(r *threadMinute) Value {
			if !r.timed {
				return Null
			}
			return Uint(r.longest)
		}, Doc: "The longest that a wait had taken when it was seen, picoseconds; NULL if none was timed."},
	},
	Indexes:  []Index{{Name: "THREAD_ID", Columns: []string{"THREAD_ID"}}},
	Estimate: fixedEstimate,
	Truncate: truncateProvided[ActiveSession],
	Rows:     threadMinutes,
})

// threadMinutes adds up one minute of the samples after another.
func threadMinutes(model Model, key Key) Source[*threadMinute] {
	if !model.Setup().Consumer(instr.ConsumerEventsWaitsByThreadByTime) {
		return list[*threadMinute](nil)
	}
	samples := activeSessions(model, samplesOfMinutes(key), []string{"SAMPLE_TIME", "THREAD_ID", "EVENT_NAME", "EVENT_ID", "WAITED_SO_FAR", "WEIGHT"})
	var read []*ActiveSession // samples that are not added up yet
	buf := make([]*ActiveSession, batch)
	next := func() *ActiveSession {
		if len(read) == 0 {
			read = buf[:samples(buf)]
		}
		if len(read) == 0 {
			return nil
		}
		return read[0]
	}
	var ready []*threadMinute
	return func(buf []*threadMinute) int {
		for len(ready) == 0 {
			first := next()
			if first == nil {
				return 0
			}
			ready = threadsOfMinute(first.Time.Truncate(time.Minute), key, next, func() { read = read[1:] })
		}
		n := copy(buf, ready)
		ready = ready[n:]
		return n
	}
}

// samplesOfMinutes is the key of the samples of the minutes and threads that match a key of the table.
func samplesOfMinutes(key Key) (samples Key) {
	for _, e := range key {
		switch e.Column {
		case "THREAD_ID":
			samples = append(samples, e)
		case bucketStart:
			if !e.Value.IsTime() {
				continue
			}
			if e.Bound != AtMost {
				samples = append(samples, Eq{Column: "SAMPLE_TIME", Value: e.Value, Bound: AtLeast})
			}
			if e.Bound != AtLeast {
				samples = append(samples, Eq{Column: "SAMPLE_TIME", Value: Time(e.Value.Time().Add(time.Minute)), Bound: AtMost})
			}
		}
	}
	return samples
}

// threadsOfMinute adds up the samples of the minute that begins at start, by thread and instrument, in this order. next returns the next sample,
// until taken is called the same one, and nil after the last.
func threadsOfMinute(start time.Time, key Key, next func() *ActiveSession, taken func()) []*threadMinute {
	type ofThread struct {
		thread uint64
		event  string
	}
	all := map[ofThread]*threadMinute{}
	for s := next(); s != nil && s.Time.Truncate(time.Minute).Equal(start); s = next() {
		if s.EventName != "" && key.allows("THREAD_ID", Uint(s.Thread)) && key.allows(bucketStart, Time(start)) {
			of := ofThread{s.Thread, s.EventName}
			m := all[of]
			if m == nil {
				m = &threadMinute{start: start, thread: s.Thread, event: s.EventName}
				all[of] = m
			}
			if m.samples++; m.waits == 0 || m.latest != s.Event {
				m.waits++
				m.latest = s.Event
			}
			m.sum += s.Weight
			if s.Timed {
				m.timed, m.longest = true, max(m.longest, s.Waited)
			}
		}
		taken()
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *threadMinute) int {
		return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.event, b.event))
	})
}
