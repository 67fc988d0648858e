package history

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"pfsd/engine/txkv"
	"pfsd/tables"
)

// maxSnapshots is how many snapshots there are at most.
const maxSnapshots = 100

// keptShare is by which the limit of the store is divided for what is kept until somebody removes it.
const keptShare = 4

var _ tables.Snapshots = (*Store)(nil)

// room reports whether so many bytes more can be kept. The caller holds writing.
func (s *Store) room(bytes int) bool {
	return s.kept+int64(bytes) <= s.limits.Load().Bytes/s.share/keptShare
}

// keep makes changes of what is kept, which has so many bytes more then. They are on the device when it returns. The caller holds writing.
func (s *Store) keep(b *batch, bytes int) error {
	b.durable = true
	if err := s.apply(b); err != nil {
		return notKept(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept += int64(bytes)
	s.size += int64(bytes)
	return nil
}

// notKept is the error of a write that a statement has asked for.
func notKept(err error) error {
	if errors.Is(err, txkv.ErrDiskFull) {
		return fmt.Errorf("%w: %w", tables.ErrDiskFull, err)
	}
	return fmt.Errorf("%w: %w", tables.ErrNotWritten, err)
}

// keptSnapshot is a snapshot without its waits, and how many bytes it has in the store.
type keptSnapshot struct {
	tables.WaitsSnapshot
	bytes int
}

// loadSnapshots finds the snapshots that are there.
func (s *Store) loadSnapshots() error {
	s.snapshots = nil
	err := s.medium.scan([]byte{snapshotKeys}, []byte{snapshotKeys + 1}, func(key, value []byte) {
		w, err := decodeSnapshot(string(key[1:]), value)
		if err != nil {
			s.unreadable(err)
			return
		}
		w.Waits = nil
		s.snapshots = append(s.snapshots, keptSnapshot{w, len(key) + len(value)})
		s.kept += int64(len(key) + len(value))
	})
	slices.SortStableFunc(s.snapshots, func(a, b keptSnapshot) int { return a.Taken.Compare(b.Taken) })
	return err
}

// placeOf is the place of a snapshot in snapshots; -1 if there is none. The caller holds writing or mu.
func (s *Store) placeOf(name string) int {
	return slices.IndexFunc(s.snapshots, func(k keptSnapshot) bool { return k.Name == name })
}

// Snapshots implements tables.Snapshots.
func (s *Store) Snapshots() []tables.WaitsSnapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]tables.WaitsSnapshot, len(s.snapshots))
	for i, k := range s.snapshots {
		all[i] = k.WaitsSnapshot
	}
	return all
}

// SnapshotWaits implements tables.Snapshots. One that cannot be read has no waits, and the error log says so once.
func (s *Store) SnapshotWaits(name string) []tables.SnapshotWait {
	value, err := s.get(snapshotKey(name))
	if value == nil && err == nil {
		return nil
	}
	var w tables.WaitsSnapshot
	if err == nil {
		w, err = decodeSnapshot(name, value)
	}
	if err != nil {
		s.unreadable(err)
	}
	return w.Waits
}

// Keep implements tables.Snapshots.
func (s *Store) Keep(w tables.WaitsSnapshot) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.placeOf(w.Name) >= 0 {
		return &tables.DuplicateError{Value: w.Name, Key: "PRIMARY"}
	}
	w.Taken, w.Boot = time.Now().Truncate(time.Microsecond), s.boot.String()
	if len(w.Waits) == 0 {
		w.Waits = make([]tables.SnapshotWait, 1) // a snapshot has a row at least
	}
	slices.SortFunc(w.Waits, func(a, b tables.SnapshotWait) int { return cmp.Compare(a.Event, b.Event) })
	key, value := snapshotKey(w.Name), encodeSnapshot(&w, s.boot)
	bytes := len(key) + len(value)
	if len(s.snapshots) >= maxSnapshots || !s.room(bytes) {
		return tables.ErrFull
	}
	var b batch
	b.put(key, value)
	if err := s.keep(&b, bytes); err != nil {
		return err
	}
	w.Waits = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapshots = append(s.snapshots, keptSnapshot{w, bytes})
	return nil
}

// Forget implements tables.Snapshots.
func (s *Store) Forget(name string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	i := s.placeOf(name)
	if i < 0 {
		return nil
	}
	var b batch
	b.put(snapshotKey(name), nil)
	if err := s.keep(&b, -s.snapshots[i].bytes); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapshots = slices.Delete(s.snapshots, i, i+1)
	return nil
}

// Clear implements tables.Snapshots. Snapshots that cannot be read go, too.
func (s *Store) Clear() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	bytes := 0
	for _, k := range s.snapshots {
		bytes += k.bytes
	}
	var b batch
	b.remove([]byte{snapshotKeys}, []byte{snapshotKeys + 1})
	if err := s.keep(&b, -bytes); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapshots = nil
	return nil
}

// snapshotForm is the first byte of an encoded snapshot.
const snapshotForm = 1

// encodeSnapshot is the value of a snapshot. Numbers are varints.
func encodeSnapshot(w *tables.WaitsSnapshot, boot bootID) []byte {
	to := append([]byte{snapshotForm}, boot[:]...)
	to = binary.AppendVarint(to, w.Taken.UnixMicro())
	to = binary.AppendUvarint(to, uint64(len(w.Waits)))
	for i := range w.Waits {
		to = binary.AppendUvarint(to, uint64(len(w.Waits[i].Event)))
		to = append(to, w.Waits[i].Event...)
		for _, n := range w.Waits[i].Stats {
			to = binary.AppendUvarint(to, n)
		}
	}
	return to
}

// decodeSnapshot is the reverse of encodeSnapshot.
func decodeSnapshot(name string, value []byte) (w tables.WaitsSnapshot, err error) {
	w.Name = name
	if len(value) < 17 || value[0] != snapshotForm {
		return w, errForm
	}
	w.Boot = bootID(value[1:17]).String()
	micros, size := binary.Varint(value[17:])
	if size <= 0 {
		return w, errForm
	}
	w.Taken = time.UnixMicro(micros)
	d := decoder{text: value[17+size:]}
	for n := d.number(); n > 0 && !d.bad; n-- {
		wait := tables.SnapshotWait{Event: d.string()}
		for i := range wait.Stats {
			wait.Stats[i] = d.number()
		}
		w.Waits = append(w.Waits, wait)
	}
	if d.bad {
		w.Waits, err = nil, errForm
	}
	return w, err
}
