package instr

import (
	"slices"
	"testing"
)

// Events that are added late, with older stamps, do not overwrite newer events.
func TestLateEventsInLongHistory(t *testing.T) {
	long := newLongHistory[int](4, 8, new(sharedMemory))
	var want []int
	for i := range 6 {
		long.add(1, longEntry[int]{uint64(100 + i), i})
		want = append(want, i)
	}
	late := make([]longEntry[int], 8)
	for i := range late {
		late[i] = longEntry[int]{uint64(i), -1}
	}
	long.add(1, late...)
	if got := allRecords(long, func(i *int) int { return *i }); !slices.Equal(got, want[2:]) {
		t.Errorf("%d, want %d", got, want[2:])
	}
}

// FuzzEventRing compares rings with a slice: each byte is an operation.
func FuzzEventRing(f *testing.F) {
	f.Add(3, []byte("aaaaacaaat"))
	f.Add(0, []byte("aaca"))
	f.Add(70, slices.Repeat([]byte("aaaaaaaaaaaaaaaaaaaaat"), 9))
	f.Fuzz(func(t *testing.T, size int, ops []byte) {
		size = max(0, min(size, 300))
		same := func(n *int) int { return *n }
		ring := eventRing[int]{memory: new(sharedMemory)}
		ring.resize(size)
		long := newLongHistory[int](size, 0, new(sharedMemory))
		var model, longModel []int
		for i, op := range ops {
			switch op {
			case 'c':
				ring.clear()
				model = nil
			case 't':
				long.truncate()
				longModel = nil
			case 'r':
				ring.resize(size) // which it has
			default:
				ring.add(&i)
				long.add(uint64(op), longEntry[int]{uint64(i), i})
				model, longModel = append(model, i), append(longModel, i)
			}
			model, longModel = model[max(0, len(model)-size):], longModel[max(0, len(longModel)-size):]
			if got := appendRecords(nil, &ring, same); !slices.Equal(got, model) {
				t.Fatalf("after %q: %d, want %d", ops[:i+1], got, model)
			}
		}
		if got := allRecords(long, same); !slices.Equal(got, longModel) {
			t.Fatalf("after %q: %d, want %d", ops, got, longModel)
		}
		ring.resize(size + 1)
		if got := appendRecords(nil, &ring, same); len(got) > 0 {
			t.Fatalf("another size holds %d", got)
		}
	})
}
