package captures

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pfsd/instr"
	"pfsd/tables"
)

// Kinds, conditions and states of captures: the values of the table.
const (
	CPU   = "CPU"
	Trace = "TRACE"

	Now            = "NOW"
	LockHeld       = "LOCK_HELD"
	Statement      = "STATEMENT"
	ActiveSessions = "ACTIVE_SESSIONS"

	armed   = "ARMED"
	taking  = "TAKING"
	done    = "DONE"
	expired = "EXPIRED"
	failed  = "FAILED"
)

const (
	// maxCaptures is how many captures there are at most, ended ones among them.
	maxCaptures = 20
	// maxSeconds is how long a profile or a trace is at most, maxWait how long a capture waits.
	maxSeconds = 60
	maxWait    = 86400
	// lookEvery is the time between two looks at conditions.
	lookEvery = 100 * time.Millisecond
	// traceBytes is about how many bytes a trace has at most.
	traceBytes = 16 << 20
)

// Profiler takes the captures of a model. Safe for concurrent use.
type Profiler struct {
	model  tables.Model
	active func() int
	start  func(run func())
	files  *files
	ctx    context.Context
	cancel context.CancelFunc
	labels atomic.Bool    // a CPU profile is being taken
	works  sync.WaitGroup // the watcher, and what takes captures

	writing sync.Mutex // held while a trace is written: the flight recorder writes one at a time

	mu       sync.Mutex // guards the rest
	closed   bool
	watching bool
	last     uint64
	all      []*capture
	recorder *trace.FlightRecorder // nil while no trace is armed
	length   time.Duration         // of what the recorder keeps
	takesCPU bool
}

// capture is a row of captures, and the samples of a CPU profile.
type capture struct {
	tables.Capture
	samples []tables.CPUSample
	end     context.CancelFunc // ends the taking; nil if it is not being taken
}

// Config says what a Profiler works with.
type Config struct {
	Model tables.Model
	// Dir is the directory for the files; "" stands for a temporary directory, which is made for the
	// first file and removed by Close.
	Dir string
	// Active is how many sessions are active.
	Active func() int
	// Start runs a function in a goroutine of the server.
	Start func(run func())
}

// New returns a profiler that provides the tables of a model. Files that a former one has left in the
// directory are captures, too.
func New(c Config) *Profiler {
	p := &Profiler{model: c.Model, active: c.Active, start: c.Start, files: &files{dir: c.Dir, keep: c.Dir != ""}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	for _, found := range p.files.found() {
		p.last = max(p.last, found.ID)
		p.all = append(p.all, &capture{Capture: found})
	}
	if p.last > 0 {
		p.makeRoom()
	}
	tables.ProvideCaptures(c.Model, p)
	return p
}

// Close ends all captures, and returns when nothing of them runs any more.
func (p *Profiler) Close() {
	tables.ProvideCaptures(p.model, nil)
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cancel()
	p.works.Wait()
	p.files.close()
}

// Captures implements tables.Capturer.
func (p *Profiler) Captures() (rows []tables.Capture) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.all {
		rows = append(rows, c.Capture)
	}
	return rows
}

// Samples implements tables.Capturer.
func (p *Profiler) Samples() (rows []tables.CPUSample) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.all {
		rows = append(rows, c.samples...)
	}
	return rows
}

// Arm implements tables.Capturer.
func (p *Profiler) Arm(request tables.Capture) error {
	for _, bound := range []struct {
		column string
		ok     bool
	}{
		{"SECONDS", request.Seconds >= 1 && request.Seconds <= maxSeconds},
		{"WAIT_SECONDS", request.WaitFor >= 1 && request.WaitFor <= maxWait},
		{"THRESHOLD", request.Threshold >= 0 && !math.IsInf(request.Threshold, 0) && !math.IsNaN(request.Threshold)},
	} {
		if !bound.ok {
			return &tables.ColumnError{Column: bound.column, Err: tables.ErrOutOfRange}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || !p.makeRoom() {
		return tables.ErrFull
	}
	p.last++
	request.ID, request.State, request.Armed = p.last, armed, time.Now()
	c := &capture{Capture: request}
	p.all = append(p.all, c)
	if request.Kind == Trace {
		p.record()
	}
	if c.State == armed && !p.watching {
		p.watching = true
		p.works.Add(1)
		p.start(func() {
			defer p.works.Done()
			p.watch()
		})
	}
	return nil
}

// makeRoom removes the oldest captures that have ended, until there is room for another one; false if
// none has. The caller holds mu.
func (p *Profiler) makeRoom() bool {
	for len(p.all) >= maxCaptures {
		i := slices.IndexFunc(p.all, func(c *capture) bool { return c.State != armed && c.State != taking })
		if i < 0 {
			return false
		}
		p.remove(i)
	}
	return true
}

// remove removes a capture and its file. The caller holds mu.
func (p *Profiler) remove(i int) {
	c := p.all[i]
	if c.end != nil {
		c.end()
	}
	if c.File != "" {
		p.files.remove(c.File)
	}
	p.all = slices.Delete(p.all, i, i+1)
}

// Forget implements tables.Capturer.
func (p *Profiler) Forget(id uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.IndexFunc(p.all, func(c *capture) bool { return c.ID == id }); i >= 0 {
		p.remove(i)
		p.record()
	}
}

// record has the flight recorder run while a trace is armed or being taken, and keep as much as the longest one
// needs; if it needs more than before, the recorder begins anew. If it cannot run, the traces fail. The caller holds mu.
func (p *Profiler) record() {
	var length time.Duration
	for _, c := range p.all {
		if c.Kind == Trace && (c.State == armed || c.State == taking) {
			length = max(length, time.Duration(c.Seconds)*time.Second)
		}
	}
	if p.recorder != nil && length > 0 && length <= p.length {
		return
	}
	if p.recorder != nil {
		p.recorder.Stop()
		p.recorder, p.length = nil, 0
	}
	if length == 0 {
		return
	}
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: length, MaxBytes: traceBytes})
	if err := recorder.Start(); err != nil {
		for _, c := range p.all {
			if c.Kind == Trace && c.State == armed {
				c.State, c.Error = failed, err.Error()
			}
		}
		return
	}
	p.recorder, p.length = recorder, length
}

// watch looks at the conditions of armed captures until there are none.
func (p *Profiler) watch() {
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for p.look(time.Now()) {
		select {
		case <-p.ctx.Done():
			p.mu.Lock()
			for i := len(p.all) - 1; i >= 0; i-- {
				if p.all[i].State == armed {
					p.remove(i)
				}
			}
			p.record()
			p.watching = false
			p.mu.Unlock()
			return
		case <-ticks.C:
		}
	}
}

// look takes the captures whose condition is met, and reports whether others are still armed.
func (p *Profiler) look(now time.Time) bool {
	p.mu.Lock()
	var waiting []*capture
	for _, c := range p.all {
		if c.State == armed {
			waiting = append(waiting, c)
		}
	}
	if len(waiting) == 0 {
		p.record()
		p.watching = false
		p.mu.Unlock()
		return false
	}
	p.mu.Unlock()
	observed := &observation{model: p.model, active: p.active}
	for _, c := range waiting {
		reason, met := observed.meets(&c.Capture)
		p.mu.Lock()
		switch {
		case c.State != armed || !slices.Contains(p.all, c):
		case met && !(c.Kind == CPU && p.takesCPU):
			p.take(c, reason, now)
		case now.Sub(c.Armed) > time.Duration(c.WaitFor)*time.Second:
			c.State = expired
			p.record()
		}
		p.mu.Unlock()
	}
	return true
}

// take begins to take a capture. The caller holds mu.
func (p *Profiler) take(c *capture, reason string, now time.Time) {
	ctx, cancel := context.WithCancel(p.ctx)
	c.State, c.Reason, c.Taken, c.end = taking, reason, now, cancel
	work := p.takeTrace
	if c.Kind == CPU {
		work = p.takeCPU
		p.takesCPU = true
	}
	request := c.Capture
	p.works.Add(1)
	p.start(func() {
		defer p.works.Done()
		defer cancel()
		file, size, samples, err := work(ctx, request)
		p.mu.Lock()
		defer p.mu.Unlock()
		c.end = nil
		c.State, c.File, c.Bytes, c.samples = done, file, size, samples
		if err != nil {
			c.State, c.Error = failed, err.Error()
		}
		if c.Kind == CPU {
			p.takesCPU = false
			p.dropSamples()
		}
		if !slices.Contains(p.all, c) && file != "" { // it was deleted meanwhile
			p.files.remove(file)
		}
		p.record()
	})
}

// keptProfiles is of how many CPU profiles the samples stay in memory.
const keptProfiles = 4

// dropSamples gives up the samples of all but the last CPU profiles. The caller holds mu.
func (p *Profiler) dropSamples() {
	kept := 0
	for i := len(p.all) - 1; i >= 0; i-- {
		if c := p.all[i]; c.samples != nil {
			if kept++; kept > keptProfiles {
				c.samples = nil
			}
		}
	}
}

var errEnded = errors.New("the capture was ended")

// sleep waits for so many seconds; it fails if ctx ends before.
func sleep(ctx context.Context, seconds uint64) error {
	timer := time.NewTimer(time.Duration(seconds) * time.Second)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return errEnded
	case <-timer.C:
		return nil
	}
}

// takeTrace writes the trace of a request into a file.
func (p *Profiler) takeTrace(ctx context.Context, request tables.Capture) (file string, size uint64, _ []tables.CPUSample, err error) {
	if request.Condition == Now {
		if err := sleep(ctx, request.Seconds); err != nil {
			return "", 0, nil, err
		}
	}
	p.mu.Lock()
	recorder := p.recorder
	p.mu.Unlock()
	if recorder == nil {
		return "", 0, nil, errEnded
	}
	var buf bytes.Buffer
	p.writing.Lock()
	_, err = recorder.WriteTo(&buf)
	p.writing.Unlock()
	if err != nil {
		return "", 0, nil, err
	}
	file, err = p.files.write(request.ID, Trace, buf.Bytes())
	return file, uint64(buf.Len()), nil, err
}

// takeCPU takes the CPU profile of a request.
func (p *Profiler) takeCPU(ctx context.Context, request tables.Capture) (file string, size uint64, samples []tables.CPUSample, err error) {
	var buf bytes.Buffer
	if err := pprof.StartCPUProfile(&buf); err != nil {
		return "", 0, nil, err
	}
	p.labels.Store(true)
	err = sleep(ctx, request.Seconds)
	p.labels.Store(false)
	pprof.StopCPUProfile()
	if err != nil {
		return "", 0, nil, err
	}
	if samples, err = readProfile(request.ID, buf.Bytes()); err != nil {
		return "", 0, nil, fmt.Errorf("the profile cannot be read: %w", err)
	}
	file, err = p.files.write(request.ID, CPU, buf.Bytes())
	return file, uint64(buf.Len()), samples, err
}

// The labels of a goroutine that runs a statement.
const (
	labelDigest = "digest"
	labelThread = "thread"
)

// BeginStatement labels the calling goroutine, which is that of the thread and of a connection, with the thread and the digest of
// its innermost statement, if a CPU profile is being taken. It reports whether it has: then the caller calls EndStatement.
func (p *Profiler) BeginStatement(t *instr.Thread) (labelled bool) {
	if !p.labels.Load() {
		return false
	}
	digest := ""
	for _, e := range t.CurrentStatements(nil) {
		if !e.Ended && e.Digest != nil {
			digest = e.Digest.Hex()
		}
	}
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(labelThread, t.Name(), labelDigest, digest)))
	return true
}

// EndStatement removes the labels that BeginStatement has set.
func (p *Profiler) EndStatement() { pprof.SetGoroutineLabels(context.Background()) }
