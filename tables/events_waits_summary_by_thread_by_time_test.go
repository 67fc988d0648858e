package tables

import (
	"testing"
	"time"

	"pfsd/instr"
)

// TestWaitsByThreadByTime: samples are added up by minute, thread and instrument; a window needs no others.
func TestWaitsByThreadByTime(t *testing.T) {
	reg := instr.NewRegistry()
	noon := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	var asked Key
	ProvideActiveSessions(Of(reg), func(key Key, _ []string) Source[*ActiveSession] {
		asked = key
		var all []*ActiveSession
		for _, s := range []ActiveSession{
			{Time: noon.Add(-time.Second), Thread: 7, EventName: "a", Event: 1, Weight: 1},
			{Time: noon, Thread: 8, EventName: "b", Event: 1, Weight: 0.1},
			{Time: noon, Thread: 7, EventName: "a", Event: 1, Weight: 0.1, Timed: true, Waited: 5},
			{Time: noon, Thread: 9, WaitClass: "CPU*", Weight: 0.1},
			{Time: noon.Add(59 * time.Second), Thread: 7, EventName: "a", Event: 1, Weight: 0.1, Timed: true, Waited: 9},
			{Time: noon.Add(59 * time.Second), Thread: 7, EventName: "a", Event: 4, Weight: 0.1, Timed: true, Waited: 2},
			{Time: noon.Add(59 * time.Second), Thread: 7, EventName: "b", Event: 5, Weight: 0.1},
			{Time: noon.Add(60 * time.Second), Thread: 9, WaitClass: "CPU*", Weight: 0.1},
			{Time: noon.Add(120 * time.Second), Thread: 7, EventName: "a", Event: 6, Weight: 60},
		} {
			if key.Allows("SAMPLE_TIME", s.Time) {
				all = append(all, &s)
			}
		}
		return list(all)
	})
	of := func(start time.Time, thread uint64, event string, waits, samples, sum uint64, longest Value) row {
		return row{
			"BUCKET_START": text(Time(start)), "THREAD_ID": text(Uint(thread)), "EVENT_NAME": event, "COUNT_STAR": text(Uint(waits)), "COUNT_SAMPLES": text(Uint(samples)),
			"SUM_TIMER_WAIT": text(Uint(sum)), "MAX_TIMER_WAIT": text(longest),
		}
	}
	const tenth = 100_000_000_000
	want := []row{
		of(noon.Add(-time.Minute), 7, "a", 1, 1, 10*tenth, Null),
		of(noon, 7, "a", 2, 3, 3*tenth, Uint(9)), of(noon, 7, "b", 1, 1, tenth, Null), of(noon, 8, "b", 1, 1, tenth, Null),
		of(noon.Add(2*time.Minute), 7, "a", 1, 1, 600*tenth, Null),
	}
	const name = "events_waits_summary_by_thread_by_time"
	got := rows(t, reg, name)
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i, r := range got {
		expect(t, r, want[i])
	}
	key := Key{{Column: "BUCKET_START", Value: Time(noon), Bound: AtLeast}, {Column: "BUCKET_START", Value: Time(noon.Add(time.Minute)), Bound: AtMost}}
	if found := rows(t, reg, name, key...); len(found) != 3 {
		t.Errorf("%d rows of a window, want 3", len(found))
	}
	if asked.Allows("SAMPLE_TIME", noon.Add(-time.Microsecond)) || asked.Allows("SAMPLE_TIME", noon.Add(3*time.Minute)) || !asked.Allows("SAMPLE_TIME", noon.Add(119*time.Second)) {
		t.Errorf("the samples that are asked for: %v", asked)
	}
	reg.Setup().SetConsumer(instr.ConsumerEventsWaitsByThreadByTime, false)
	if n := len(rows(t, reg, name)); n != 0 {
		t.Errorf("%d rows without the consumer", n)
	}
}
