package tables

import "testing"

// A scan allocates when it begins, but not for each row.
func TestScansDoNotAllocateForRows(t *testing.T) {
	oneAtATime(t)
	reg := watched()
	populate(t, reg, 1000)
	measured := 0
	for _, tb := range All() {
		cols := make([]int, len(tb.Columns()))
		for i := range cols {
			cols[i] = i
		}
		dst := make([]Value, len(cols))
		n := 0
		allocs := testing.AllocsPerRun(3, func() {
			n = 0
			for c := tb.Scan(Of(reg), cols, nil); c.Next(dst); {
				n++
			}
		})
		if n < 1000 {
			continue
		}
		measured++
		if allocs > float64(n)/20 {
			t.Errorf("%s: %.0f allocations for %d rows", tb.Name(), allocs, n)
		}
	}
	if measured < 5 {
		t.Errorf("only %d tables have enough rows", measured)
	}
}
