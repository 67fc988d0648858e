package instr

import (
	"slices"
	"testing"
)

// FuzzEventRing holds rings against a slice: each byte is an operation.
func FuzzEventRing(f *testing.F) {
	f.Add(3, []byte("aaaaacaaat"))
	f.Add(0, []byte("aaca"))
	f.Add(70, slices.Repeat([]byte("aaaaaaaaaaaaaaaaaaaaat"), 9))
	f.Fuzz(func(t *testing.T, size int, ops []byte) {
		size = max(0, min(size, 300))
		var ring eventRing[int]
		ring.resize(size)
		long := newLongHistory[int](size)
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
				long.add(uint64(op), &i)
				model, longModel = append(model, i), append(longModel, i)
			}
			model, longModel = model[max(0, len(model)-size):], longModel[max(0, len(longModel)-size):]
			if got := ring.appendTo(nil); !slices.Equal(got, model) {
				t.Fatalf("after %q: %d, want %d", ops[:i+1], got, model)
			}
		}
		if got := long.all(); !slices.Equal(got, longModel) {
			t.Fatalf("after %q: %d, want %d", ops, got, longModel)
		}
		ring.resize(size + 1)
		if got := ring.appendTo(nil); len(got) > 0 {
			t.Fatalf("another size holds %d", got)
		}
	})
}
