package recorded

import (
	"pfsd/instr"
	"pfsd/instr/record"
)

// statementTimes is how many statements each bucket of a recording has.
type statementTimes = [record.Buckets]uint64

// addTimesLocked adds the histogram of a class of statements to one in MySQL's buckets, without what a TRUNCATE has taken. middles are
// times in the recording's buckets. The caller holds m.mu.
func (m *Model) addTimesLocked(to *instr.StatementHistogram, class uint32, middles *statementTimes, taken map[uint32]statementTimes) {
	before := taken[class]
	for i, n := range m.rec.WorkTimes(class).Counts {
		if n > before[i] {
			to.AddRecorded(middles[i], n-before[i])
		}
	}
}

// takeTimesLocked empties the histograms of all statements, for this reader. The caller holds m.mu.
func (m *Model) takeTimesLocked(taken map[uint32]statementTimes) {
	for i := range m.works.classes {
		if c := &m.works.classes[i]; c.class != nil && c.Kind == record.StatementWork {
			taken[uint32(i)] = m.rec.WorkTimes(uint32(i)).Counts
		}
	}
}

// DigestHistograms are the histograms of the rows that Digests returns.
func (m *Model) DigestHistograms(f instr.DigestFilter) []instr.DigestHistogram {
	rows, times := m.digests(f)
	list := make([]instr.DigestHistogram, 0, len(rows))
	for _, r := range rows {
		list = append(list, instr.DigestHistogram{Schema: r.Schema, Digest: r.Digest, Counts: *times[digestKey{r.Schema, r.Digest.Hex()}]})
	}
	return list
}

// ResetDigestHistograms empties them, for this reader.
func (m *Model) ResetDigestHistograms() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refreshLocked()
	m.takeTimesLocked(m.works.timesTaken)
}

// GlobalStatementHistogram is how long all timed statements took.
func (m *Model) GlobalStatementHistogram() *instr.StatementHistogram {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refreshLocked()
	sum := new(instr.StatementHistogram)
	middles := m.rec.WorkBucketMiddles()
	for i := range m.works.classes {
		if c := &m.works.classes[i]; c.class != nil && c.Kind == record.StatementWork {
			m.addTimesLocked(sum, uint32(i), &middles, m.works.allTaken)
		}
	}
	return sum
}

// ResetGlobalStatementHistogram empties it, for this reader.
func (m *Model) ResetGlobalStatementHistogram() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refreshLocked()
	m.takeTimesLocked(m.works.allTaken)
}
