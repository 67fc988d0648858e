package load

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// sample is one that was taken: when, from which sample on none is missing, and how many threads were active.
type sample struct {
	id, unbroken uint64
	at, weight   float64
	active       int
}

// summed is what summaryQuery returns of samples.
func summed(samples []sample, size uint64) (rows [][]string) {
	for i := 0; i < len(samples); {
		point := samples[i].id / size
		var first, last sample
		n := 0
		for ; i < len(samples) && samples[i].id/size == point; i++ {
			if s := samples[i]; s.active > 0 {
				if n == 0 {
					first = s
				}
				last = s
				n += s.active
			}
		}
		if n > 0 {
			rows = append(rows, []string{fmt.Sprint(point), "CPU*", fmt.Sprint(n), fmt.Sprint(first.id), fmt.Sprint(last.id), fmt.Sprintf("%f", first.at), fmt.Sprintf("%f", last.at),
				fmt.Sprint(first.unbroken), fmt.Sprint(last.unbroken), fmt.Sprint(last.weight)})
		}
	}
	return rows
}

func next(s sample) []string {
	return []string{fmt.Sprint(s.id), fmt.Sprintf("%f", s.at), fmt.Sprint(s.unbroken), fmt.Sprint(s.weight)}
}

// A load that does not change has the same height everywhere, wherever in a second its samples are taken, and no gap, for each number of samples of a point.
func TestConstantLoad(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for size := uint64(1); size <= 7; size++ {
		var samples []sample
		for i := range uint64(600) {
			samples = append(samples, sample{id: i + 5, unbroken: 5, at: 1000 + float64(i) + random.Float64()*0.1 - 0.05, weight: 1, active: 2})
		}
		ahead := sample{id: 605, unbroken: 5, at: 1599.9, weight: 1}
		at := 1000.0
		for _, p := range piecesOf(summed(samples, size), size, next(ahead), 1000, 1599.5) {
			if math.Abs(p.From-at) > 1e-9 || p.To <= p.From || p.Active["CPU*"] != 2 {
				t.Fatalf("points of %d: %+v, at %f", size, p, at)
			}
			at = p.To
		}
		if at != 1599.5 {
			t.Errorf("points of %d: until %f", size, at)
		}
	}
}

// Samples that are missing are a gap where they are missing, also beside samples that found nobody, which are a load of 0. The sum of the load is that of the
// samples.
func TestMissingSamples(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 2000 {
		size := 1 + random.Uint64N(5)
		var samples []sample
		at, unbroken, sum := 1000.0, uint64(1), 0
		missing := map[int]bool{} // seconds without a sample
		breaks := 0
		for id := uint64(1); id < 100; id++ {
			if random.IntN(40) == 0 && breaks == 0 {
				n := 2 + random.IntN(20)
				for i := range n {
					missing[int(at)+i] = true
				}
				at += float64(n)
				unbroken, breaks = id, breaks+1
			}
			s := sample{id: id, unbroken: unbroken, at: at + random.Float64()*0.1, weight: 1}
			if id == 1 || random.IntN(3) == 0 {
				s.active = 1 + random.IntN(4)
			}
			sum += s.active
			samples = append(samples, s)
			at++
		}
		pieces := piecesOf(summed(samples, size), size, next(sample{id: 100, unbroken: unbroken, at: at, weight: 1}), 999, at)
		got := 0.0
		known := map[int]bool{}
		last := 999.0
		for _, p := range pieces {
			if p.From < last-1e-6 {
				t.Fatalf("round %d: %+v before %f", round, p, last)
			}
			last = p.To
			got += p.Active["CPU*"] * (p.To - p.From)
			for s := 1000; s < int(at); s++ {
				if mid := float64(s) - 0.5; p.From <= mid && mid < p.To {
					known[s] = true
				}
			}
		}
		if math.Abs(got-float64(sum)) > 0.15*float64(sum)+3 {
			t.Fatalf("round %d, points of %d: %f seconds, want %d", round, size, got, sum)
		}
		wrong := 0
		for s := 1000; s < int(at); s++ {
			if known[s] == missing[s] {
				wrong++
			}
		}
		// A point of several samples in which some are missing lasts from its first to its last sample.
		if wrong > 0 && size == 1 || wrong > 21 {
			t.Fatalf("round %d, points of %d: %d seconds are taken for what they are not; missing %v\n%+v", round, size, wrong, missing, pieces)
		}
	}
}

// Without a row in the window, what is ahead says what is known.
func TestNobodyActive(t *testing.T) {
	if p := piecesOf(nil, 1, next(sample{id: 500, unbroken: 200, at: 1300, weight: 1}), 1000, 1300); len(p) != 1 || p[0].From != 1000 || p[0].To != 1300 || len(p[0].Active) != 0 {
		t.Errorf("%+v", p)
	}
	if p := piecesOf(nil, 1, next(sample{id: 500, unbroken: 400, at: 1300, weight: 1}), 1000, 1300); len(p) != 1 || p[0].From != 1199 {
		t.Errorf("%+v", p)
	}
	if p := piecesOf(nil, 1, nil, 1000, 1300); len(p) != 0 {
		t.Errorf("%+v", p)
	}
	if p := piecesOf([][]string{{"x"}, {"1", "c", "NaN", "1", "1", "1", "1", "1", "1", "1"}, {"1", "c", "1", "-1", "1", "1", "1", "1", "1", "1"}}, 0, []string{"", "", "", ""}, 1000, 1300); len(p) != 0 {
		t.Errorf("%+v", p)
	}
}

func TestPointSize(t *testing.T) {
	for _, c := range []struct{ first, last, want uint64 }{{1, 1, 1}, {1, 150, 1}, {1, 151, 2}, {1, 300, 2}, {5, 4, 1}} {
		if got := pointSize(c.first, c.last, 150); got != c.want {
			t.Errorf("%v: %d", c, got)
		}
	}
}
