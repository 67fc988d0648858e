package ringbuf

import (
	"sync"
	"sync/atomic"
)

// PerP is one T for each processor, made when the processor first needs it. Each T has one writer
// at a time, the goroutine that is pinned to its processor. The zero PerP is empty.
type PerP[T any] struct {
	all  atomic.Pointer[[]*T]
	grow sync.Mutex
}

// Pin pins the goroutine and returns its processor's T; if there is none yet, make makes it. The
// caller must Unpin. Safe for concurrent use.
func (s *PerP[T]) Pin(make func() *T) *T {
	p := Pin()
	if all := s.all.Load(); all != nil && p < len(*all) {
		if t := (*all)[p]; t != nil {
			return t
		}
	}
	Unpin()
	return s.pinNew(make)
}

func (s *PerP[T]) pinNew(newT func() *T) *T {
	for {
		p := Pin()
		if all := s.all.Load(); all != nil && p < len(*all) && (*all)[p] != nil {
			return (*all)[p]
		}
		Unpin()
		s.add(p, newT())
	}
}

// add puts t into place p of a copy of the list, unless another goroutine has done so meanwhile.
func (s *PerP[T]) add(p int, t *T) {
	s.grow.Lock()
	defer s.grow.Unlock()
	var old []*T
	if all := s.all.Load(); all != nil {
		old = *all
	}
	if p < len(old) && old[p] != nil {
		return
	}
	next := make([]*T, max(len(old), p+1))
	copy(next, old)
	next[p] = t
	s.all.Store(&next)
}

// All returns the Ts of all processors; nil for a processor that has not needed one. The list must
// not be changed. Safe for concurrent use.
func (s *PerP[T]) All() []*T {
	if all := s.all.Load(); all != nil {
		return *all
	}
	return nil
}
