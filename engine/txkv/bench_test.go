//go:build unix

package txkv

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// filled returns a store with n rows of 190 bytes.
func filled(b *testing.B, n int, o Options) *Store {
	b.Helper()
	s := open(b, o)
	w := s.NewBulk()
	for i := range n {
		if err := w.Put(benchKey(i), make([]byte, 190)); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Commit(b.Context()); err != nil {
		b.Fatal(err)
	}
	return s
}

func benchKey(i int) []byte { return binary.BigEndian.AppendUint32([]byte("t000001"), uint32(i)) }

func BenchmarkGet(b *testing.B) {
	s := filled(b, 100_000, Options{})
	b.ReportAllocs()
	defer processor(b)()
	for i := 0; b.Loop(); i++ {
		x := s.Begin(TxnOptions{Isolation: RepeatableRead})
		if v, err := x.Get(benchKey(i * 7919 % 100_000)); v == nil || err != nil {
			b.Fatal(err)
		}
		x.Rollback()
	}
}

func BenchmarkScan100(b *testing.B) {
	s := filled(b, 100_000, Options{})
	for _, own := range []int{0, 1} {
		b.Run(fmt.Sprintf("written=%d", own), func(b *testing.B) {
			b.ReportAllocs()
			defer processor(b)()
			x := s.Begin(TxnOptions{Isolation: RepeatableRead})
			defer x.Rollback()
			for i := range own {
				if err := x.Put(benchKey(i), nil); err != nil {
					b.Fatal(err)
				}
			}
			for i := 0; b.Loop(); i++ {
				at := i * 7919 % 99_000
				it, err := x.Scan(benchKey(at), benchKey(at+100), false)
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for it.Next() {
					n += len(it.Key()) + len(it.Value())
				}
				if err := it.Close(); err != nil || n == 0 {
					b.Fatal(n, err)
				}
			}
		})
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, mode := range []LockMode{Exclusive, Insert} {
		b.Run(fmt.Sprintf("insert=%v", mode == Insert), func(b *testing.B) {
			policy := FlushEachSecond
			s := filled(b, 100_000, Options{Dir: b.TempDir() + "/store", Flush: func() FlushPolicy { return policy }})
			b.ReportAllocs()
			defer processor(b)()
			for i := 0; b.Loop(); i++ {
				x := s.Begin(TxnOptions{Isolation: RepeatableRead})
				key := benchKey(i * 7919 % 100_000)
				v, _, err := x.GetLocked(b.Context(), key, mode, NoWait)
				if err == nil {
					err = x.Put(key, v)
				}
				if err == nil {
					err = x.Commit()
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCommit(b *testing.B) {
	for _, policy := range []FlushPolicy{FlushAtCommit, WriteAtCommit, FlushEachSecond} {
		for _, writers := range []int{1, 8, 32} {
			b.Run(fmt.Sprintf("policy=%d/writers=%d", policy, writers), func(b *testing.B) {
				s := open(b, Options{Dir: b.TempDir() + "/store", Flush: func() FlushPolicy { return policy }})
				var left atomic.Int64
				left.Store(int64(b.N))
				var wg sync.WaitGroup
				b.ResetTimer()
				defer processor(b)()
				for w := range writers {
					wg.Go(func() {
						for i := w; left.Add(-1) >= 0; i += writers {
							x := s.Begin(TxnOptions{})
							if err := x.Put(benchKey(i), make([]byte, 190)); err != nil {
								b.Error(err)
								return
							}
							if err := x.Commit(); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				wg.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
			})
		}
	}
}

func BenchmarkLock(b *testing.B) {
	s := open(b, Options{})
	key := benchKey(1)
	defer processor(b)()
	for b.Loop() {
		x := s.Begin(TxnOptions{})
		if _, err := x.Lock(b.Context(), key, Exclusive, NoWait); err != nil {
			b.Fatal(err)
		}
		x.Rollback()
	}
}

func BenchmarkBulk(b *testing.B) {
	for _, order := range []string{"sorted", "random"} {
		b.Run("order="+order, func(b *testing.B) {
			s := open(b, Options{Dir: b.TempDir() + "/store"})
			defer processor(b)()
			w := s.NewBulk()
			for i := range b.N {
				n := uint32(i)
				if order == "random" {
					n = n*2654435761 + 1 // each number once
				}
				if err := w.Put(benchKey(int(n)), make([]byte, 190)); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Commit(b.Context()); err != nil {
				b.Fatal(err)
			}
		})
	}
}
