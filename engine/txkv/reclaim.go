package txkv

import (
	"context"
	"sync"
)

// reclaiming gives the room of ranges that have been deleted back to the device. Pebble drops a file by itself if all of it is deleted, but
// keeps one that reaches beyond a range until something else is written to the files beside it, which may never happen. Safe for concurrent
// use.
type reclaiming struct {
	mu     sync.Mutex
	ranges []keyRange    // guarded by mu
	wanted chan struct{} // receives after ranges were added
}

// reclaimBytes is how many bytes of a range must be in files for it to be worth it to write the files beside it again.
const reclaimBytes = 1 << 20

// Reclaim gives the room that the files take for the keys from lo up to, without, hi back in the background, if there are no such keys any
// more. What an open snapshot still sees stays.
func (s *Store) Reclaim(lo, hi []byte) {
	s.reclaiming.add([]keyRange{{lo, hi}})
}

func (r *reclaiming) add(ranges []keyRange) {
	r.mu.Lock()
	r.ranges = append(r.ranges, ranges...)
	r.mu.Unlock()
	select {
	case r.wanted <- struct{}{}:
	default:
	}
}

func (r *reclaiming) take() []keyRange {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.ranges
	r.ranges = nil
	return all
}

// reclaim runs until the store is closed. wanted receives after ranges were added.
func (s *Store) reclaim(wanted <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-s.closing
		cancel()
	}()
	for {
		select {
		case <-wanted:
		case <-s.closing:
			return
		}
		for _, r := range s.reclaiming.take() {
			if ctx.Err() != nil {
				return
			}
			size, err := s.db.EstimateDiskUsage(r.lo, r.hi)
			if err != nil || size < reclaimBytes {
				continue
			}
			_ = s.db.Compact(ctx, r.lo, r.hi, false) // the cause is in the log, and the room comes back later
		}
	}
}
