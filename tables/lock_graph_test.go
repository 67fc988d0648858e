package tables

import (
	"fmt"
	"slices"
	"testing"

	"pfsd/instr"
)

// lockWaitsOf are waits of threads for others.
func lockWaitsOf(class *instr.Class, pairs ...[2]uint64) (waits []LockWait) {
	for _, p := range pairs {
		waits = append(waits, LockWait{Class: class, Waiter: LockParty{Thread: p[0], Number: 1}, Blocker: LockParty{Thread: p[1], Number: 1}, Certain: true})
	}
	return waits
}

func TestLockCycles(t *testing.T) {
	for _, c := range []struct {
		waits [][2]uint64
		want  string
	}{
		{nil, "[]"},
		{[][2]uint64{{2, 1}, {3, 1}, {4, 3}}, "[]"},
		{[][2]uint64{{1, 0}, {2, 0}}, "[]"},
		{[][2]uint64{{1, 1}}, "[[1]]"},
		{[][2]uint64{{3, 1}, {1, 2}, {2, 3}}, "[[1 2 3]]"},
		{[][2]uint64{{9, 3}, {3, 1}, {1, 2}, {2, 3}}, "[[1 2 3]]"},                   // one waits for the cycle
		{[][2]uint64{{1, 7}, {1, 2}, {2, 5}, {2, 1}, {5, 6}}, "[[1 2]]"},             // each waits for several
		{[][2]uint64{{1, 2}, {2, 1}, {3, 4}, {4, 3}, {2, 3}}, "[[1 2] [3 4]]"},       // two
		{[][2]uint64{{1, 2}, {2, 3}, {3, 1}, {2, 1}, {3, 3}}, "[[1 2 3] [3] [1 2]]"}, // with threads in common
	} {
		waits := lockWaitsOf(nil, c.waits...)
		got := [][]uint64{}
		for _, places := range lockCycles(waits) {
			var cycle []uint64
			for k, i := range places {
				cycle = append(cycle, waits[i].Waiter.Thread)
				if next := waits[places[(k+1)%len(places)]].Waiter.Thread; waits[i].Blocker.Thread != next {
					t.Errorf("%v: %d waits for %d, not for %d", c.waits, waits[i].Waiter.Thread, waits[i].Blocker.Thread, next)
				}
			}
			got = append(got, cycle)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v has the cycles %v, want %s", c.waits, got, c.want)
		}
	}
}

func TestLockChains(t *testing.T) {
	g := newLockGraph(nil, lockWaitsOf(nil, [2]uint64{2, 1}, [2]uint64{3, 2}, [2]uint64{4, 3}, [2]uint64{10, 11}, [2]uint64{11, 12}, [2]uint64{12, 11}, [2]uint64{20, 0}))
	for _, c := range []struct {
		thread, root uint64
		length       int
	}{{4, 1, 3}, {2, 1, 1}, {1, 1, 0}, {10, 0, 3}, {11, 0, 2}, {12, 0, 2}, {20, 20, 0}} {
		if got := g.chain(c.thread); got != (lockChain{c.root, c.length}) {
			t.Errorf("the chain of %d is %+v, want root %d and length %d", c.thread, got, c.root, c.length)
		}
	}
	for i, want := range []string{"2 > 1", "3 > 2 > 1", "4 > 3 > 2 > 1", "10 > 11 > 12 > 11", "11 > 12 > 11", "12 > 11 > 12", "20"} {
		if got := g.chainText(&g.waits[i]); got != want {
			t.Errorf("the chain is %q, want %q", got, want)
		}
	}
	var long [][2]uint64
	for i := range uint64(1000) {
		long = append(long, [2]uint64{i + 2, i + 1})
	}
	g = newLockGraph(nil, lockWaitsOf(nil, long...))
	if got := g.chain(1001); got != (lockChain{1, 1000}) {
		t.Errorf("the chain is %+v", got)
	}
	if got := g.chainText(&g.waits[999]); len(got) > 512 || got[len(got)-3:] != "..." {
		t.Errorf("the chain is %q", got)
	}
}

// A cycle that is only in one of two readings is not returned.
func TestDeadlocksNeedTwoReadings(t *testing.T) {
	reg := instr.NewRegistry()
	class := reg.NewRowLockClass().Class()
	for _, c := range []struct {
		second func(waits []LockWait)
		want   int
	}{
		{func([]LockWait) {}, 1},
		{func(w []LockWait) { w[0].Waiter.Number = 2 }, 0},  // another wait of the same thread
		{func(w []LockWait) { w[1].Blocker.Number = 2 }, 0}, // another hold
		{func(w []LockWait) { w[1].Blocker.Thread = 7 }, 0},
		{func(w []LockWait) { w[0].Object = 7 }, 0},
	} {
		reading := 0
		Provide(Of(reg), func(Key) []LockWait {
			waits := lockWaitsOf(class, [2]uint64{1, 2}, [2]uint64{2, 1})
			if reading++; reading == 2 {
				c.second(waits)
			}
			return waits
		})
		if got := deadlocks(Of(reg)); len(got) != c.want || reading != 2 {
			t.Errorf("%d deadlocks after %d readings, want %d", len(got), reading, c.want)
		}
	}
	reading := 0
	Provide(Of(reg), func(Key) []LockWait { reading++; return lockWaitsOf(class, [2]uint64{1, 2}) })
	if got := deadlocks(Of(reg)); len(got) != 0 || reading != 1 {
		t.Errorf("without a cycle: %d deadlocks after %d readings", len(got), reading)
	}
}

// A table with an order returns its rows in it.
func TestOrderOfTables(t *testing.T) {
	reg := instr.NewRegistry()
	class := reg.NewRowLockClass().Class()
	Provide(Of(reg), func(Key) (waits []LockWait) {
		for i, since := range []uint64{5, 0, 9, 7, 0, 9, 1} {
			waits = append(waits, LockWait{Class: class, Waiter: LockParty{Thread: uint64(i + 1), Number: 1, Since: since, Timed: since != 0}})
		}
		return waits
	})
	ordered := 0
	for _, def := range All() {
		order := def.Order()
		if order == nil {
			continue
		}
		ordered++
		col := slices.IndexFunc(def.Columns(), func(c ColumnInfo) bool { return c.Name == order.Column })
		if col < 0 || def.Columns()[col].Kind.IsText() {
			t.Fatalf("%s is in the order of %s", def.Name(), order.Column)
		}
		rows := 0
		last, row := Null, make([]Value, 1)
		for c := def.Scan(Of(reg), []int{col}, nil); c.Next(row); rows++ {
			low, high := last, row[0]
			if order.Descending {
				low, high = high, low
			}
			if rows > 0 && !low.IsNull() && (high.IsNull() || high.Bits() < low.Bits()) {
				t.Errorf("%s: %v is before %v", def.Name(), last.Bits(), row[0].Bits())
			}
			last = row[0]
		}
		if rows < 7 {
			t.Errorf("%s has %d rows: too few to see an order", def.Name(), rows)
		}
	}
	if ordered == 0 {
		t.Error("no table has an order")
	}
}
