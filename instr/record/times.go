package record

import "math"

// Buckets is how many buckets a histogram has.
const Buckets = recBuckets

// Times is how many timed events of a class took how long: waits while [Histograms] was switched on, statements always.
type Times struct {
	Counts [Buckets]uint64
	Max    uint64 // picoseconds
}

// ClassTimes is the histogram of a class.
func (r *Recording) ClassTimes(class uint32) (t Times) {
	if class == 0 || class >= recMaxClasses {
		return t
	}
	return r.times(readRow[recClass](r, classAt(class)).times, r.clockOf(class))
}

// WorkTimes is the histogram of a class of statements.
func (r *Recording) WorkTimes(class uint32) (t Times) {
	if class == 0 || class >= recMaxWorkClasses || !r.worked() {
		return t
	}
	return r.times(readRow[recWorkClass](r, workClassAt(class)).times, r.clock())
}

// times is the histogram with a number.
func (r *Recording) times(n uint32, c clock) (t Times) {
	number := uint64(n)
	if number == 0 || number > recMaxTimes {
		return t
	}
	for p := range uint64(min(r.head().procs, recMaxProcs)) {
		row := readRow[recTimes](r, recAtTimes+((number-1)*recMaxProcs+p)*recTimesSize)
		for i, n := range row.buckets {
			t.Counts[i] += n
		}
		t.Max = max(t.Max, c.picoseconds(row.longest))
	}
	return t
}

// BucketMiddles returns a time in the middle of each bucket of the histogram of a class, picoseconds.
func (r *Recording) BucketMiddles(class uint32) [Buckets]uint64 { return r.clockOf(class).middles() }

// WorkBucketMiddles is the same for classes of statements.
func (r *Recording) WorkBucketMiddles() [Buckets]uint64 { return r.clock().middles() }

func (c clock) middles() (middles [Buckets]uint64) {
	for i := range middles {
		low, high := bucketLow(i), bucketLow(i+1)
		middles[i] = c.picoseconds(low)/2 + c.picoseconds(high)/2
	}
	return middles
}

// bucketLow is the smallest number of ticks of a bucket.
func bucketLow(bucket int) uint64 {
	if bucket < recExact {
		return uint64(bucket)
	}
	n := bucket - recExact
	return uint64(recPerPower+n%recPerPower) << (1 + n/recPerPower)
}

func (c clock) picoseconds(ticks uint64) uint64 {
	if ticks > math.MaxUint64/1000 {
		return math.MaxUint64
	}
	return c.nanoseconds(ticks * 1000)
}

// clockOf converts the ticks of the events of a class.
func (r *Recording) clockOf(class uint32) clock {
	c := r.clock()
	if all := r.Classes(); int(class) < len(all) && all[class].Kind >= Scheduler {
		c.num, c.den = 1, 1
	}
	return c
}
