package record

import "testing"

// The histogram of a class is the sum of those of the processors. A class with a number that cannot be has none.
func TestClassTimes(t *testing.T) {
	im := filled(t)
	lock := readRow[recClass](im.open(), classAt(2))
	lock.times = 3
	put(im, classAt(2), lock)
	one, two := recTimes{longest: 90}, recTimes{longest: 100}
	one.buckets[3], one.buckets[30] = 1, 2
	two.buckets[30], two.buckets[recBuckets-1] = 4, 1
	put(im, recAtTimes+2*recMaxProcs*recTimesSize, one)
	put(im, recAtTimes+(2*recMaxProcs+1)*recTimesSize, two)
	r := im.open()
	got := r.ClassTimes(2)
	want := Times{Max: 200_000}
	want.Counts[3], want.Counts[30], want.Counts[recBuckets-1] = 1, 6, 1
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if m := r.BucketMiddles(2); m[3] != 7000 || m[16] != 34_000 {
		t.Errorf("the middle of bucket 3 is %d, that of bucket 16 %d", m[3], m[16])
	}
	for _, number := range []uint32{0, recMaxTimes + 1, ^uint32(0)} {
		lock.times = number
		put(im, classAt(2), lock)
		if got := r.ClassTimes(2); got != (Times{}) {
			t.Errorf("number %d: %+v", number, got)
		}
	}
}
