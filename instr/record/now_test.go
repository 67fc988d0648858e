package record

import "testing"

// The end of a recording whose process has ended is the newest moment in any row that has one: this changes one kind of row after another.
func TestNewestMoment(t *testing.T) {
	// The last moment in the header is 2000 ns, or 2000 ticks.
	for name, row := range map[string]func(im *image){
		"thread":       func(im *image) { put(im, recAtThreads+1*recThreadSize, recThread{seq: 4, goid: 7, created: 3000}) },
		"wait":         func(im *image) { put(im, recAtThreads+1*recThreadSize, recThread{seq: 4, goid: 7, start: 3000}) },
		"ended thread": func(im *image) { put(im, recAtThreads+1*recThreadSize, recThread{seq: 4, created: 3000}) },
		"spare thread": func(im *image) { put(im, recAtSpare+1*recThreadSize, recThread{seq: 4, goid: 7, start: 3000}) },
		"event":        func(im *image) { put(im, recAtLong, recEvent{seq: 2, goid: 7, start: 2900, ticks: 100}) },
		"lock":         func(im *image) { put(im, recAtObjects+6*recObjectSize, recObject{seq: 2, since: 3000}) },
		"reader":       func(im *image) { put(im, recAtObjects+6*recObjectSize, recObject{seq: 2, stray: 3000}) },
		"hold": func(im *image) {
			put(im, recAtHolds+1*recHoldsSize, recHolds{seq: 2, locks: [recHoldLocks]recHold{3: {ticks: 3000}}})
		},
		"stage":       func(im *image) { put(im, recAtStagesLong, recStep{seq: 2, start: 2900, ticks: 100}) },
		"transaction": func(im *image) { put(im, recAtTransactionLong, recStep{seq: 2, start: 2900, ticks: 100}) },
		"statement":   func(im *image) { put(im, recAtStatementsLong, recStatement{seq: 2, start: 2900, ticks: 100}) },
		"statistics":  func(im *image) { put(im, recAtWorkStats+1*recWorkStatSize, recWorkStat{seq: 2, last: 3000}) },
		"open statement": func(im *image) {
			put(im, recAtWorkRows+1*recWorkSize, recWork{seq: 2, statements: [recMaxNested]recStatement{2: {start: 3000}}})
		},
		"open stage": func(im *image) {
			put(im, recAtWorkRows+1*recWorkSize, recWork{seq: 2, stages: [recMaxNested]recStep{2: {start: 3000}}})
		},
		"open transaction": func(im *image) {
			put(im, recAtWorkRows+1*recWorkSize, recWork{seq: 2, transaction: recStep{start: 3000}})
		},
	} {
		im := filled(t)
		h := header()
		h.holds, h.spare = 1, 2
		h.work = recWorkHeader{ready: 1, classes: 2, rows: 2}
		put(im, 0, h)
		if now := im.open().Now(); now != 2000 {
			t.Fatalf("%s: now %d before it changes", name, now)
		}
		row(im)
		if now := im.open().Now(); now != 4000 {
			t.Errorf("%s: now %d, not the newest moment", name, now)
		}
	}
	// What is too far ahead is damaged.
	im := filled(t)
	put(im, recAtThreads+1*recThreadSize, recThread{seq: 4, goid: 7, start: 1 << 62})
	put(im, recAtLong, recEvent{seq: 2, goid: 7, start: 1 << 63, ticks: 1 << 63})
	if now := im.open().Now(); now != 2000 {
		t.Errorf("now %d", now)
	}
}
