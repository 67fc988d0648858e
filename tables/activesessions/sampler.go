package activesessions

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"pfsd/instr"
	"pfsd/instr/traceparent"
	"pfsd/tables"
)

// DefaultInterval is the time from one sample to the next by default; MinInterval and MaxInterval are its bounds.
const (
	DefaultInterval = time.Second
	MinInterval     = 100 * time.Millisecond
	MaxInterval     = time.Minute
)

// Sampler takes samples of a model and keeps them. Safe for concurrent use.
type Sampler struct {
	model    tables.Model
	interval atomic.Int64
	changed  chan struct{} // gets a value when the interval changes; has room for one
	lost     atomic.Uint64
	due      atomic.Uint64 // how often a sample was due
	history  history

	mu      sync.Mutex // guards the rest
	samples uint64
	// unbroken is the sample from which on none is missing, at the interval every; 0 if the next one begins anew.
	unbroken uint64
	every    time.Duration
	digests  map[*instr.Digest]digestTexts // those of the last samples
	// Memory in which a sample is made.
	sessions     []tables.ActiveSession
	waits        []instr.WaitEvent
	stages       []instr.StageEvent
	statements   []instr.StatementEvent
	transactions []instr.TransactionEvent
}

// New returns a sampler whose samples are the rows of active_session_history of the model.
func New(model tables.Model) *Sampler {
	s := &Sampler{model: model, changed: make(chan struct{}, 1), digests: map[*instr.Digest]digestTexts{}, history: history{size: DefaultSize}}
	s.interval.Store(int64(DefaultInterval))
	tables.ProvideActiveSessions(model, s.history.read)
	tables.ProvideTruncate[tables.ActiveSession](model, s.history.truncate)
	return s
}

// Close removes the rows from the model.
func (s *Sampler) Close() {
	tables.ProvideActiveSessions(s.model, nil)
	tables.ProvideTruncate[tables.ActiveSession](s.model, nil)
}

// SetInterval changes the time between samples at once.
func (s *Sampler) SetInterval(d time.Duration) {
	s.interval.Store(int64(min(max(d, MinInterval), MaxInterval)))
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// SetSize changes how many bytes of samples are kept, at once.
func (s *Sampler) SetSize(bytes int) { s.history.setSize(bytes) }

// KeepIn also keeps the samples in files, and continues with the numbers of those that are there. It is called
// once, before the first sample.
func (s *Sampler) KeepIn(f *Files, latest uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples = latest
	s.history.mu.Lock()
	defer s.history.mu.Unlock()
	s.history.files = f
}

// Lost is how many samples were not taken because the sample before took too long, the program did not get a processor
// in time, or a recording could not be read.
func (s *Sampler) Lost() uint64 { return s.lost.Load() }

// Latest is the number of the last sample, and how many up to it were taken without one missing, one interval apart.
func (s *Sampler) Latest() (sample, unbroken uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unbroken == 0 {
		return s.samples, 0
	}
	return s.samples, s.samples + 1 - s.unbroken
}

// WritesLost is how many samples could not be written to a file.
func (s *Sampler) WritesLost() uint64 {
	s.history.mu.Lock()
	files := s.history.files
	s.history.mu.Unlock()
	if files == nil {
		return 0
	}
	return files.Lost()
}

// Bytes is how many bytes the samples in memory take.
func (s *Sampler) Bytes() int { return s.history.bytes() }

// Run takes samples until ctx ends, while the consumer active_session_history is on.
func (s *Sampler) Run(ctx context.Context) {
	interval := time.Duration(s.interval.Load())
	next := time.Now().Add(interval)
	timer := time.NewTimer(interval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
			interval = time.Duration(s.interval.Load())
			next = time.Now().Add(interval)
			timer.Reset(interval)
			continue
		case <-timer.C:
		}
		s.due.Add(1)
		on := s.model.Setup().Consumer(instr.ConsumerActiveSessionHistory)
		if on {
			s.Sample(time.Now(), interval)
		}
		missed := uint64(0)
		next, missed = nextSample(next, time.Now(), interval)
		s.lost.Add(missed)
		if missed > 0 || !on {
			s.breakOff()
		}
		timer.Reset(time.Until(next))
	}
}

// nextSample returns when the next sample is due after one that was due at due, and how many samples have been missed
// since.
func nextSample(due, now time.Time, interval time.Duration) (next time.Time, missed uint64) {
	next = due.Add(interval)
	if late := now.Sub(next); late >= 0 {
		missed = uint64(late/interval) + 1
		next = next.Add(time.Duration(missed) * interval)
	}
	return next, missed
}

// Active is how many threads are active now, without the calling one.
func (s *Sampler) Active() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	model := tables.ReadingOf(s.model)
	self := model.Current()
	for _, t := range busy(model) {
		if b, ok := t.(interface{ Busy() bool }); ok && !b.Busy() || t == self {
			continue
		}
		if _, _, ok := s.session(model, t); ok {
			n++
		}
	}
	return n
}

// breakOff notes that samples are missing before the next one.
func (s *Sampler) breakOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unbroken = 0
}

// Sample takes a sample that stands for an interval.
func (s *Sampler) Sample(now time.Time, interval time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples++
	if s.unbroken == 0 || s.every != interval {
		s.unbroken, s.every = s.samples, interval
	}
	s.sessions = s.sessions[:0]
	model := tables.ReadingOf(s.model)
	self, locks := model.Current(), false
	for _, t := range busy(model) {
		// Most threads are idle, which Busy finds out quickly.
		if b, ok := t.(interface{ Busy() bool }); ok && !b.Busy() || t == self {
			continue
		}
		if a, lock, ok := s.session(model, t); ok {
			a.Sample, a.Time, a.Weight, a.UnbrokenFrom = s.samples, now, interval.Seconds(), s.unbroken
			s.sessions = append(s.sessions, a)
			locks = locks || lock
		}
	}
	if locks {
		s.findBlockers(model)
	}
	if s.model.Err() != nil { // who is missing is unknown
		s.lost.Add(1)
		s.unbroken = 0
		return
	}
	s.history.add(s.sessions)
}

// busy are the threads of a model that may be active: all, unless the model knows.
func busy(model tables.Model) []tables.Thread {
	if b, ok := model.(interface{ Busy() []tables.Thread }); ok {
		return b.Busy()
	}
	return model.Threads()
}

// session is what a thread is doing; ok is false if it is not active. lock reports whether it waits
// for a lock.
func (s *Sampler) session(model tables.Model, t tables.Thread) (a tables.ActiveSession, lock, ok bool) {
	a.WaitClass = "CPU*"
	alone := false // whether the wait alone makes the thread active
	var innermost *instr.WaitEvent
	s.waits = t.CurrentWaits(s.waits[:0])
	for i := range s.waits {
		if e := &s.waits[i]; !e.Ended && e.Class != nil {
			innermost = e
			a.Waits, a.Event, a.Object = true, e.ID, e.Object
			a.EventName, a.WaitClass, a.Source = e.Class.Name(), waitClass(e.Class), e.Source()
			a.Timed, a.Waited = e.Timed(), e.TimerWait()
			lock, alone = isLock(e.Class.Kind()), !waitsForWork(e)
		}
	}
	s.statements = t.CurrentStatements(s.statements[:0])
	for i := range s.statements { // the outermost first
		if e := &s.statements[i]; !e.Ended {
			s.inStatement(&a, e)
		}
	}
	s.transactions = t.CurrentTransaction(s.transactions[:0])
	for i := range s.transactions {
		if e := &s.transactions[i]; !e.Ended {
			a.Transaction = e.ID
		}
	}
	s.stages = t.CurrentStage(s.stages[:0])
	for i := range s.stages {
		if e := &s.stages[i]; !e.Ended && e.Class != nil {
			if a.Stage = e.Class.Name(); e.NestingType == instr.NestingStatement {
				a.StageStatement = e.NestingID
			}
		}
	}
	if !alone && a.Statement == 0 && a.Transaction == 0 && a.Stage == "" {
		return a, false, false
	}
	info, ok := t.Snapshot()
	a.Thread, a.Goroutine, a.Name, a.User, a.Host = info.ID, info.Goroutine, info.Name, info.Account.User, info.Account.Host
	if innermost != nil {
		a.ObjectName = tables.ObjectName(model, innermost)
	}
	return a, lock, ok
}

// inStatement notes that a session is in a statement: it is inside of those that were noted before.
func (s *Sampler) inStatement(a *tables.ActiveSession, e *instr.StatementEvent) {
	a.Statement, a.Schema, a.Digest, a.DigestText, a.StatementName = e.ID, e.Schema, "", "", ""
	if e.Class != nil {
		a.StatementName = e.Class.Name()
	}
	if e.Digest != nil {
		d := s.digest(e.Digest)
		a.Digest, a.DigestText = d.hex, d.text
	}
	if trace := traceOf(e.SQLText); trace != "" {
		a.Trace = trace
	}
	if a.Request == 0 {
		a.Request, a.RequestName, a.RequestDigest, a.RequestDigestText, a.RequestSchema = a.Statement, a.StatementName, a.Digest, a.DigestText, a.Schema
	}
}

// digestTexts are the texts of a digest, which take longer to make than the rest of a session.
type digestTexts struct{ hex, text string }

// rememberedDigests is how many digests have their texts remembered.
const rememberedDigests = 1000

func (s *Sampler) digest(d *instr.Digest) digestTexts {
	t, ok := s.digests[d]
	if !ok {
		if len(s.digests) >= rememberedDigests {
			clear(s.digests)
		}
		t = digestTexts{d.Hex(), cut(d.Text())}
		s.digests[d] = t
	}
	return t
}

// findBlockers sets, for each session that waits for a lock, the thread in its way and what that
// thread waits for.
func (s *Sampler) findBlockers(model tables.Model) {
	first := map[uint64]*tables.LockWait{}
	all := tables.LockWaits(model)
	for i := range all {
		if w := &all[i]; w.Blocker.Thread != 0 && first[w.Waiter.Thread] == nil {
			first[w.Waiter.Thread] = w
		}
	}
	blockers := map[uint64]blocker{} // many may wait for one
	event := tables.BlockerEvents(model, all)
	for i := range s.sessions {
		a := &s.sessions[i]
		w := first[a.Thread]
		if w == nil || w.Class.Name() != a.EventName {
			continue // it has got the lock meanwhile and waits for something else
		}
		a.Blocker, a.BlockerSource = w.Blocker.Thread, w.Blocker.Source
		if w.Blocker.Timed {
			a.BlockerHeld = w.Blocker.Since
		}
		b, known := blockers[a.Blocker]
		if !known {
			b = s.blocker(model, a.Blocker)
			blockers[a.Blocker] = b
		}
		a.BlockerEvent = event(w)
		a.BlockerName, a.BlockerUser, a.BlockerHost, a.BlockerDigestText = b.name, b.user, b.host, b.digestText
	}
}

// blocker is what a sample keeps of a thread in the way of others: who it is, and its statement.
type blocker struct{ name, user, host, digestText string }

// blocker describes a thread in the way of others.
func (s *Sampler) blocker(model tables.Model, thread uint64) (b blocker) {
	t := model.ThreadByID(thread)
	if t == nil {
		return b
	}
	if info, ok := t.Snapshot(); ok && info.ID == thread {
		b.name, b.user, b.host = info.Name, info.Account.User, info.Account.Host
	}
	s.statements = t.CurrentStatements(s.statements[:0])
	for j := range s.statements {
		if e := &s.statements[j]; e.ThreadID == thread && e.Digest != nil {
			b.digestText = s.digest(e.Digest).text
		}
	}
	return b
}

// waitClass is the first three parts of the name of an instrument, such as wait/synch/mutex, or idle, which has only
// one.
func waitClass(c *instr.Class) string {
	name := c.Name()
	for i, parts := 0, 0; i < len(name); i++ {
		if name[i] == '/' {
			if parts++; parts == 3 {
				return name[:i]
			}
		}
	}
	return name
}

// isLock reports whether waits of a kind are for locks, whose holders are in lock_waits.
func isLock(k instr.Kind) bool {
	switch k {
	case instr.KindMutex, instr.KindRWMutex, instr.KindMetadataLock, instr.KindRowLock:
		return true
	}
	return false
}

// waitsForWork reports whether a thread with this wait, if it is in no statement, stage or transaction, has nothing to do: a
// worker waits for its next task, a server for the next client or request.
func waitsForWork(e *instr.WaitEvent) bool {
	switch e.Class.Kind() {
	case instr.KindIdle, instr.KindCond:
		return true
	case instr.KindSocket:
		switch e.Op {
		case instr.OpAccept, instr.OpRecv, instr.OpRecvFrom:
			return true
		}
	case instr.KindSynch:
		switch e.Op {
		case instr.OpSendValue, instr.OpAcquire:
			return false
		}
		return true
	}
	return false
}

// traceOf is the trace of a statement whose text has a traceparent in a comment, as sqlcommenter has it; "" if it has none.
func traceOf(text string) string {
	const digits = 32
	parent := traceparent.Find(text)
	if len(parent) < 3+digits || parent[2] != '-' {
		return ""
	}
	trace := parent[3 : 3+digits]
	for _, c := range []byte(trace) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return ""
		}
	}
	return trace
}
