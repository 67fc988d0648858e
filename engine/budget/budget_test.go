package budget

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// A charge beyond a limit names it and changes nothing; within it, it is taken.
func TestLimits(t *testing.T) {
	server := NewServer(1 << 20)
	a, b := server.NewConnection(nil), server.NewConnection(nil)
	a.SetLimit(512<<10, 8<<10)
	b.SetLimit(NoLimit, 8<<10)
	tests := []struct {
		name  string
		hold  *Hold
		bytes int64
	}{
		{QueryLimit, a.Begin(256 << 10).NewHold(nil), 256 << 10},
		{ConnectionLimit, a.NewHold(nil), 256 << 10},
		{ServerLimit, b.NewHold(nil), 512 << 10},
	}
	for _, x := range tests {
		if err := x.hold.Charge(x.bytes); err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		used := server.Used()
		var limit *LimitError
		if err := x.hold.Charge(1); !errors.As(err, &limit) || limit.Name != x.name {
			t.Errorf("%s: %v", x.name, err)
		}
		if x.hold.Used() != x.bytes || server.Used() != used {
			t.Errorf("%s: a charge that was refused counts", x.name)
		}
	}
	server.SetLimit(2 << 20)
	if err := b.NewHold(nil).Charge(1 << 20); err != nil {
		t.Errorf("with a higher limit: %v", err)
	}
	a.Close()
	b.Close()
	if n := server.Used(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}

// Whatever holds do, what is taken is no less than what is used, no more than twice that and a piece for each hold, and all
// is given back at the end.
func TestEverythingIsGivenBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	server := NewServer(64 << 20)
	c := server.NewConnection(nil)
	for range 200 {
		c.SetLimit(int64(1+r.IntN(48))<<20, int64(r.IntN(64))<<10)
		s := c.Begin(int64(1+r.IntN(32)) << 20)
		var holds []*Hold
		left := [][]*Scope{nil} // of each part that is open
		var parts []*Part
		for range 300 {
			in := len(parts)
			switch n := r.IntN(12); {
			case n == 0 || len(holds) == 0:
				holds = append(holds, s.NewHold(nil))
			case n == 1:
				holds = append(holds, s.KeyedHold(r.IntN(4), nil))
			case n == 2:
				left[in] = append(left[in], s.Scope(r.IntN(3)).Enter())
			case n == 3 && len(left[in]) > 0:
				last := len(left[in]) - 1
				s.Scope(0).Leave(left[in][last])
				left[in] = left[in][:last]
			case n == 4:
				s.Scope(r.IntN(3)).Release()
			case n == 5:
				holds[r.IntN(len(holds))].Drop()
			case n == 6:
				h := holds[r.IntN(len(holds))]
				h.Discharge(h.Used() / 2)
			case n == 7:
				parts, left = append(parts, s.BeginPart()), append(left, nil)
			case n == 8 && in > 0:
				ends := r.IntN(in)
				before := s.Used()
				parts[ends].End()
				if parts[ends].End(); s.Part() == parts[ends] || s.Used() > before {
					t.Fatalf("the end of part %d of %d leaves %d of %d bytes", ends, in, s.Used(), before)
				}
				parts, left = parts[:ends], left[:ends+1]
			default:
				_ = holds[r.IntN(len(holds))].Charge(int64(r.IntN(1 << 20)))
			}
			used := int64(0)
			seen := map[*Hold]bool{}
			for _, h := range holds {
				if !seen[h] {
					used += h.Used()
				}
				seen[h] = true
			}
			if s.Used() < used || c.Used() != s.Used() || server.Used() < c.Used() || server.Used() > c.Used()+2*maxChunk {
				t.Fatalf("holds use %d, the statement %d, the connection %d, the server %d", used, s.Used(), c.Used(), server.Used())
			}
		}
		s.End()
		if c.Used() != 0 {
			t.Fatalf("%d bytes are left", c.Used())
		}
	}
	c.Close()
	if n := server.Used(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}

// What a part uses is given back when it ends, whatever it was kept for; what is kept in the part around it is not.
func TestPartsEnd(t *testing.T) {
	s := NewServer(NoLimit).NewConnection(nil).Begin(NoLimit)
	around := s.Part()
	for range 3 {
		part := s.BeginPart()
		s.BeginPart()
		scope := s.Scope("subquery")
		before := scope.Enter()
		for _, h := range []*Hold{s.NewHold(nil), s.KeyedHold(1, nil), s.KeyedHoldToEnd(2, nil), s.LastingHold(3, nil)} {
			if err := h.Charge(100 << 10); err != nil {
				t.Fatal(err)
			}
		}
		scope.Leave(before)
		used := s.Used()
		if err := around.NewHold(nil).Charge(10 << 10); err != nil || s.Used() == used {
			t.Fatal(err)
		}
		part.End()
		if s.Part() != around || len(around.scopes) > 0 || len(around.keyed) > 0 {
			t.Errorf("%+v is left", s.Part())
		}
	}
	if n := s.Used(); n != 30<<10 {
		t.Errorf("%d bytes are used", n)
	}
}

func BenchmarkCharge(b *testing.B) {
	c := NewServer(NoLimit).NewConnection(nil)
	h := c.Begin(NoLimit).NewHold(nil)
	b.ReportAllocs()
	for b.Loop() {
		_ = h.Charge(200)
	}
}
