package record

import "testing"

// A goroutine is found by its number wherever its row is, and is unchanged until its row changes or is taken over.
func TestUnchanged(t *testing.T) {
	im := filled(t)
	r := im.open()
	defer r.Close()
	head := header()
	head.threads, head.spare = 700, 1
	put(im, 0, head)
	at := func(slot int) uint64 { return recAtThreads + uint64(slot)*recThreadSize }
	put(im, at(600), recThread{seq: 4, goid: 60, class: 1, running: 1, start: 1500})
	put(im, at(recMaxThreads), recThread{seq: 2, goid: 61, class: 1})
	for id, slot := range map[uint64]uint32{60: 600, 61: recMaxThreads} {
		found, ok := r.Thread(id)
		if !ok || found.ID != id || found.slot != slot || !r.Unchanged(found) {
			t.Errorf("goroutine %d is %+v, %v", id, found, ok)
		}
	}
	waits, _ := r.Thread(60)
	for what, row := range map[string]recThread{
		"it waits anew": {seq: 6, goid: 60, class: 1, running: 1, start: 1600}, "it is written": {seq: 5, goid: 60, class: 1, running: 1, start: 1500}, "another one has its row": {seq: 6, goid: 62, class: 1},
	} {
		if put(im, at(600), row); r.Unchanged(waits) {
			t.Errorf("%s, and it is unchanged", what)
		}
	}
	put(im, at(600), recThread{seq: 6, goid: 62, class: 1})
	if other, ok := r.Thread(62); !ok || other.slot != 600 {
		t.Errorf("goroutine 62 is %+v, %v", other, ok)
	}
	if _, ok := r.Thread(60); ok {
		t.Error("a goroutine that has ended is there")
	}
}
