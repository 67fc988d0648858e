package ringbuf

import (
	"cmp"
	"slices"
	"testing"
)

// fuzzLength is how many bytes of an input are used: more take longer and find nothing else.
const fuzzLength = 60

// fuzzOps returns the bytes of a fuzz input one by one, and then 0.
type fuzzOps []byte

func (o *fuzzOps) next() int {
	if len(*o) == 0 {
		return 0
	}
	b := (*o)[0]
	*o = (*o)[1:]
	return int(b)
}

// FuzzRing compares a ring with a slice of all events ever appended.
func FuzzRing(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 5, 3, 1, 0, 1, 2, 3, 4})
	f.Add([]byte{1, 0, 1, 4, 0, 1, 4, 5, 0, 3, 5})
	f.Add([]byte{2, 0, 7, 3, 4, 1, 0, 9, 3, 4, 5, 2, 0, 1, 3, 5})
	f.Add([]byte{10, 0, 11, 3, 0, 255, 4, 5, 1, 3, 0, 5, 2, 3, 5})
	f.Add([]byte{200, 0, 255, 0, 255, 3, 4, 0, 60, 5, 1, 5, 4})
	f.Fuzz(func(t *testing.T, input []byte) {
		ops := fuzzOps(input[:min(len(input), fuzzLength)])
		size := ops.next()
		r := NewRing[testEvent](size)
		var (
			model     []testEvent
			hidden    int
			held, end uint64 // a range that a reader has taken and not yet read to its end
		)
		read := func(n uint64) {
			var got testEvent
			ok := r.Read(n, &got)
			// The slot is overwritten as soon as its next event may be under way.
			if want := n+uint64(len(r.slots)) > uint64(len(model)); ok != want {
				t.Fatalf("size %d, %d events: Read(%d) is %v", size, len(model), n, ok)
			}
			if ok && got != model[n] {
				t.Fatalf("size %d, %d events: Read(%d) returns %v, want %v", size, len(model), n, got, model[n])
			}
		}
		for len(ops) > 0 {
			switch ops.next() % 6 {
			case 0:
				for range ops.next() {
					e := newTestEvent(3, uint64(len(model)), uint64(len(model)))
					r.Append(&e)
					model = append(model, e)
				}
			case 1:
				r.Truncate()
				hidden = len(model)
			case 2:
				r.Reset()
				hidden = len(model)
			case 3:
				held, end = r.Range()
				if want := uint64(max(hidden, len(model)-size)); held != want || end != uint64(len(model)) {
					t.Fatalf("size %d, %d events, %d hidden: Range is %d, %d", size, len(model), hidden, held, end)
				}
			case 4:
				for range ops.next() {
					if held < end {
						read(held)
						held++
					}
				}
			case 5:
				for n, end := r.Range(); n < end; n++ {
					read(n)
				}
			}
		}
	})
}

// FuzzLong compares a history of several processors with a slice of all events.
func FuzzLong(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 3, 2, 3})
	f.Add([]byte{1, 0, 1, 1, 1, 2, 3, 5, 0, 4, 3, 1, 2, 3, 2})
	f.Add([]byte{10, 0, 11, 1, 12, 2, 13, 3, 1, 40, 4, 7, 5, 2, 9, 3, 200})
	f.Add([]byte{16, 0, 200, 3, 4, 1, 250, 4, 5, 0, 250, 4, 255, 6, 3, 4, 9})
	f.Add([]byte{9, 8, 5, 9, 3, 7, 8, 6, 3, 4, 250, 0, 1, 1, 1, 3, 4, 1, 4, 1})
	f.Fuzz(func(t *testing.T, input []byte) {
		ops := fuzzOps(input[:min(len(input), fuzzLength)])
		size := ops.next()
		l := NewLong[testEvent](size, testStamp)
		var (
			model  []testEvent // as the history may show it, in the order of appending
			hidden int
			stamp  uint64    = 100 // no two rings ever hold the same
			last   [3]uint64       // by processor, the last stamp
			cursor *Cursor[testEvent]
			wanted []testEvent // what the cursor has still to return
		)
		slots := len(l.newRing().slots)
		for len(ops) > 0 {
			switch op := ops.next() % 10; op {
			case 0, 1, 2, 7, 8, 9:
				// 7 to 9 are late: their stamps are older than they should be.
				p := op % 7
				for len(l.rings.All()) <= p || l.rings.All()[p] == nil {
					l.rings.add(p, l.newRing())
				}
				for range ops.next() {
					stamp += 10
					late := stamp
					if op >= 7 {
						late -= 25
					}
					e := newTestEvent(uint64(p), uint64(len(model)), late)
					l.appendTo(l.rings.All()[p], &e)
					late = max(late, last[p])
					last[p] = late
					if e[testStamp] != late {
						t.Fatalf("the stamp is %d, want %d", e[testStamp], late)
					}
					model = append(model, e)
				}
			case 3:
				cursor, wanted = l.Cursor(), newest(model[hidden:], size)
			case 4:
				if cursor == nil {
					continue
				}
				buf := make([]testEvent, ops.next())
				n := cursor.Next(buf)
				for i := range buf[:n] {
					// An event may only be missing if its ring may have overwritten it since the
					// cursor was made.
					for len(wanted) > 0 && wanted[0] != buf[i] {
						if int(wanted[0][testSeq])+slots > len(model) {
							t.Fatalf("size %d, %d events: %v is missing before %v", size, len(model), wanted[0], buf[i])
						}
						wanted = wanted[1:]
					}
					if len(wanted) == 0 {
						t.Fatalf("size %d, %d events: the cursor returns %v", size, len(model), buf[i])
					}
					wanted = wanted[1:]
				}
				if n < len(buf) {
					for _, e := range wanted {
						if int(e[testSeq])+slots > len(model) {
							t.Fatalf("size %d, %d events: %v is missing at the end", size, len(model), e)
						}
					}
					cursor = nil
				}
			case 5:
				l.Truncate()
				hidden = len(model)
			case 6:
				if got, want := l.all(make([]testEvent, 5)), newest(model[hidden:], size); !slices.Equal(got, want) {
					t.Fatalf("size %d, %d events: read %v, want %v", size, len(model), got, want)
				}
			}
		}
	})
}

// newest returns the last size events in the order of their stamps.
func newest(events []testEvent, size int) []testEvent {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b testEvent) int {
		return cmp.Or(cmp.Compare(a[testStamp], b[testStamp]), cmp.Compare(a[testWriter], b[testWriter]))
	})
	return events[max(0, len(events)-size):]
}
