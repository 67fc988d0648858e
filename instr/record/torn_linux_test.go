package record

import (
	"encoding/binary"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// While one process writes a row again and again, a reader never gets half of one and half of another: of the smallest rows, and of the
// largest ones.
func TestNeverTorn(t *testing.T) {
	t.Run("event", func(t *testing.T) { neverTorn(t, recAtLong, recEventSize) })
	t.Run("statement", func(t *testing.T) { neverTorn(t, recAtStatementsLong, recStatementSize) })
	t.Run("work", func(t *testing.T) { neverTorn(t, recAtWorkRows+recWorkSize, recWorkSize) })
}

func neverTorn(t *testing.T, at uint64, size int) {
	im := filled(t)
	if err := im.file.Truncate(recSize); err != nil {
		t.Fatal(err)
	}
	mem, err := unix.Mmap(int(im.file.Fd()), 0, recSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(mem) }()
	row := unsafe.Slice((*atomic.Uint64)(unsafe.Pointer(&mem[at])), size/8)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for n := uint64(1); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			row[0].Store(2*n + 1)
			for i := 1; i < len(row); i++ {
				row[i].Store(n)
			}
			row[0].Store(2*n + 2)
		}
	}()
	r := im.open()
	for row[1].Load() == 0 { // until the row is one of those that the goroutine writes
		runtime.Gosched()
	}
	for read := 0; read < 2000; {
		before := r.Torn()
		b := false
		r.stable(at, size, 1, false, func(_ int, bytes []byte) {
			b = true
			n := word(bytes, 1)
			for i := 2; i < size/8; i++ {
				if word(bytes, i) != n {
					t.Fatalf("torn: word %d is %d, and others %d", i, word(bytes, i), n)
				}
			}
			if word(bytes, 0) != 2*n+2 {
				t.Fatalf("torn: %d of %d", word(bytes, 0), n)
			}
		})
		if !b && r.Torn() == before {
			t.Fatal("a row was left out and not counted")
		}
		read++
	}
	close(stop)
	<-done
}

func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }

// The same for the larger rows that one goroutine writes: its statistics, and the locks that it holds.
func TestLargeRowsNeverTorn(t *testing.T) {
	for name, row := range map[string]struct{ at, size int }{"statistics": {recAtWaits, recWaitsSize}, "locks": {recAtHolds, recHoldsSize}} {
		im := filled(t)
		if err := im.file.Truncate(recSize); err != nil {
			t.Fatal(err)
		}
		mem, err := unix.Mmap(int(im.file.Fd()), 0, recSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			t.Fatal(err)
		}
		words := unsafe.Slice((*atomic.Uint64)(unsafe.Pointer(&mem[row.at])), row.size/8)
		var stop atomic.Bool
		done := make(chan struct{})
		go func() {
			defer close(done)
			for n := uint64(1); !stop.Load(); n++ {
				words[0].Store(2*n + 1)
				for i := range words[1:] {
					words[1+i].Store(n)
				}
				words[0].Store(2*n + 2)
			}
		}()
		r := im.open()
		for range 1000 {
			before, got := r.Torn(), false
			r.stable(uint64(row.at), row.size, 1, false, func(_ int, b []byte) {
				got = true
				copied := unsafe.Slice((*uint64)(unsafe.Pointer(&b[0])), row.size/8)
				for i, w := range copied[1:] {
					if w != copied[1] || w != 0 && copied[0] != 2*w+2 {
						t.Errorf("%s: word %d is %d, the first ones %d and %d", name, i+1, w, copied[0], copied[1])
						break
					}
				}
			})
			if !got && r.Torn() == before {
				t.Errorf("%s: a row was left out and not counted", name)
			}
		}
		stop.Store(true)
		<-done
		_ = unix.Munmap(mem)
	}
}
