package instr

import (
	"sync"
	"testing"
)

// BenchmarkChan measures a send and a receive of a buffered channel.
func BenchmarkChan(b *testing.B) {
	b.Run("kind=plain", func(b *testing.B) {
		c := make(chan int, 1)
		for b.Loop() {
			c <- 1
			<-c
		}
	})
	for name, value := range map[string]PatternValue{"off": PatternOff, "timed": PatternOn} {
		b.Run("kind=instr/on="+name, func(b *testing.B) {
			r := NewRegistry()
			r.Setup().AddPattern("%", value)
			c := NewChanIn[int](r, "test/queue", 1)
			defer r.Attach("test/user").Detach()
			for b.Loop() {
				c.Send(1)
				c.Receive()
			}
		})
	}
}

// BenchmarkCond measures a Wait of two goroutines that wake each other.
func BenchmarkCond(b *testing.B) {
	type cond interface {
		Wait()
		Signal()
	}
	run := func(b *testing.B, m *sync.Mutex, c cond) {
		turn, end := 0, false
		play := func(me int, more func() bool) {
			m.Lock()
			defer m.Unlock()
			for more() && !end {
				for turn != me && !end {
					c.Wait()
				}
				turn = 1 - me
				c.Signal()
			}
		}
		var wg sync.WaitGroup
		wg.Go(func() { play(1, func() bool { return true }) })
		play(0, b.Loop)
		m.Lock()
		end = true
		c.Signal()
		m.Unlock()
		wg.Wait()
	}
	b.Run("kind=sync", func(b *testing.B) {
		m := new(sync.Mutex)
		run(b, m, sync.NewCond(m))
	})
	for name, value := range map[string]PatternValue{"off": PatternOff, "timed": PatternOn} {
		b.Run("kind=instr/on="+name, func(b *testing.B) {
			r := NewRegistry()
			r.Setup().AddPattern("%", value)
			m := new(sync.Mutex)
			run(b, m, r.NewCond("test/cond", m))
		})
	}
}
