package record

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What is remembered of rows never hides a change: whatever has changed since, Busy and LockWaiters return the same as who reads all rows.
func TestSeenRows(t *testing.T) {
	im := filled(t)
	r := im.open()
	defer r.Close()
	random := rand.New(rand.NewPCG(1, 2))
	const rows = 700 // more than one batch
	head := header()
	head.threads = rows
	put(im, 0, head)
	seqs := make([]uint64, rows)
	for round := range 200 {
		for range random.IntN(5) {
			slot := 1 + random.IntN(rows-1)
			seqs[slot] += uint64(random.IntN(4))
			row := recThread{seq: seqs[slot], goid: uint64(random.IntN(3) * (1000 + slot)), class: 1, start: 1500}
			if random.IntN(2) == 0 {
				row.running, row.object = uint32(random.IntN(4)), 5
			}
			if random.IntN(4) == 0 {
				row.work = 1
			}
			seqs[slot] += 2 // another row never has the same seq
			row.seq = seqs[slot]
			put(im, recAtThreads+uint64(slot)*recThreadSize, row)
		}
		for _, of := range []struct {
			name string
			got  []Thread
			want mark
		}{{"busy", r.Busy(), markBusy}, {"waiters", r.LockWaiters(), markLock}} {
			all := slices.DeleteFunc(r.Threads(), func(x Thread) bool { return markOf(&x, true, r.Classes())&of.want == 0 })
			if !slices.Equal(of.got, all) {
				t.Fatalf("round %d: %s are %v, and of all rows %v", round, of.name, of.got, all)
			}
		}
	}
	if busy := r.Busy(); len(busy) == 0 || len(busy) == len(r.Threads()) {
		t.Errorf("%d of %d goroutines are busy", len(busy), len(r.Threads()))
	}
}
