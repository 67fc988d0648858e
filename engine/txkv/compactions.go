package txkv

import (
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// compactions starts Pebble's compactions, as many at a time as Pebble allows, once Open has returned a database.
//
// Pebble's own scheduler looks for compactions from within Open on. If Open then fails, it has closed the files and tables that a
// compaction reads, and nobody stops the scheduler: the compaction panics on a goroutine of its own, which ends the process.
//
// Safe for concurrent use.
type compactions struct {
	*pebble.ConcurrencyLimitScheduler // without a goroutine of its own
	opened                            atomic.Bool
	poked                             chan struct{}
	stop, stopped                     chan struct{}
}

var _ pebble.CompactionScheduler = (*compactions)(nil)

// compactionsPeriod is how often compactions are looked for that may run, because the number that is allowed has grown.
const compactionsPeriod = 100 * time.Millisecond

func newCompactions() *compactions {
	return &compactions{
		ConcurrencyLimitScheduler: pebble.NewConcurrencyLimitSchedulerWithNoPeriodicGrantingForTest(),
		poked:                     make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
}

// begin lets compactions run. Call it once, when Open has returned a database; closing that ends it.
func (c *compactions) begin() {
	c.opened.Store(true)
	c.poke()
	go c.run()
}

func (c *compactions) run() {
	defer close(c.stopped)
	again := time.NewTicker(compactionsPeriod)
	defer again.Stop()
	for {
		select {
		case <-c.poked:
		case <-again.C:
		case <-c.stop:
			return
		}
		if ok, place := c.ConcurrencyLimitScheduler.TrySchedule(); ok {
			place.Done() // which starts what waits for a place
		}
	}
}

func (c *compactions) poke() {
	select {
	case c.poked <- struct{}{}:
	default:
	}
}

// TrySchedule implements pebble.CompactionScheduler.
func (c *compactions) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	if !c.opened.Load() {
		return false, nil
	}
	return c.ConcurrencyLimitScheduler.TrySchedule()
}

// UpdateGetAllowedWithoutPermission implements pebble.CompactionScheduler.
func (c *compactions) UpdateGetAllowedWithoutPermission() {
	if c.opened.Load() {
		c.ConcurrencyLimitScheduler.UpdateGetAllowedWithoutPermission()
		c.poke()
	}
}

// Unregister implements pebble.CompactionScheduler.
func (c *compactions) Unregister() {
	if c.opened.Load() {
		close(c.stop)
		<-c.stopped
	}
	c.ConcurrencyLimitScheduler.Unregister()
}
