package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// boundaries are where the regions of the layout begin and end, but for the first one.
var boundaries = []int64{
	recAtIndex, recAtFDs, recAtClasses, recAtObjects, recAtStats, recAtLong, recAtText, recAtFiles, recAtThreads, recAtSpare, recAtRings, recAtWaits, recAtTimes, recAtHolds, recAtWork,
	recAtWorkIndex, recAtWorkStats, recAtStatementsLong, recAtStagesLong, recAtTransactionLong, recAtWorkText, recAtWorkRows, recAtWorkRings, recAtConns, recAtWaited, recSize,
}

// sizes are boundaries, the bytes and pages around them, and the middles between them.
func sizes() (all []int64) {
	last := int64(0)
	for _, b := range boundaries {
		page := b &^ 4095
		all = append(all, (last+b)/2, b-1, b, b+1, page-1, page, page+4096)
		last = b
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// reopened is the error of opening a recording.
func reopened(path string) error {
	r, err := Open(path)
	if err == nil {
		_ = r.Close()
	}
	return err
}

// A file that has lost its end is refused, wherever it was cut, and one that has not is read: it is as long as its header says, or longer, if
// the program was killed after the file had grown and before the header said so.
func TestCut(t *testing.T) {
	im := working(t)
	for _, reached := range append(sizes(), minReached) {
		if reached < minReached || reached > recSize {
			continue
		}
		h := readRow[recHeader](&Recording{file: im.file}, 0)
		h.reached = uint64(reached)
		for _, size := range append(sizes(), reached-1, reached, reached+1, 8, 9, 63, recHeadSize/2) {
			if err := im.file.Truncate(size); err != nil {
				t.Fatal(err)
			}
			head := bytesOf(&h)
			if _, err := im.file.WriteAt(head[:min(int64(len(head)), size)], 0); err != nil {
				t.Fatal(err)
			}
			switch err := reopened(im.path); {
			case size >= reached && err != nil:
				t.Errorf("%d of %d bytes: %v", size, reached, err)
			case size < reached && (!errors.Is(err, ErrCut) || !strings.HasPrefix(err.Error(), im.path+": ") || !strings.Contains(err.Error(), fmt.Sprintf("%d of ", size))):
				t.Errorf("%d of %d bytes: %v", size, reached, err)
			}
		}
	}
	for size := range int64(8) { // what it is cannot be seen
		if err := im.file.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if err := reopened(im.path); !errors.Is(err, ErrNotARecording) || !strings.HasPrefix(err.Error(), im.path+": ") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// What is read of a file that is cut while it is open is what was there, or an error that names the file: never rows that are empty. That
// holds for each method alone. The error stays, and nothing is written.
func TestCutWhileRead(t *testing.T) {
	missing := map[string]bool{}
	im := newImage(t)
	whole := func() {
		im.fillWork()
		h := readRow[recHeader](&Recording{file: im.file}, 0)
		h.holds, h.conns, h.waited = 1, 2, 2
		put(im, 0, h)
		put(im, recAtHolds+1*recHoldsSize, recHolds{seq: 2, goid: 7, level: 1, n: 1, locks: [recHoldLocks]recHold{{address: 0xc000, ticks: 1200}}})
		put(im, recAtWaits+1*recWaitsSize, recWaits{seq: 2, goid: 7, classes: [recWaitClasses]uint16{2}, stats: [recWaitClasses]recWaitStat{{count: 1, untimed: 1}}})
		put(im, classAt(2)+uint64(unsafe.Offsetof(recClass{}.times)), uint32(1))
		put(im, recAtTimes, recTimes{buckets: [recBuckets]uint64{1, 2}})
		put(im, recAtConns+1*recConnSize, recConn{seq: 2, conn: 1, kind: recPool, goid: 7, state: recConnTaken})
		put(im, recAtWaited+1*recWaitedSize, recWaited{seq: 2, address: 1, kind: recWaitedChannel, waiters: 1})
		if err := im.file.Truncate(recSize); err != nil {
			t.Fatal(err)
		}
	}
	whole()
	before := im.open()
	threads := before.Threads()
	cuts := []int64{0, 1, 100, recAtStats + 1}
	for i, b := range boundaries {
		cuts = append(cuts, b+40)
		if i > 0 {
			cuts = append(cuts, (b+boundaries[i-1])/2)
		}
	}
	for _, size := range cuts {
		if size >= recSize {
			continue
		}
		for _, part := range readings {
			want := fmt.Sprint(part.read(before, threads))
			if err := before.Err(); err != nil {
				t.Fatal(err)
			}
			r := im.open()
			if err := im.file.Truncate(size); err != nil {
				t.Fatal(err)
			}
			got, err := fmt.Sprint(part.read(r, threads)), r.Err()
			switch {
			case err == nil && got != want:
				t.Errorf("%d bytes are there, and %s is something else without an error", size, part.name)
			case err != nil && (!errors.Is(err, ErrCut) || !strings.HasPrefix(err.Error(), im.path+": ")):
				t.Errorf("%d bytes: %s: %v", size, part.name, err)
			case err != nil:
				missing[part.name] = true
			}
			if err := r.SetKindSwitches(Mutex, Off); !errors.Is(err, ErrCut) {
				t.Errorf("%d bytes: a switch is written: %v", size, err)
			}
			if info, err := im.file.Stat(); err != nil || info.Size() != size {
				t.Errorf("%d bytes became %d, %v", size, info.Size(), err)
			}
			whole()
			if part.read(r, threads); !errors.Is(r.Err(), ErrCut) {
				t.Errorf("%d bytes: %v, after the file has grown again", size, r.Err())
			}
		}
	}
	methods := reflect.TypeFor[*Recording]()
	for i := range methods.NumMethod() {
		switch name := methods.Method(i).Name; {
		case strings.HasPrefix(name, "Set"), name == "Close", name == "Err", name == "Alive", name == "Torn", name == "Info", name == "Standard", name == "Own": // what they need was read before
		case !missing[name]:
			t.Errorf("nothing was missing of %s", name)
		}
	}
}

// While a file grows, one region after the other and not in their order, it is never taken for one that was cut, by those that open it and
// those that have.
func TestGrowing(t *testing.T) {
	for round := range 5 {
		im := working(t)
		h := readRow[recHeader](&Recording{file: im.file}, 0)
		h.reached = minReached
		put(im, 0, h)
		if err := im.file.Truncate(minReached); err != nil {
			t.Fatal(err)
		}
		first := im.open()
		var done atomic.Bool
		var readers sync.WaitGroup
		opened := make(chan struct{}, 4)
		for range 2 {
			readers.Go(func() {
				defer func() { opened <- struct{}{} }()
				for n := 0; n == 0 || !done.Load(); n++ {
					r, err := Open(im.path)
					if err != nil {
						t.Error(err)
						return
					}
					_ = r.head()
					r.Holds()
					r.WorkStat(6)
					r.StepsLong(TransactionWork)
					r.ClassTimes(2)
					if err := errors.Join(r.Err(), first.whole()); err != nil {
						t.Error(err)
						done.Store(true)
					}
					_ = r.Close()
					if n == 0 {
						opened <- struct{}{}
					}
				}
			})
		}
		<-opened
		for at := int64(minReached); at < recSize; {
			at = min(at+int64(20000*(round+1)), recSize)
			if err := im.file.Truncate(at); err != nil {
				t.Fatal(err)
			}
			word := uint64(at)
			if _, err := im.file.WriteAt(bytesOf(&word), int64(unsafe.Offsetof(recHeader{}.reached))); err != nil {
				t.Fatal(err)
			}
		}
		done.Store(true)
		readers.Wait()
	}
}

// A file that is cut and grows again while many read it costs no panic.
func TestCutAgainAndAgain(t *testing.T) {
	im := working(t)
	var readers sync.WaitGroup
	var done atomic.Bool
	for range 4 {
		r := im.open()
		readers.Go(func() {
			for !done.Load() {
				readAll(r)
			}
			if readAll(r); !errors.Is(r.Err(), ErrCut) {
				t.Errorf("it was cut: %v", r.Err())
			}
		})
	}
	for range 20 {
		for _, size := range sizes() {
			if err := im.file.Truncate(size); err != nil {
				t.Fatal(err)
			}
		}
		if err := im.file.Truncate(0); err != nil {
			t.Fatal(err)
		}
	}
	done.Store(true)
	readers.Wait()
}

// The newest recording of a directory is refused if it was cut or has another version; an older one is not shown instead of it.
func TestFindRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(im *image, h recHeader)
		want   error
	}{
		"cut":     {func(im *image, _ recHeader) { _ = im.file.Truncate(recAtText) }, ErrCut},
		"version": {func(im *image, h recHeader) { h.version--; put(im, 0, h) }, ErrVersion},
	} {
		t.Run(name, func(t *testing.T) {
			older, newer := filled(t), filled(t)
			h := header()
			h.wall0++
			put(newer, 0, h)
			dir := filepath.Dir(older.path)
			path := filepath.Join(dir, "pfsd.4711.3")
			if err := os.Rename(newer.path, path); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PFSD_RECORD", dir)
			test.change(newer, h)
			for _, what := range []string{path, dir, "4711"} {
				if _, err := Find(what); !errors.Is(err, test.want) || !strings.Contains(err.Error(), path+": ") {
					t.Errorf("%s: %v", what, err)
				}
			}
			list, refused, err := List(dir)
			if len(list) != 1 || list[0].Info().Path != older.path || len(refused) != 1 || !errors.Is(refused[0], test.want) || err != nil {
				t.Errorf("%v, %v, %v", list, refused, err)
			}
			for _, r := range list {
				_ = r.Close()
			}
		})
	}
}
