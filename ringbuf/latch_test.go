package ringbuf

import (
	"runtime"
	"sync"
	"testing"
)

// Several goroutines add to plain words under a latch and must find them equal; the race detector
// checks that each sees what the one before has stored.
func TestLatchExcludes(t *testing.T) {
	const goroutines, rounds = 4, 20_000
	var (
		l     Latch
		words [4]int
		all   sync.WaitGroup
	)
	for range goroutines {
		all.Go(func() {
			for range rounds {
				l.Lock()
				for i := range words {
					if words[i] != words[0] && i == len(words)-1 {
						t.Error(words)
					}
				}
				for i := range words {
					words[i]++
				}
				l.Unlock()
			}
		})
	}
	all.Wait()
	if words[0] != goroutines*rounds || words[3] != words[0] {
		t.Error(words)
	}
}

func TestLatchTryLock(t *testing.T) {
	var l Latch
	if !l.TryLock() {
		t.Fatal("cannot be locked")
	}
	if l.TryLock() {
		t.Fatal("locked twice")
	}
	done := make(chan struct{})
	go func() { // waits until the latch is unlocked
		l.Lock()
		close(done)
	}()
	runtime.Gosched()
	l.Unlock()
	<-done
	if l.TryLock() {
		t.Error("the other goroutine has not got it")
	}
}

// BenchmarkLatch compares the cost of a latch for its owner with that of a sync.Mutex, when what it
// guards is in the cache and when it is not.
func BenchmarkLatch(b *testing.B) {
	far := make([]struct{ a, b, c, d [64]byte }, 1<<16)
	for _, c := range []struct {
		name   string
		locker sync.Locker
		stride int
	}{
		{"lock=Latch/near", new(Latch), 0}, {"lock=Mutex/near", new(sync.Mutex), 0},
		{"lock=Latch/far", new(Latch), 4099}, {"lock=Mutex/far", new(sync.Mutex), 4099},
	} {
		b.Run(c.name, func(b *testing.B) {
			for i := 0; b.Loop(); i += c.stride {
				c.locker.Lock()
				x := &far[i%len(far)]
				x.a[0]++
				x.b[0]++
				x.c[0]++
				x.d[0]++
				c.locker.Unlock()
			}
		})
	}
}
