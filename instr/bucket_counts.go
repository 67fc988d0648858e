package instr

import (
	"sync/atomic"

	"pfsd/ringbuf"
)

// bucketCounts is how many events each bucket of a histogram has, with many writers, one for each
// processor. A reset puts a new set of shards in place of the old one: an event that is still
// counted in the old one ended before the reset. The zero bucketCounts is empty.
type bucketCounts[T timeCounts | [StatementHistogramBuckets]uint64] struct {
	shards atomic.Pointer[ringbuf.PerP[T]]
}

// count counts an event.
func (c *bucketCounts[T]) count(bucket int) {
	n := &(*c.pin())[bucket]
	ringbuf.Publish(n, ringbuf.Load(n)+1)
	ringbuf.Unpin()
}

// pin pins the goroutine and returns its processor's shard. The caller must ringbuf.Unpin.
func (c *bucketCounts[T]) pin() *T {
	shards := c.shards.Load()
	for shards == nil {
		c.shards.CompareAndSwap(nil, new(ringbuf.PerP[T]))
		shards = c.shards.Load()
	}
	return shards.Pin(func() *T { return new(T) })
}

// sum calls add with what each shard has of each bucket.
func (c *bucketCounts[T]) sum(add func(bucket int, n uint64)) {
	shards := c.shards.Load()
	if shards == nil {
		return
	}
	var buckets T // len of what a shard points to would read the shard
	for _, shard := range shards.All() {
		if shard == nil {
			continue
		}
		for i := range len(buckets) {
			if n := ringbuf.Load(&(*shard)[i]); n != 0 {
				add(i, n)
			}
		}
	}
}

func (c *bucketCounts[T]) reset() { c.shards.Store(nil) }
