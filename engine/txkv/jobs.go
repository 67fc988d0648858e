package txkv

import (
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"pfsd/instr"
)

// jobs are Pebble's flushes and compactions: each is a thread while it runs, thread/txkv/flush or
// thread/txkv/compaction, in a stage whose work is the bytes that it reads and writes.
type jobs struct {
	store             *Store
	registry          *instr.Registry
	flush, compaction *instr.StageClass
	mu                sync.Mutex
	running           map[*instr.Thread]*job
	began             func(*instr.Thread) // for tests
}

// job is a flush or a compaction, on the goroutine of its thread.
type job struct {
	thread    *instr.Thread
	completed uint64
}

func (j *jobs) init(s *Store) {
	j.store, j.registry = s, s.options.Registry
	j.running = map[*instr.Thread]*job{}
	if j.registry != nil {
		j.flush = j.registry.NewStageClass("txkv/flushing memtables", true)
		j.compaction = j.registry.NewStageClass("txkv/compacting tables", true)
	}
}

// begin makes the calling goroutine a thread.
func (j *jobs) begin(name string, class *instr.StageClass, estimate uint64) {
	if t := instr.Current(); j.registry == nil || t != nil && !t.IsAutomatic() {
		return
	}
	t := j.registry.Attach(name)
	t.StartStage(class)
	t.SetWorkEstimated(estimate)
	if j.began != nil {
		j.began(t)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.running[t] = &job{thread: t}
}

// end ends the thread that begin made.
func (j *jobs) end() {
	t := instr.Current()
	j.mu.Lock()
	_, ok := j.running[t]
	delete(j.running, t)
	j.mu.Unlock()
	if ok {
		t.EndStage()
		t.Detach()
	}
}

// reshaped notes that the set of table files has changed. Pebble holds its mutex.
func (j *jobs) reshaped() {
	select {
	case j.store.reshaped <- struct{}{}:
	default:
	}
}

// noteFile notes which job writes a file.
func (j *jobs) noteFile(f *file) {
	if j.registry == nil || f.kind != kindTable {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	f.job = j.running[instr.Current()]
}

// countWritten counts the bytes that a job has written.
func (j *jobs) countWritten(f *file, n int) {
	if f.job == nil || instr.Current() != f.job.thread {
		return
	}
	f.job.completed += uint64(n)
	f.job.thread.SetWorkCompleted(f.job.completed)
}

// listener receives Pebble's events. When a job begins, Pebble holds its mutex until it has read which snapshots there are.
func (j *jobs) listener() *pebble.EventListener {
	return &pebble.EventListener{
		FlushBegin: func(i pebble.FlushInfo) {
			j.store.snapshots.jobBegins()
			j.store.versions.flushBegins()
			j.begin("txkv/flush", j.flush, i.InputBytes)
		},
		FlushEnd: func(pebble.FlushInfo) { j.end(); j.reshaped() },
		CompactionBegin: func(i pebble.CompactionInfo) {
			j.store.snapshots.jobBegins()
			var bytes uint64
			for _, level := range i.Input {
				for _, table := range level.Tables {
					bytes += table.Size
				}
			}
			j.begin("txkv/compaction", j.compaction, bytes)
		},
		CompactionEnd: func(pebble.CompactionInfo) { j.end(); j.reshaped() },
		TableIngested: func(pebble.TableIngestInfo) { j.reshaped() },
		BackgroundError: func(err error) {
			if !j.store.faults.failed.Load() { // else the cause is in the log already
				j.store.logError("background work failed: " + err.Error())
			}
		},
		DataCorruption: func(i pebble.DataCorruptionInfo) {
			j.store.logError(fmt.Sprintf("%s is corrupt: %v", i.Path, i.Details))
		},
	}
}
