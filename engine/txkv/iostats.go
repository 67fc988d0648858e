package txkv

import (
	"sync/atomic"

	"pfsd/instr"
)

// IOStats count the operations of a store on its files since it was opened, whether or not instruments are on. A store in memory has no files,
// and counts nothing.
type IOStats struct {
	Reads, Writes, Syncs          uint64
	ReadBytes, WrittenBytes       uint64
	PendingReads, PendingWrites   int64
	PendingSyncs, OpenFiles       int64
	LogWrites, LogSyncs, LogBytes uint64 // of the log; the other fields include them
	PendingLogWrites              int64
	PendingLogSyncs               int64
	LogRequests                   uint64 // commits that were given to the log
	LogWaits                      uint64 // commits that waited because too much of the log waited for a flush
}

// ioStats counts what IOStats shows. Safe for concurrent use; nil counts nothing.
type ioStats struct {
	reads, writes, syncs, logWrites, logSyncs opStats
	open                                      atomic.Int64
	logRequests, logWaits                     atomic.Uint64
}

// opStats count operations of one kind that have begun, those that have ended, and their bytes.
type opStats struct{ begun, ended, bytes atomic.Uint64 }

func (o *opStats) end(bytes int) {
	o.bytes.Add(uint64(max(bytes, 0)))
	o.ended.Add(1)
}

// read returns the number of operations that have ended, and of those that are still going on.
func (o *opStats) read() (ended uint64, pending int64) {
	ended = o.ended.Load()
	return ended, int64(o.begun.Load() - ended)
}

// ioWait is an operation on a file that is going on.
type ioWait struct {
	event    instr.FileWait
	all, log *opStats // nil if the operation is not counted there
}

func (w ioWait) End(bytes int) {
	if w.all != nil {
		w.all.end(bytes)
	}
	if w.log != nil {
		w.log.end(bytes)
	}
	w.event.End(bytes)
}

// beginOp counts the start of an operation on the file; event is the operation's event.
func (f *file) beginOp(op instr.Op, event instr.FileWait) ioWait {
	w := ioWait{event: event}
	if s := f.fs.stats; s != nil {
		isLog := f.kind == kindLog
		switch op {
		case instr.OpRead:
			w.all = &s.reads
		case instr.OpWrite:
			if w.all = &s.writes; isLog {
				w.log = &s.logWrites
			}
		case instr.OpSync:
			if w.all = &s.syncs; isLog {
				w.log = &s.logSyncs
			}
		}
	}
	if w.all != nil {
		w.all.begun.Add(1)
	}
	if w.log != nil {
		w.log.begun.Add(1)
	}
	return w
}

// countOpen adds n to the number of open files.
func (fs *files) countOpen(n int64) {
	if fs.stats != nil {
		fs.stats.open.Add(n)
	}
}

// IOStats returns the counts of the store's operations on files.
func (s *Store) IOStats() IOStats {
	c := s.files.stats
	if c == nil {
		return IOStats{}
	}
	o := IOStats{
		ReadBytes: c.reads.bytes.Load(), WrittenBytes: c.writes.bytes.Load(), LogBytes: c.logWrites.bytes.Load(),
		OpenFiles: c.open.Load(), LogRequests: c.logRequests.Load(), LogWaits: c.logWaits.Load(),
	}
	o.Reads, o.PendingReads = c.reads.read()
	o.Writes, o.PendingWrites = c.writes.read()
	o.Syncs, o.PendingSyncs = c.syncs.read()
	o.LogWrites, o.PendingLogWrites = c.logWrites.read()
	o.LogSyncs, o.PendingLogSyncs = c.logSyncs.read()
	return o
}
