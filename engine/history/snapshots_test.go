package history

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pfsd/engine/txkv"
	"pfsd/tables"
)

// someWaits are the waits of so many instruments.
func someWaits(n int) (all []tables.SnapshotWait) {
	for i := range n {
		all = append(all, tables.SnapshotWait{Event: fmt.Sprintf("wait/synch/mutex/test/%03d", i), Stats: [5]uint64{uint64(i) + 1, 2, 3, 4, 1<<64 - 1}})
	}
	return all
}

// Snapshots stay until they are removed: in a directory, also after a restart, and however old the buckets become.
func TestSnapshots(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		w := newWorld(t, dir, wide)
		for i, name := range []string{"second", "first", "no waits"} {
			if err := w.Keep(tables.WaitsSnapshot{Name: name, Waits: someWaits(2 - i)}); err != nil {
				t.Fatal(err)
			}
		}
		var double *tables.DuplicateError
		if err := w.Keep(tables.WaitsSnapshot{Name: "first"}); !errors.As(err, &double) || double.Value != "first" {
			t.Errorf("a second snapshot of the same name: %v", err)
		}
		for range 3 {
			w.pass(40 * 24 * time.Hour)
		}
		before := w.Snapshots()
		if dir != "" {
			w.end()
			w.open(wide)
		}
		if diff := cmp.Diff(before, w.Snapshots()); diff != "" || len(before) != 3 || before[0].Name != "second" || time.Since(before[0].Taken) > time.Hour {
			t.Errorf("%v %s", before, diff)
		}
		if diff := cmp.Diff(someWaits(2), w.SnapshotWaits("second")); diff != "" {
			t.Error(diff)
		}
		if waits := w.SnapshotWaits("no waits"); len(waits) != 1 || waits[0] != (tables.SnapshotWait{}) {
			t.Errorf("%v", waits)
		}
		if err := errors.Join(w.Forget("second"), w.Forget("nobody")); err != nil || w.SnapshotWaits("second") != nil || len(w.Snapshots()) != 2 {
			t.Errorf("%v, %v", err, w.Snapshots())
		}
		if err := w.Clear(); err != nil || len(w.Snapshots()) != 0 || w.kept != 0 {
			t.Errorf("%v, %v, %d bytes", err, w.Snapshots(), w.kept)
		}
	}
}

// There is an end to the number of snapshots and to their size, and buckets do not go because of them.
func TestSnapshotsLimit(t *testing.T) {
	w := newWorld(t, t.TempDir(), wide)
	for i := range maxSnapshots {
		if err := w.Keep(tables.WaitsSnapshot{Name: fmt.Sprint(i), Waits: someWaits(300)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Keep(tables.WaitsSnapshot{Name: "one more"}); err != tables.ErrFull {
		t.Errorf("%v", err)
	}
	t.Logf("%d bytes for a snapshot of 300 instruments", w.kept/maxSnapshots)
	size := 0
	for _, k := range w.snapshots {
		size += k.bytes
	}
	if w.kept != int64(size) || w.size < w.kept {
		t.Errorf("%d bytes are kept, the snapshots have %d, all together %d", w.kept, size, w.size)
	}
	small := wide
	small.Bytes = w.kept + 1 // less than is kept already: half of it is for buckets
	w.SetLimits(small)
	w.run(0, 1)
	w.pass(10 * time.Second)
	w.pass(2 * time.Minute)
	w.want("statements_by_digest", "COUNT_STAR", finest, "1")
	if err := w.Forget("7"); err != nil {
		t.Fatal(err)
	}
	if err := w.Keep(tables.WaitsSnapshot{Name: "7"}); err != tables.ErrFull {
		t.Errorf("beyond a share of the bytes: %v", err)
	}
	w.end()
	w.open(wide)
	if len(w.Snapshots()) != maxSnapshots-1 || w.kept == 0 {
		t.Errorf("%d snapshots, %d bytes", len(w.Snapshots()), w.kept)
	}
}

// What the device refuses is an error, and changes nothing; a closed store refuses.
func TestSnapshotsNotWritten(t *testing.T) {
	w := newWorld(t, "", wide)
	if err := w.Keep(tables.WaitsSnapshot{Name: "a", Waits: someWaits(1)}); err != nil {
		t.Fatal(err)
	}
	f := &full{medium: w.medium, err: fmt.Errorf("%w: no space left", txkv.ErrDiskFull)}
	w.medium = f
	for range 2 {
		for _, err := range []error{w.Keep(tables.WaitsSnapshot{Name: "b"}), w.Forget("a"), w.Clear()} {
			if !errors.Is(err, tables.ErrDiskFull) && !errors.Is(err, tables.ErrNotWritten) || !strings.Contains(err.Error(), f.err.Error()) {
				t.Errorf("%v", err)
			}
		}
		f.err = errors.New("input/output error")
	}
	if all := w.Snapshots(); len(all) != 1 || !cmp.Equal(w.SnapshotWaits("a"), someWaits(1)) {
		t.Errorf("%v", all)
	}
	f.err = nil
	if err := w.Keep(tables.WaitsSnapshot{Name: "b"}); err != nil {
		t.Error(err)
	}
	w.end()
	if err := w.Keep(tables.WaitsSnapshot{Name: "c"}); !errors.Is(err, tables.ErrNotWritten) {
		t.Errorf("%v", err)
	}
	w.open(wide)
}

// A snapshot that is cut off or changed is refused or read, and nothing worse.
func FuzzDecodeSnapshot(f *testing.F) {
	f.Add(encodeSnapshot(&tables.WaitsSnapshot{Taken: first, Waits: someWaits(2)}, bootID{1}))
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := decodeSnapshot("x", text)
		if err != nil {
			return
		}
		again, err := decodeSnapshot("x", encodeSnapshot(&w, bootID(text[1:17])))
		if diff := cmp.Diff(w, again, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	})
}
