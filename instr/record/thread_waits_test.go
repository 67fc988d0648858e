package record

import (
	"slices"
	"testing"
)

// A goroutine has its own statistics, and not those of one that had its row before.
func TestThreadWaits(t *testing.T) {
	im := filled(t)
	row := recWaits{
		seq: 2, goid: 7, lost: 3, classes: [recWaitClasses]uint16{2, 1, recMaxClasses},
		stats: [recWaitClasses]recWaitStat{{count: 2, untimed: 1, ticks: 100, least: ^uint64(100), longest: 100}, {}, {count: 1}},
	}
	put(im, recAtWaits+1*recWaitsSize, row)
	row.next = recMaxWaits // not looked at, because this row has room
	put(im, recAtWaits+recMaxWaits*recWaitsSize, recWaits{seq: 2, goid: 7, classes: [recWaitClasses]uint16{1}, stats: [recWaitClasses]recWaitStat{{count: 1}}})
	row.goid = 9
	put(im, recAtWaits+2*recWaitsSize, row)
	r := im.open()
	threads := r.Threads()
	got, lost := r.ThreadWaits(threads[0])
	want := []ClassWaits{{2, Stat{Count: 2, Untimed: 1, Sum: 200, Min: 200, Max: 200}}}
	if !slices.Equal(got, want) || lost != 3 {
		t.Errorf("statistics %+v and %d lost, want %+v and 3", got, lost, want)
	}
	if got, lost := r.ThreadWaits(threads[1]); got != nil || lost != 0 {
		t.Errorf("goroutine 8 has the statistics of another: %+v, %d", got, lost)
	}
	put(im, recAtWaits+1*recWaitsSize, recWaits{seq: 3, goid: 7})
	torn := r.Torn()
	if got, _ := r.ThreadWaits(threads[0]); got != nil || r.Torn() != torn {
		t.Errorf("statistics of a process that ended while it wrote: %+v, %d torn", got, r.Torn()-torn)
	}
}

// A goroutine with many classes has several rows. A row that leads to itself is read as often as a chain is long.
func TestThreadWaitsChain(t *testing.T) {
	im := filled(t)
	full := recWaits{seq: 2, goid: 7, next: recMaxWaits + 3}
	for i := range full.classes {
		full.classes[i], full.stats[i].count = uint16(i+1), 1
	}
	put(im, recAtWaits+1*recWaitsSize, full)
	last := recWaits{seq: 2, goid: 7, classes: [recWaitClasses]uint16{20}, stats: [recWaitClasses]recWaitStat{{count: 5}}, next: 1}
	put(im, recAtWaits+(recMaxWaits+3)*recWaitsSize, last)
	r := im.open()
	th := r.Threads()[0]
	if got, _ := r.ThreadWaits(th); len(got) != recWaitClasses+1 || got[recWaitClasses].Class != 20 || got[recWaitClasses].Count != 5 {
		t.Errorf("%+v", got)
	}
	put(im, recAtWaits+(recMaxWaits+3)*recWaitsSize, full)
	if got, _ := r.ThreadWaits(th); len(got) != recWaitChain*recWaitClasses {
		t.Errorf("%d classes of a chain without an end", len(got))
	}
	for _, wrong := range []uint16{1, recWaitRows, 65535} {
		full.next = wrong
		put(im, recAtWaits+1*recWaitsSize, full)
		if got, _ := r.ThreadWaits(th); len(got) != recWaitClasses {
			t.Errorf("%d classes of a chain that leads to row %d", len(got), wrong)
		}
	}
}
