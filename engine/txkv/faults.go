package txkv

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// faults keeps errors of the device away from Pebble, which ends the process when it cannot write
// its manifest, and repeats a failed flush without a pause. An operation that must succeed is
// repeated until it does. An operation that may fail returns its error after a pause. Meanwhile
// writes are refused with the cause, and reads go on. A refused write first tries whether the
// device works again (Store.heal).
type faults struct {
	failed atomic.Bool   // cause is not nil; each write reads it
	healed atomic.Uint64 // how many times the device was found to work again

	mu       sync.Mutex
	cause    error         // nil if the device works
	again    chan struct{} // closed to make waiting operations try again
	noted    chan struct{} // closed by the next failure
	opened   bool          // false while Pebble opens: then an operation that fails has Open fail
	ending   bool          // true when Close has begun: then Pebble gets all errors at once, except those of operations that must succeed
	dead     bool          // writes are refused for good
	readOnly bool          // writes are refused until the store closes
	lost     atomic.Bool   // the store opens or closes while the device fails, and writes nothing any more
	stuck    chan struct{} // closed when one of Pebble's goroutines will never end
	log      func(string)  // called when a failure begins; nil drops it
	well     func(string)  // called when the failure has ended; may be nil

	tries int                                                           // how many pauses there were since the device has worked; guarded by mu
	after func(time.Duration) (done <-chan time.Time, stop func() bool) // time.NewTimer, but for tests

	healing sync.Mutex      // guards what follows
	flushed <-chan struct{} // closed when the flush ends that heal waits for; nil if none has begun since the failure

	// The ballast is a file that is removed when the device is full, so that running operations have room to end.
	fs      vfs.FS
	ballast string // its path
	size    int64  // its size in bytes; 0 if there is none
}

// retryAfter is the time after which a failed background operation tries again. Each time that it fails again the pause is twice as
// long, up to retryAtMost, until the device works.
const retryAfter, retryAtMost = time.Second, time.Minute

func (f *faults) init(fs vfs.FS, log, well func(string)) {
	f.fs, f.log, f.well = fs, log, well
	f.after = func(d time.Duration) (<-chan time.Time, func() bool) {
		timer := time.NewTimer(d)
		return timer.C, timer.Stop
	}
	f.again, f.noted, f.stuck = make(chan struct{}), make(chan struct{}), make(chan struct{})
}

// ioError returns the error of this package that wraps an error of Pebble or the file system.
func ioError(err error) error {
	if err == nil {
		return nil
	}
	damaged := pebble.ExtractDataCorruptionInfo(err)
	switch {
	case errors.Is(err, ErrDiskFull), errors.Is(err, ErrIO), errors.Is(err, ErrCorrupt):
		return err
	case isFull(err):
		return fmt.Errorf("%w: %w", ErrDiskFull, err)
	case damaged != nil:
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, damaged.Path, err)
	case errors.Is(err, pebble.ErrCorruption):
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	case errors.Is(err, pebble.ErrClosed):
		return ErrClosed
	}
	return fmt.Errorf("%w: %w", ErrIO, err)
}

func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// note stores the cause of a failure. From then on, writes are refused.
func (f *faults) note(err error) error {
	err = ioError(err)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.setCause(err)
	return err
}

// noteSince is note for an operation that began when healed was since. If the device has been found
// to work again meanwhile, the failure may be older: noteSince ignores it, and returns false.
func (f *faults) noteSince(err error, since uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.healed.Load() != since {
		return false
	}
	f.setCause(ioError(err))
	return true
}

func (f *faults) setCause(err error) {
	first := f.cause == nil
	if first || !errors.Is(f.cause, ErrDiskFull) {
		f.cause = err
	}
	f.failed.Store(true)
	close(f.noted)
	f.noted = make(chan struct{})
	if first && f.log != nil && (f.opened || f.readOnly) { // else Open returns it
		f.log("writes are refused: " + err.Error())
	}
}

// fatal notes that a goroutine of Pebble has stopped for good.
func (f *faults) fatal(err error) {
	_ = f.note(err)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.dead {
		f.dead = true
		close(f.stuck)
	}
}

// isStuck reports whether a goroutine of Pebble has stopped for good.
func (f *faults) isStuck() bool {
	select {
	case <-f.stuck:
		return true
	default:
		return false
	}
}

// refuse has writes be refused with an error until the store closes.
func (f *faults) refuse(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readOnly = true
	f.setCause(err)
}

// errLost is the error of operations on a device that the closing store has given up.
var errLost = fmt.Errorf("%w: the store closes on a device that fails", ErrIO)

// pause waits until an operation should be tried again.
func (f *faults) pause(again <-chan struct{}) {
	f.mu.Lock()
	length := min(retryAfter<<min(f.tries, 10), retryAtMost)
	f.tries++
	f.mu.Unlock()
	done, stop := f.after(length)
	defer stop()
	select {
	case <-again:
	case <-done:
	}
}

// waker returns the channel that wake closes.
func (f *faults) waker() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.again
}

// wake makes all waiting operations try again.
func (f *faults) wake() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.again)
	f.again = make(chan struct{})
}

// phase reports whether Pebble is open, and whether Close has begun.
func (f *faults) phase() (opened, ending bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.opened, f.ending
}

// begin notes that Pebble is open.
func (f *faults) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = true
}

// end notes that Close begins.
func (f *faults) end() {
	f.mu.Lock()
	f.ending = true
	f.mu.Unlock()
	f.wake()
}

// state returns the cause, and the channel that the next failure closes.
func (f *faults) state() (cause error, noted <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cause, f.noted
}

func (f *faults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cause, f.tries = nil, 0
	f.healed.Add(1)
	f.failed.Store(false)
	if f.well != nil {
		f.well("writes are accepted again")
	}
}

// background calls an operation of Pebble's background work. If the operation fails and mustSucceed
// is true, background repeats it until it succeeds; otherwise it returns the error after a pause.
// If the store closes or opens meanwhile, the device gets no further writes, as after a power cut:
// operations that must succeed return without any effect. So Pebble's goroutines end, and try nothing
// again and again without a pause, Open returns the error, and the next Open recovers as after a power cut.
func (f *faults) background(mustSucceed bool, do func() error) error {
	for {
		if f.lost.Load() {
			if mustSucceed {
				return nil
			}
			return errLost
		}
		since := f.healed.Load()
		err := f.withBallast(do)
		if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
			return err
		}
		if opened, ending := f.phase(); ending || !opened {
			if !opened && !mustSucceed {
				return err
			}
			_ = f.note(err)
			f.lost.Store(true)
			continue
		}
		again := f.waker() // before the failure is noted, else a heal in between would not wake this operation
		if f.noteSince(err, since) {
			f.pause(again)
		}
		if !mustSucceed {
			return err
		}
	}
}

// withBallast calls an operation. If there is no room, it removes the ballast and calls it once more.
func (f *faults) withBallast(do func() error) error {
	since := f.healed.Load()
	err := do()
	if err != nil && isFull(err) && f.dropBallast() {
		f.noteSince(err, since)
		err = do()
	}
	return err
}

// dropBallast removes the ballast, and reports whether there was one.
func (f *faults) dropBallast() bool {
	return f.size > 0 && f.fs.Remove(f.ballast) == nil
}

// makeBallast makes the ballast if it does not exist.
func (f *faults) makeBallast() error {
	if f.size <= 0 {
		return nil
	}
	if _, err := f.fs.Stat(f.ballast); err == nil {
		return nil
	}
	file, err := f.fs.Create(f.ballast, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	// Not all file systems can reserve room, so zeros are written.
	zeros := make([]byte, 1<<20)
	for left := f.size; left > 0 && err == nil; left -= int64(len(zeros)) {
		_, err = file.Write(zeros[:min(left, int64(len(zeros)))])
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = f.fs.Remove(f.ballast)
	}
	return err
}

// mayWrite returns the reason why writes are refused, nil if they are not.
func (s *Store) mayWrite() error {
	if s.faults.failed.Load() {
		return s.heal()
	}
	return nil
}

// heal tries whether the device works again: there is room for the ballast, the memtables can be
// flushed, and a new log can be begun. The flush also makes commits durable whose log could not be
// written. heal returns the cause of the failure if the device does not work.
func (s *Store) heal() error {
	f := &s.faults
	if !f.healing.TryLock() {
		cause, _ := f.state()
		return cause
	}
	defer f.healing.Unlock()
	cause, noted := f.state()
	if f.isStuck() || f.readOnly || cause == nil {
		return cause
	}
	if err := f.makeBallast(); err != nil {
		return cause
	}
	f.wake()
	if s.log == nil {
		f.clear()
		return nil
	}
	if f.flushed == nil { // since that flush began, no commit has been applied
		s.log.order.Lock() // a commit that began before the failure must be applied before the flush
		flushed, err := s.db.AsyncFlush()
		s.log.order.Unlock()
		if err != nil {
			return ioError(err)
		}
		f.flushed = flushed
	}
	select {
	case <-f.flushed:
	case <-noted:
		cause, _ = f.state()
		return cause
	}
	if err := s.log.restart(); err != nil {
		return f.note(err)
	}
	f.flushed = nil
	f.clear()
	return nil
}
