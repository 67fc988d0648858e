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
	LogWrites, LogSyncs, LogBytes uint64 // of the log, which are among the others, too
	PendingLogWrites              int64
	PendingLogSyncs               int64
	LogRequests                   uint64 // commits that were given to the log
	LogWaits                      uint64 // commits that waited since too much of the log waited for a flush
}

// ioStats counts what IOStats shows. Safe for concurrent use; nil counts nothing.
type ioStats struct {
	reads, writes, syncs, logWrites, logSyncs opStats
	open                                      atomic.Int64
	logRequests, logWaits                     atomic.Uint64
}

// opStats are operations of one kind: how many have begun and how many ended, and their bytes.
type opStats struct{ begun, ended, bytes atomic.Uint64 }

func (o *opStats) end(bytes int) {
	o.bytes.Add(uint64(max(bytes, 0)))
	o.ended.Add(1)
}

// read returns how many have ended, and how many go on.
func (o *opStats) read() (ended uint64, pending int64) {
	ended = o.ended.Load()
	return ended, int64(o.begun.Load() - ended)
}

// ioWait is an operation on a file that goes on.
type ioWait struct {
	event    instr.FileWait
	all, log *opStats // nil: not counted
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

// counts counts an operation on the file, whose event is this.
func (f *file) counts(op instr.Op, event instr.FileWait) ioWait {
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

// opened counts a file that is opened, or, with -1, closed.
func (fs *files) opened(n int64) {
	if fs.stats != nil {
		fs.stats.open.Add(n)
	}
}

// IOStats returns what the store has asked of its files.
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
