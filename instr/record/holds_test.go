package record

import (
	"slices"
	"testing"
)

// Locks that a goroutine holds are shown for that goroutine only, and only while they are recorded.
func TestHolds(t *testing.T) {
	im := filled(t)
	h := header()
	h.holds, h.classes = 5, 4
	put(im, 0, h)
	place := recClass{kind: recHoldPlace, frames: 2, pcs: [recFrames]uint64{11, 12}}
	place.text, place.textLen = text("runtime.goexit\t/go/src/runtime/asm.s:1\n")
	put(im, classAt(3), place)
	put(im, recAtObjects+5*recObjectSize, recObject{seq: 2, address: 0xc000, holder: 7, stray: 1350})
	row := recHolds{seq: 2, goid: 7, level: 5, n: 2, locks: [recHoldLocks]recHold{
		{address: 0xc000, ticks: 1300, pcs: [recHoldFrames]uint64{11, 12}}, {address: 0xc101, ticks: 1400, pcs: [recHoldFrames]uint64{9}},
	}}
	put(im, recAtHolds+1*recHoldsSize, row)
	row.goid = 9 // has ended
	put(im, recAtHolds+2*recHoldsSize, row)
	r := im.open()
	want := []Hold{{Thread: 7, Address: 0xc000, Since: 600, Number: 1300, Place: 3}, {Thread: 7, Address: 0xc100, Shared: true, Since: 800, Number: 1400}}
	if got := r.Holds(); !slices.Equal(got, want) {
		t.Errorf("holds %+v, want %+v", got, want)
	}
	if l := r.Locks(); len(l) != 1 || l[0].Since != 600 || l[0].Place != 3 || l[0].Readers != 0 || l[0].Stray != 700 {
		t.Errorf("locks %+v", l)
	}
	// The program now knows better how long a tick is. The holds are the same ones.
	again := h
	again.nano1 += 100
	put(im, 0, again)
	if got := r.Holds(); len(got) != 2 || got[0].Since == want[0].Since || got[0].Number != want[0].Number || got[1].Number != want[1].Number {
		t.Errorf("with another clock the holds are %+v, and were %+v", got, want)
	}
	put(im, 0, h)
	// The same rows count for nothing after a switch, for another goroutine, or in another place.
	for name, change := range map[string]func(row *recHolds){
		"another level": func(row *recHolds) { row.level = 3 }, "another goroutine": func(row *recHolds) { row.goid = 8 }, "being written": func(row *recHolds) { row.seq = 3 },
	} {
		wrong := row
		wrong.goid = 7
		change(&wrong)
		put(im, recAtHolds+1*recHoldsSize, wrong)
		if got := r.Holds(); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	row.goid, row.n = 7, 1<<31
	put(im, recAtHolds+1*recHoldsSize, row)
	if got := r.Holds(); len(got) != recHoldLocks {
		t.Errorf("%d holds of a row with too many", len(got))
	}
	if err := r.SetHoldsRecorded(false); err != nil || r.HoldsRecorded() || r.Holds() != nil {
		t.Errorf("switched off: %v", err)
	}
	if err := r.SetHoldsRecorded(true); err != nil || !r.HoldsRecorded() || len(r.Holds()) != 0 {
		t.Errorf("what was held before counts after it is switched on again: %v", err)
	}
}

// Who waits for the end of readers is not shown as the holder.
func TestPendingWriter(t *testing.T) {
	im := filled(t)
	lock := readRow[recClass](im.open(), classAt(2))
	lock.kind = recWriteLock
	put(im, classAt(2), lock)
	put(im, recAtObjects+5*recObjectSize, recObject{seq: 2, address: 0xc000, holder: 8})
	if l := im.open().Locks(); len(l) != 1 || l[0].Holder != 0 || l[0].Class != 2 {
		t.Errorf("locks %+v", l)
	}
}
