package tables

import (
	"slices"
	"testing"

	"pfsd/instr"
)

type providedRow struct{ n uint64 }

// A scan has the rows of its registry's provider, in batches of any size, and none without one.
func TestProvided(t *testing.T) {
	reg := instr.NewRegistry()
	read := func() (numbers []uint64) {
		src, buf := provided[providedRow](Of(reg), nil), make([]*providedRow, 3)
		for n := src(buf); n > 0; n = src(buf) {
			for _, r := range buf[:n] {
				numbers = append(numbers, r.n)
			}
		}
		return numbers
	}
	if got := read(); got != nil {
		t.Errorf("rows %v without a provider", got)
	}
	Provide(Of(reg), func(Key) []providedRow { return []providedRow{{1}, {2}, {3}, {4}} })
	if got := read(); !slices.Equal(got, []uint64{1, 2, 3, 4}) {
		t.Errorf("rows %v", got)
	}
	Provide[providedRow](Of(reg), nil)
	if got := read(); got != nil {
		t.Errorf("rows %v after the provider was taken away", got)
	}
}
