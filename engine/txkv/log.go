package txkv

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// commitLog is the write-ahead log. Pebble's own log is switched off, because an error of the
// device in it ends the process (rotateWAL panics while a deferred Unlock waits for a mutex that it
// has unlocked).
//
// A commit applies its batch to Pebble's memtable and appends it to buf, both under order, so that
// the log has the batches in the order in which they took effect. Then it waits for its group. The
// first commit of a group leads it: it writes buf and syncs the file for all of them. A commit
// releases the locks of its rows before that wait. Whoever then reads or changes these rows comes
// later in the log, so it is on the device only if this commit is, too.
//
// The log consists of numbered files. When a file is large enough, a new one begins; the old ones
// are removed when Pebble has flushed what was applied by then. A flush may be on the device before
// the log of the same batches. So each batch also writes its number under numberKey, and Open
// replays only the batches after the number that it finds: to replay older ones would undo parts of
// newer ones.
//
// After an error the log's last record may be incomplete, and no other commit may follow it: the
// store refuses commits until all is flushed and a new file begun (Store.heal).
type commitLog struct {
	store *Store
	fs    vfs.FS
	dir   string
	limit int64 // the size of a file in bytes at which a new one begins

	order   sync.Mutex // guards what follows
	buf     []byte
	at      int64  // the offset of the next record in the file
	synced  int64  // how much of the file is on the device
	commits uint64 // the number of the last commit
	group   *commitGroup
	full    bool        // the current group is the last of its file
	timer   *time.Timer // writes and syncs the commits that nobody waits for
	armed   bool

	io     sync.Mutex // guards what follows; taken before order
	file   vfs.File
	number uint64
	spare  []byte // a buffer that is not in use
	dirty  bool   // the file has bytes that are not synced
	broken bool   // nothing more can be written to file

	oldMu   sync.Mutex // guards what follows; taken last
	old     []oldLog   // files that wait for a flush, the oldest first
	layers  int        // how many files of the youngest tables a read of one key may look into
	removed chan struct{}

	tidy  sync.WaitGroup
	ended chan struct{}
}

// oldLog is a file whose batches are not flushed.
type oldLog struct {
	number uint64
	size   int64
}

// commitGroup is a group of commits that are written together.
type commitGroup struct {
	led, sync bool
	done      chan struct{}
	err       error
}

func (l *commitLog) path(number uint64) string {
	return l.fs.PathJoin(l.dir, fmt.Sprintf("%06d%s", number, logSuffix))
}

// open replays the files and begins a new one.
func (l *commitLog) open() error {
	if err := makeDir(l.fs, l.dir); err != nil {
		return err
	}
	names, err := l.fs.List(l.dir)
	if err != nil {
		return err
	}
	var numbers []uint64
	for _, name := range names {
		if strings.HasSuffix(name, newSuffix) {
			continue // the next file is made in its place
		}
		n, err := strconv.ParseUint(strings.TrimSuffix(name, logSuffix), 10, 64)
		if err != nil || !strings.HasSuffix(name, logSuffix) {
			return fmt.Errorf("%w: %s is no log", ErrCorrupt, l.fs.PathJoin(l.dir, name))
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	v, c, err := l.store.db.Get(numberKey)
	switch {
	case err == nil:
		l.commits = binary.BigEndian.Uint64(v)
		if err := c.Close(); err != nil {
			return err
		}
	case !errors.Is(err, pebble.ErrNotFound):
		return err
	}
	for i, n := range numbers {
		if i > 0 && n != numbers[i-1]+1 {
			return fmt.Errorf("%w: %s is missing", ErrCorrupt, l.path(numbers[i-1]+1))
		}
		if err := l.replay(n, i == len(numbers)-1); err != nil {
			return fmt.Errorf("%s: %w", l.path(n), err)
		}
	}
	if len(numbers) > 0 {
		if err := l.store.flush(); err != nil {
			return err
		}
		l.number = numbers[len(numbers)-1]
	}
	for _, n := range numbers {
		l.old = append(l.old, oldLog{number: n})
	}
	if err := l.restart(); err != nil {
		return ioError(err)
	}
	l.tidy.Go(l.watch)
	return nil
}

// watch updates layers after each flush or compaction, and closes spare iterators.
func (l *commitLog) watch() {
	for {
		l.store.snapshots.reshape()
		layers := l.store.layers()
		l.oldMu.Lock()
		if layers < l.layers {
			l.wakeWriters()
		}
		l.layers = layers
		l.oldMu.Unlock()
		var again <-chan time.Time
		if layers >= maxLayers {
			again = time.After(retryAfter)
		}
		select {
		case <-l.store.reshaped:
		case <-again:
			if cause, _ := l.store.faults.state(); cause == nil { // only after another flush does Pebble repeat a compaction that has failed
				_, _ = l.store.db.AsyncFlush()
			}
		case <-l.ended:
			return
		}
	}
}

func (l *commitLog) replay(number uint64, last bool) (err error) {
	f, err := l.fs.Open(l.path(number))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	torn, err := readLog(f, info.Size(), number, last, func(n uint64, batch []byte) error {
		if len(batch) == 0 && n > l.commits {
			return fmt.Errorf("%w: commit %d is in the files before it, and commit %d is the last that is there", errTorn, n, l.commits)
		}
		if n <= l.commits {
			return nil
		}
		if n != l.commits+1 {
			return fmt.Errorf("%w: commit %d follows commit %d", errTorn, n, l.commits)
		}
		l.commits = n
		b := l.store.db.NewBatch()
		defer func() { _ = b.Close() }()
		if err := b.SetRepr(batch); err != nil {
			return err
		}
		return b.Commit(pebble.NoSync)
	})
	if errors.Is(err, errTorn) {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err == nil && torn > 0 {
		l.store.logError(fmt.Sprintf("%s: the last commit, at %d of %d bytes, is not whole, and is left out: it was being written when the process or the machine stopped, or is damaged", l.path(number), torn, info.Size()))
	}
	return err
}

// restart removes all files, whose batches have been flushed, and begins a new one.
func (l *commitLog) restart() error {
	l.io.Lock()
	defer l.io.Unlock()
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
		l.retire(0)
	}
	if err := l.remove(l.number); err != nil {
		return err
	}
	l.order.Lock()
	l.buf = l.buf[:0] // its commits were flushed
	l.at, l.synced = recordsAt, recordsAt
	last := l.commits
	l.order.Unlock()
	return l.create(last)
}

// retire adds the current file to those that wait for a flush.
func (l *commitLog) retire(size int64) {
	l.oldMu.Lock()
	defer l.oldMu.Unlock()
	l.old = append(l.old, oldLog{l.number, size})
}

// remove removes the waiting files up to a number, the oldest first, so that no file is missing
// between two others.
func (l *commitLog) remove(upTo uint64) error {
	l.oldMu.Lock()
	defer l.oldMu.Unlock()
	if l.store.faults.lost.Load() {
		return errLost // the flush is not on the device
	}
	for len(l.old) > 0 && l.old[0].number <= upTo {
		if err := l.fs.Remove(l.path(l.old[0].number)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := syncDir(l.fs, l.dir); err != nil {
			return err
		}
		l.old = l.old[1:]
	}
	l.wakeWriters()
	return nil
}

// wakeWriters makes await check again. The caller holds oldMu.
func (l *commitLog) wakeWriters() {
	close(l.removed)
	l.removed = make(chan struct{})
}

// create begins the next file, where last is the last commit in the files before. The caller holds io.
func (l *commitLog) create(last uint64) error {
	l.number++
	path := l.path(l.number)
	f, err := l.fs.Create(path+".new", vfs.WriteCategoryUnspecified)
	if err != nil {
		l.retire(0)
		return err
	}
	_ = f.Preallocate(0, l.limit)
	_, err = f.Write(appendRecord(appendHead(nil, l.number, l.limit), logStart, logStart, last, nil))
	if least := l.limit >> 10 << 10; err == nil && least > recordsAt {
		_, err = f.WriteAt([]byte{0}, least-1)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = l.fs.Rename(path+".new", path)
	}
	if err == nil {
		err = syncDir(l.fs, l.dir)
	}
	if err != nil {
		l.retire(0)
		return errors.Join(err, f.Close())
	}
	l.file, l.dirty, l.broken = f, false, false
	return nil
}

// commit applies a batch and returns when it is as durable as the policy says. It calls release
// when the effects of the batch are visible.
func (l *commitLog) commit(b *pebble.Batch, policy FlushPolicy, release func()) error {
	g, lead, err := l.apply(b, policy)
	l.store.changes.Add(1)
	release()
	if err != nil || g == nil {
		return err
	}
	if lead {
		l.lead()
	}
	<-g.done
	return g.err
}

// apply applies a batch. It returns the group for which the commit must wait, nil if none, and
// whether the commit leads the group.
func (l *commitLog) apply(b *pebble.Batch, policy FlushPolicy) (g *commitGroup, lead bool, err error) {
	waits := false
	if err := l.await(func() bool {
		wait := l.crowded()
		if wait && !waits {
			waits = true
			l.store.files.stats.logWaits.Add(1)
		}
		return wait
	}); err != nil {
		return nil, false, err
	}
	l.order.Lock()
	defer l.order.Unlock()
	if l.store.faults.failed.Load() {
		if cause, _ := l.store.faults.state(); cause != nil { // nil if the failure has just been cleared
			return nil, false, cause
		}
	}
	if err := b.Set(numberKey, binary.BigEndian.AppendUint64(nil, l.commits+1), nil); err != nil {
		return nil, false, ioError(err)
	}
	batch := b.Repr() // before Commit, because a large batch gives it to the memtables
	l.store.snapshots.begin()
	l.store.versions.written.Add(int64(b.Count()))
	err = b.Commit(pebble.NoSync)
	l.store.snapshots.end()
	if err != nil {
		return nil, false, ioError(err)
	}
	l.commits++
	l.store.files.stats.logRequests.Add(1)
	before := len(l.buf)
	l.buf = appendRecord(l.buf, l.at, l.synced, l.commits, batch)
	l.at += int64(len(l.buf) - before)
	g = l.group
	if policy == FlushEachSecond && len(l.buf) < logMaxBuf {
		l.arm()
		return nil, false, nil
	}
	if policy == FlushAtCommit {
		g.sync = true
	} else {
		l.arm()
	}
	lead = !g.led
	g.led = true
	return g, lead, nil
}

// crowded reports whether too much waits for a flush or a compaction. Pebble itself would stop
// commits later, and for as long as the device fails. The caller holds oldMu.
func (l *commitLog) crowded() bool {
	waiting := int64(0)
	for _, o := range l.old {
		waiting += o.size
	}
	return len(l.old) > logMaxOld || waiting > logMaxWaiting*l.limit || l.layers >= maxLayers
}

// await waits while reason returns true. It calls reason with oldMu held.
func (l *commitLog) await(reason func() bool) error {
	for {
		l.oldMu.Lock()
		wait, removed := reason(), l.removed
		l.oldMu.Unlock()
		if !wait {
			return nil
		}
		cause, noted := l.store.faults.state()
		if cause != nil {
			return cause
		}
		select {
		case <-removed:
		case <-noted:
		}
	}
}

// arm starts the timer that writes and syncs after a second. The caller holds order.
func (l *commitLog) arm() {
	if l.armed {
		return
	}
	l.armed = true
	if l.timer == nil {
		l.timer = time.AfterFunc(logInterval, func() { _ = l.flush() })
	} else {
		l.timer.Reset(logInterval)
	}
}

// flush writes and syncs all earlier commits.
func (l *commitLog) flush() error {
	l.order.Lock()
	l.armed = false
	g := l.group
	g.sync = true
	lead := !g.led
	g.led = true
	l.order.Unlock()
	if lead {
		l.lead()
	}
	<-g.done
	return g.err
}

// drain waits until all earlier commits are in Pebble's files: it begins a new log file, and waits
// until the older ones are removed.
func (l *commitLog) drain() error {
	l.order.Lock()
	l.full = true
	l.order.Unlock()
	if err := l.flush(); err != nil {
		return err
	}
	l.io.Lock() // the leader begins the next file after it has closed done
	number := l.number
	l.io.Unlock()
	return l.await(func() bool { return len(l.old) > 0 && l.old[0].number < number })
}

// lead writes the group that the caller leads. It waits for the group before.
func (l *commitLog) lead() {
	l.io.Lock()
	defer l.io.Unlock()
	l.order.Lock()
	g, buf, end := l.group, l.buf, l.at
	l.group = &commitGroup{done: make(chan struct{})}
	l.buf = l.spare[:0]
	full := end > l.limit || l.full
	l.full = false
	if full { // later commits go to the next file
		l.at, l.synced = recordsAt, recordsAt
		g.sync = true
	}
	sync, last := g.sync, l.commits
	l.order.Unlock()
	g.err = l.write(buf, sync)
	if g.err == nil && !full && !l.dirty {
		l.order.Lock()
		l.synced = end
		l.order.Unlock()
	}
	if cap(buf) > 2*int(l.limit) {
		buf = nil
	}
	l.spare = buf
	close(g.done)
	if g.err == nil && full {
		if err := l.next(end, last); err != nil {
			l.broken = true
			_ = l.store.faults.note(err)
		}
	}
}

// write writes and syncs. The caller holds io.
func (l *commitLog) write(buf []byte, sync bool) error {
	if l.broken {
		cause, _ := l.store.faults.state()
		return cmp.Or(cause, ErrClosed)
	}
	if len(buf) > 0 {
		l.dirty = true
		if _, err := l.file.Write(buf); err != nil {
			l.broken = true
			return l.store.faults.note(err)
		}
	}
	if sync && l.dirty {
		if err := l.file.SyncData(); err != nil {
			l.broken = true
			return l.store.faults.note(err)
		}
		l.dirty = false
	}
	return nil
}

// next begins the next file after one of a size that ends with a commit, and removes the old ones when their batches are
// flushed. The caller holds io.
func (l *commitLog) next(size int64, last uint64) error {
	if err := l.file.Close(); err != nil {
		return err
	}
	l.file = nil
	l.retire(size)
	number := l.number
	if err := l.create(last); err != nil {
		return err
	}
	flushed, err := l.store.db.AsyncFlush()
	if err != nil {
		return err
	}
	l.tidy.Go(func() {
		select {
		case <-flushed:
			since := l.store.faults.healed.Load()
			if err := l.remove(number); err != nil {
				l.store.faults.noteSince(err, since) // heal removes the files, and wakes the commits that wait
			}
		case <-l.ended:
		}
	})
	return nil
}

// close writes and syncs all commits, and closes the log.
func (l *commitLog) close() error {
	err := l.flush()
	l.order.Lock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.order.Unlock()
	close(l.ended)
	l.tidy.Wait()
	l.io.Lock()
	defer l.io.Unlock()
	if l.file != nil {
		err = errors.Join(err, l.file.Close())
		l.file = nil
	}
	l.broken = true
	return err
}
