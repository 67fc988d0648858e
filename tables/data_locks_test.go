package tables

import (
	"fmt"
	"time"

	"pfsd/instr"
)

// provideDataLocks provides locks of four transactions on rows of two tables; each transaction except the first waits for
// the one before it.
func provideDataLocks(reg *instr.Registry) {
	lock := func(i int) DataLockRow {
		transaction := uint64(i % 4)
		return DataLockRow{
			ID: fmt.Sprintf("%d:%d", transaction, i), Transaction: transaction, Thread: 2 + transaction, Event: uint64(i),
			Schema: "test", Object: []string{"t", "u"}[i%2], Index: "PRIMARY", Address: uint64(i), Type: "RECORD", Mode: "X,REC_NOT_GAP", Waiting: i >= 8, Data: fmt.Sprint(i),
		}
	}
	Provide(Of(reg), func(Key) (rows []DataLockRow) {
		for i := range 12 {
			rows = append(rows, lock(i))
		}
		return rows
	})
	Provide(Of(reg), func(Key) (waits []LockWait) {
		class := reg.NewRowLockClass().Class()
		for i := uint64(2); i < 5; i++ { // the threads 2, 3 and 4 in a cycle, and three more behind them
			for _, w := range [][2]uint64{{i, 2 + (i-1)%3}, {i + 3, i}} {
				waits = append(waits, LockWait{Class: class, Object: i, Waiter: LockParty{Thread: w[0], Number: 1}, Blocker: LockParty{Thread: w[1]}, Certain: true})
			}
		}
		return waits
	})
	ProvideCaptures(Of(reg), someCaptures{})
	ProvideSnapshots(Of(reg), someSnapshots{})
	ProvideMetrics(Of(reg), someMetrics{})
	ProvideActiveSessions(Of(reg), func(key Key, _ []string) Source[*ActiveSession] {
		var all []*ActiveSession
		for i := range uint64(12) {
			if !key.allows("SAMPLE_ID", Uint(1+i/3)) || !key.allows("THREAD_ID", Uint(2+i%3)) {
				continue
			}
			all = append(all, &ActiveSession{Sample: 1 + i/3, Thread: 2 + i%3, Time: time.Unix(1_700_000_000, 0), Name: "thread/test/a", Waits: true, WaitClass: "wait/synch/mutex", EventName: "wait/synch/mutex/test/a", Event: i, Weight: 1})
		}
		return list(all)
	})
	Provide(Of(reg), func(Key) []PlanCacheRow {
		return []PlanCacheRow{{Kind: "TEXT", Schema: "test", Statement: "SELECT 1", Plans: 1, Hits: 5}, {Kind: "SHAPE", Statement: "SELECT ?a", Refused: "no table"}}
	})
	Provide(Of(reg), func(Key) (rows []DataLockWaitRow) {
		for i := 9; i < 12; i++ {
			rows = append(rows, DataLockWaitRow{Requesting: lock(i), Blocking: lock(i - 5)})
		}
		return rows
	})
}

// someCaptures are two captures.
type someCaptures struct{}

func (someCaptures) Captures() []Capture {
	return []Capture{{ID: 1, Kind: "CPU", Condition: "NOW", State: "DONE"}, {ID: 2, Kind: "TRACE", Condition: "STATEMENT", State: "ARMED"}}
}
func (someCaptures) Samples() []CPUSample {
	return []CPUSample{{Capture: 1, Samples: 1}, {Capture: 2, Samples: 1}}
}
func (someCaptures) Arm(Capture) error { return ErrFull }
func (someCaptures) Forget(uint64)     {}

// someSnapshots are two snapshots of two instruments.
type someSnapshots struct{}

func (someSnapshots) Snapshots() []WaitsSnapshot {
	return []WaitsSnapshot{{Name: "before", Taken: time.Unix(1_700_000_000, 0)}, {Name: "after", Taken: time.Unix(1_700_000_100, 0)}}
}
func (someSnapshots) SnapshotWaits(string) []SnapshotWait {
	return []SnapshotWait{{Event: "wait/synch/mutex/test/a"}, {Event: "wait/synch/mutex/test/b"}}
}
func (someSnapshots) Keep(WaitsSnapshot) error { return ErrFull }
func (someSnapshots) Forget(string) error      { return nil }
func (someSnapshots) Clear() error             { return nil }

// someMetrics are two metrics with the bucket that is not over and one that is.
type someMetrics struct{}

func (someMetrics) Metrics() []MetricRow {
	return []MetricRow{{Metric: &UserMetric{Name: "a", Period: 1}, Boot: "x", Finest: true}, {Metric: &UserMetric{Name: "b", Period: 1}, Boot: "x", Finest: true}}
}

func (m someMetrics) ReadMetrics(key Key) Source[*MetricRow] {
	var rows []*MetricRow
	for _, r := range m.Metrics() {
		r.Start, r.Seconds = time.Unix(1_700_000_000, 0), 10
		if key.allows("METRIC_NAME", Text(r.Metric.Name)) && key.allows("BUCKET_START", Time(r.Start)) && key.allows("BUCKET_SECONDS", Uint(10)) {
			rows = append(rows, &r)
		}
	}
	return list(rows)
}
func (someMetrics) MakeMetric(UserMetric) error { return ErrFull }
func (someMetrics) DropMetric(string) error     { return nil }
func (someMetrics) ClearMetrics() error         { return nil }
