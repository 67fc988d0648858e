package txkv

import (
	"context"
	"slices"
	"time"
)

// Txn is a transaction. Owned by one goroutine. It ends with Commit or Rollback, which give back its locks
// and its snapshot; after that every other method returns ErrDone.
//
// Plain reads (Get, Scan) see the transaction's own writes over the state that the isolation level promises.
// Current reads (GetLocked, GetNewest, ScanNewest) see them over the newest committed state: what a statement
// that locks or writes must read.
//
// Writes are in memory until Commit, which applies them at once. When there are more than Options.TransactionMemory,
// they are written to a file, which is removed when the transaction ends, and Commit merges such files to some that
// Pebble takes over, all or none (run.go).
type Txn struct {
	store    *Store
	id       uint64
	options  TxnOptions
	event    uint64
	snapshot *snapshot
	layers   layers
	nothing  writes     // what marks have of a transaction that has written nothing
	inMemory int64      // bytes of layers.memory, with what leads to them
	shown    int64      // of inMemory, what Store.Memory counts
	ranges   []keyRange // deleted by DeleteRange
	size     int64      // bytes of writes
	spill    *spillDir  // nil: nothing was too much
	opened   []*run     // all that spill has had
	prepared []string   // files that have all writes, of a transaction that is about to commit
	done     bool
	locks    lockOwner
	ranged   rangeOwner
}

// ID is a number that no other transaction of the store has until it is opened again.
func (t *Txn) ID() uint64 { return t.id }

// Owner is what the transaction was begun with.
func (t *Txn) Owner() any { return t.options.Owner }

// SetEvent has [Store.Locks] hand back event with each lock that is asked for from now on.
func (t *Txn) SetEvent(event uint64) { t.event = event }

// Isolation is the transaction's level.
func (t *Txn) Isolation() Isolation { return t.options.Isolation }

// ReadOnly tells whether writes are refused.
func (t *Txn) ReadOnly() bool { return t.options.ReadOnly }

// Size is the number of bytes that the transaction's writes hold, keys and values.
func (t *Txn) Size() int64 { return t.size }

// StartStatement begins a statement: ReadCommitted gives up the snapshot of the one before.
func (t *Txn) StartStatement() {
	if t.options.Isolation <= ReadCommitted {
		t.closeSnapshot()
	}
}

// Refresh gives up the snapshot: the next plain read takes another one, at any isolation level.
func (t *Txn) Refresh() { t.closeSnapshot() }

func (t *Txn) closeSnapshot() {
	if t.snapshot != nil {
		t.store.snapshots.give(t.snapshot)
		t.snapshot = nil
	}
}

// consistent is the state that plain reads read.
func (t *Txn) consistent() state {
	if t.options.Isolation == ReadUncommitted {
		return newest{&t.store.snapshots}
	}
	if t.snapshot == nil {
		t.snapshot = t.store.snapshots.take()
	}
	return t.snapshot
}

// Get returns the value of a key, nil if there is none. The caller must not change it.
func (t *Txn) Get(key []byte) ([]byte, error) {
	if v, ok, err := t.written(key); ok || err != nil {
		return v, err
	}
	return t.consistent().value(key)
}

// GetNewest is Get of the newest committed state, without a lock.
func (t *Txn) GetNewest(key []byte) ([]byte, error) {
	if v, ok, err := t.written(key); ok || err != nil {
		return v, err
	}
	return newest{&t.store.snapshots}.value(key)
}

// GetLocked locks a key and then returns its newest value, nil if there is none: the lock holds either way,
// so that nobody else can put the key meanwhile. fresh and the errors are those of Lock.
func (t *Txn) GetLocked(ctx context.Context, key []byte, mode LockMode, wait time.Duration) (value []byte, fresh bool, err error) {
	fresh, err = t.Lock(ctx, key, mode, wait)
	if err != nil {
		return nil, false, err
	}
	value, err = t.GetNewest(key)
	return value, fresh, err
}

// HasWritten tells whether the transaction has written to a key.
func (t *Txn) HasWritten(key []byte) bool {
	_, ok, err := t.written(key)
	return ok || err != nil
}

// written is what the transaction itself has written to a key.
func (t *Txn) written(key []byte) (value []byte, ok bool, err error) {
	if t.done {
		return nil, false, ErrDone
	}
	return t.layers.get(key)
}

// Scan returns the keys from lo up to, without, hi, backwards if reverse. It sees what the transaction has
// written before, but not what it writes meanwhile.
func (t *Txn) Scan(lo, hi []byte, reverse bool) (*Iterator, error) {
	if t.done {
		return nil, ErrDone
	}
	return newIterator(t.store, t.consistent(), t.layers, lo, hi, reverse)
}

// ScanNewest is Scan of the newest committed state as of now, without locks. A statement that locks what it finds
// takes Lock or GetLocked for each key and looks at the value again; LockRange before it keeps others' inserts out.
func (t *Txn) ScanNewest(lo, hi []byte, reverse bool) (*Iterator, error) {
	if t.done {
		return nil, ErrDone
	}
	return newestIterator(t.store, t.layers, lo, hi, reverse)
}

// Put writes a value. It keeps value, which the caller must not change afterwards. The caller has locked the key.
// Errors: ErrReadOnly, ErrTooLarge, ErrDiskFull, ErrIO.
func (t *Txn) Put(key, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	return t.write(key, value)
}

// Delete removes a key. The caller has locked it. Errors are those of Put.
func (t *Txn) Delete(key []byte) error { return t.write(key, nil) }

func (t *Txn) write(key, value []byte) error {
	n := int64(len(key) + len(value))
	if err := t.mayWrite(n); err != nil {
		return err
	}
	if t.inMemory > 0 && t.store.full(t.inMemory+n) {
		if err := t.spillMemory(); err != nil {
			return err
		}
	}
	t.size += n
	t.inMemory += n + writeOverhead
	if old, ok := t.layers.memory.Set(string(key), value); ok {
		t.inMemory -= int64(len(key)+len(old)) + writeOverhead
	}
	t.show(false)
	return nil
}

// full tells whether a transaction with so much in memory has more than its part: of what all have, 64 KB are in nobody's way.
func (s *Store) full(inMemory int64) bool {
	limit := s.options.TransactionMemory
	return inMemory > limit || inMemory > min(limit, 64<<10) && s.written.Load() > limit
}

// writeOverhead is about what a write takes in memory beside its key and value.
const writeOverhead = 96

// showStep is how far a transaction's memory may be from what Store.Memory says of it.
const showStep = 4 << 10

// show has Store.Memory count what is in memory.
func (t *Txn) show(exactly bool) {
	if d := t.inMemory - t.shown; exactly || d >= showStep || d <= -showStep {
		t.store.written.Add(d)
		t.shown = t.inMemory
	}
}

func (t *Txn) mayWrite(n int64) error {
	switch {
	case t.done, t.prepared != nil: // the prepared files would lack it
		return ErrDone
	case t.options.ReadOnly:
		return ErrReadOnly
	}
	if err := t.store.mayWrite(); err != nil {
		return err
	}
	if t.size+n > t.store.limit() {
		return ErrTooLarge
	}
	return nil
}

const (
	// mergeRuns is how many files of a size become one.
	mergeRuns = 8
	// maxRuns is how many there may be that have nothing to merge.
	maxRuns = 128
)

// spillMemory writes what is in memory to a file.
func (t *Txn) spillMemory() error {
	if t.spill == nil {
		d := t.store.newSpillDir()
		t.spill = &d
	}
	r, err := t.addRun(layers{memory: t.layers.memory}, 0)
	if err != nil {
		return err
	}
	t.layers = layers{new(writes), append(slices.Clip(t.layers.runs), r)}
	t.inMemory = 0
	t.show(true)
	for {
		runs := t.layers.runs
		level, first := runs[len(runs)-1].level, len(runs)
		for first > 0 && runs[first-1].level == level {
			first--
		}
		if len(runs)-first < mergeRuns || len(runs) < maxRuns && !overlap(runFiles(runs[first:])) {
			return nil
		}
		r, err := t.addRun(layers{memory: t.layers.memory, runs: runs[first:]}, level+1)
		if err != nil {
			return err
		}
		t.setRuns(append(slices.Clip(runs[:first]), r))
	}
}

// addRun writes layers to a file.
func (t *Txn) addRun(l layers, level int) (*run, error) {
	c := l.cursor(nil, nil, false)
	defer func() { _ = c.close() }()
	if !c.start() {
		return nil, c.err()
	}
	files, err := t.spill.fill(context.Background(), c, 0, t.store.partKeys, nil)
	if err != nil {
		return nil, err
	}
	r, err := t.store.openRun(files, level)
	if err == nil {
		t.opened = append(t.opened, r)
	}
	return r, err
}

// setRuns replaces the files, and removes those that are not needed any more.
func (t *Txn) setRuns(runs []*run) {
	old := t.layers.runs
	t.layers.runs = runs
	for _, r := range old {
		if !slices.Contains(runs, r) {
			r.gone = true
			r.release()
		}
	}
}

// DeleteRange removes all keys from lo up to, without, hi when the transaction commits, before its other writes
// are applied. Its reads still see them: this is for tables and indexes that nobody reads any more, whose space
// comes back soon after. Errors are those of Put.
func (t *Txn) DeleteRange(lo, hi []byte) error {
	if err := t.mayWrite(0); err != nil {
		return err
	}
	t.ranges = append(t.ranges, keyRange{clone(outside(lo)), clone(hi)})
	return nil
}

func clone(b []byte) []byte { return append([]byte(nil), b...) }

// Mark is a state of a transaction's writes: a savepoint, or the beginning of a statement.
type Mark struct {
	layers   layers
	inMemory int64
	ranges   int
	size     int64
}

// Mark returns the present state of the writes. It takes little time, and may be gone back to any number of times.
func (t *Txn) Mark() Mark {
	if t.done {
		return Mark{layers: layers{memory: new(writes)}}
	}
	if t.layers.empty() {
		return Mark{layers{memory: &t.nothing}, 0, len(t.ranges), t.size}
	}
	for _, r := range t.layers.runs {
		r.marked = true
	}
	return Mark{layers{t.layers.memory.Copy(), t.layers.runs}, t.inMemory, len(t.ranges), t.size}
}

// RollbackTo undoes all writes since the mark. Locks are kept, as InnoDB does. Marks taken since are no longer valid.
func (t *Txn) RollbackTo(m Mark) {
	if t.done {
		return
	}
	t.setRuns(m.layers.runs)
	t.layers.memory = m.layers.memory.Copy()
	t.inMemory, t.ranges, t.size = m.inMemory, t.ranges[:m.ranges], m.size
	t.show(true)
}

// Commit applies the writes at once and ends the transaction, also if it fails. Then nothing of it is there; only
// after ErrDiskFull or ErrIO it may turn out later that all of it is.
func (t *Txn) Commit() error {
	ranges := t.ranges
	err := t.commit()
	if err == nil && len(ranges) > 0 {
		t.store.reclaiming.add(ranges)
	}
	return err
}

func (t *Txn) commit() error {
	if t.done {
		return ErrDone
	}
	if t.layers.empty() && len(t.ranges) == 0 {
		t.end()
		return nil
	}
	if len(t.layers.runs) > 0 {
		return t.commitRuns()
	}
	defer t.Rollback()
	if err := t.store.mayWrite(); err != nil {
		return err
	}
	b := t.store.db.NewBatchWithSize(int(t.size) + 16*t.layers.memory.Len() + 64)
	defer func() { _ = b.Close() }()
	for _, r := range t.ranges {
		if err := b.DeleteRange(r.lo, r.hi, nil); err != nil {
			return err
		}
	}
	t.layers.memory.Scan(func(k string, v []byte) bool {
		if v == nil {
			d := b.DeleteDeferred(len(k))
			copy(d.Key, k)
			_ = d.Finish()
		} else {
			d := b.SetDeferred(len(k), len(v))
			copy(d.Key, k)
			copy(d.Value, v)
			_ = d.Finish()
		}
		return true
	})
	return t.store.apply(b, t.end)
}

// Prepare does what takes long in the Commit of a large transaction, and ends with ctx. Only Commit or Rollback may follow.
// Errors: that of ctx, ErrDiskFull, ErrIO.
func (t *Txn) Prepare(ctx context.Context) error {
	if t.done {
		return ErrDone
	}
	if len(t.layers.runs) == 0 || t.prepared != nil {
		return nil
	}
	var err error
	t.prepared, err = t.sorted(ctx)
	return err
}

// commitRuns is Commit of writes that were too much for the memory.
func (t *Txn) commitRuns() error {
	if err := t.Prepare(context.Background()); err != nil {
		t.end()
		return err
	}
	t.done = true
	return t.store.ingest(context.Background(), t.prepared, t.release)
}

// sorted writes all that was written to files that do not overlap.
func (t *Txn) sorted(ctx context.Context) ([]string, error) {
	if err := t.store.mayWrite(); err != nil {
		return nil, err
	}
	if t.layers.memory.Len() > 0 {
		if err := t.spillMemory(); err != nil {
			return nil, err
		}
	}
	files := runFiles(t.layers.runs)
	if overlap(files) || len(t.ranges) > 0 {
		c := t.layers.cursor(nil, nil, false)
		defer func() { _ = c.close() }()
		if !c.start() {
			return nil, c.err()
		}
		var err error
		if files, err = t.spill.fill(ctx, c, bulkFile, 0, disjoint(t.ranges)); err != nil {
			return nil, err
		}
	}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.path
	}
	return paths, nil
}

// Rollback drops the writes and ends the transaction. A transaction that has ended stays as it is.
func (t *Txn) Rollback() {
	if !t.done {
		t.end()
	}
}

func (t *Txn) end() {
	t.done = true
	t.release()
}

// release gives back all that a transaction has that has ended. It may be called on another goroutine.
func (t *Txn) release() {
	t.closeSnapshot()
	t.store.locks.releaseAll(t)
	if t.spill != nil {
		for _, r := range t.opened {
			r.close()
		}
		t.spill.remove()
	}
	t.layers, t.opened, t.ranges, t.size, t.inMemory = layers{memory: new(writes)}, nil, nil, 0, 0
	t.show(true)
}
