package recorded

import (
	"pfsd/instr"
	"pfsd/instr/record"
)

// ClassHistogram is how long the timed waits of an instrument took.
func (m *Model) ClassHistogram(c *instr.Class) instr.Histogram {
	m.refresh()
	return m.times(c).Buckets
}

// Times is the histogram of an instrument, none if it is empty. Objects and operations have none.
func (m *Model) Times(c *instr.Class) []instr.Times {
	m.refresh()
	if t := m.times(c); t.Count() > 0 {
		return []instr.Times{t}
	}
	return nil
}

// times is the histogram of an instrument without what a TRUNCATE has taken.
func (m *Model) times(c *instr.Class) (sum instr.Times) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, number := range m.classes[c] {
		t := m.rec.ClassTimes(number)
		if t.Counts == ([record.Buckets]uint64{}) {
			continue
		}
		middles, taken := m.rec.BucketMiddles(number), m.takenTimes[number]
		var all, before instr.Times
		all.RecordedMax(t.Max)
		for i, n := range t.Counts {
			if n > 0 {
				all.AddRecorded(middles[i], n)
				before.AddRecorded(middles[i], min(taken[i], n))
			}
		}
		if before.Count() > 0 {
			all.Sub(&before)
		}
		sum.Add(&all)
	}
	return sum
}

// ResetHistogram empties the histogram of an instrument.
func (m *Model) ResetHistogram(c *instr.Class) {
	m.refresh()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, number := range m.classes[c] {
		if t := m.rec.ClassTimes(number); t.Counts != ([record.Buckets]uint64{}) {
			m.takenTimes[number] = t.Counts
		}
	}
}

// InstanceTimesLost is how many waits are in no histogram because too many instruments have one.
func (m *Model) InstanceTimesLost() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.rec.Lost()
	return all.Times - min(all.Times, m.lost.Times)
}

// histograms is the switch for the consumer events_waits_histogram.
func (m *Model) histograms() record.Switches {
	if m.consumer(instr.ConsumerEventsWaitsHistogram) {
		return record.Histograms
	}
	return 0
}
