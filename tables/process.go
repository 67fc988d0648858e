package tables

import (
	"strconv"
	"strings"

	"pfsd/instr"
)

// process is the model of this process: what a registry has recorded.
type process struct{ instr.Reader }

// Of is the model of a registry. Safe for concurrent use.
func Of(reg *instr.Registry) Model { return process{reg.Reader()} }

// processSetup is the switches of a registry.
type processSetup struct{ instr.Setup }

func (p process) Setup() Setup { return processSetup{p.Reader.Setup()} }

func (processSetup) SetEnabled(c *instr.Class, on bool)    { c.SetEnabled(on) }
func (processSetup) SetTimed(c *instr.Class, on bool)      { c.SetTimed(on) }
func (processSetup) SetControlled(c *instr.Class, on bool) { c.SetControlled(on) }

func (processSetup) SetThreadEnabled(c *instr.ThreadClass, on bool) { c.SetEnabled(on) }
func (processSetup) SetThreadHistory(c *instr.ThreadClass, on bool) { c.SetHistory(on) }

// Err is nil: a registry is read whole.
func (process) Err() error { return nil }

// Origin is OfProgram: the server and the program are one process.
func (process) Origin(string, string) Origin { return OfProgram }

// MayFail reports whether Err of a model may be an error: not that of a registry.
func MayFail(model Model) bool {
	_, local := model.(process)
	return !local
}

// ThreadWaitsLost is 0: a registry has statistics of all threads.
func (process) ThreadWaitsLost() uint64 { return 0 }

func (process) ClassWaits(c *instr.Class) instr.Stat          { return c.Waits() }
func (process) ClassIO(c *instr.Class) instr.IOStat           { return c.IO() }
func (process) ClassHistogram(c *instr.Class) instr.Histogram { return c.Histogram() }
func (process) SharedMemory(c *instr.Class) instr.MemoryStat  { return c.SharedMemory() }
func (process) ResetClass(c *instr.Class)                     { c.Reset() }
func (process) ResetInstances(c *instr.Class)                 { c.ResetInstances() }
func (process) ResetHistogram(c *instr.Class)                 { c.ResetHistogram() }

func (process) Instances(c *instr.Class) []Instance {
	all := c.Instances()
	list := make([]Instance, len(all))
	for i, in := range all {
		list[i] = in
	}
	return list
}

func (p process) Instance(id uint64) Instance {
	if in := p.Reader.Instance(id); in != nil {
		return in
	}
	return nil
}

func (p process) FilesNamed(name string) []FileInstance {
	all := p.Reader.FilesNamed(name)
	list := make([]FileInstance, len(all))
	for i, f := range all {
		list[i] = f
	}
	return list
}

func (p process) ReadLocks() []HeldLock {
	all := p.Reader.ReadLocks()
	list := make([]HeldLock, len(all))
	for i, l := range all {
		list[i] = HeldLock{l.Lock, l.Holding, true}
	}
	return list
}

func (p process) CountsHolds() bool { return true }

func (p process) LockWaits() []LockWait {
	all := p.Reader.LockWaits()
	list := make([]LockWait, len(all))
	for i := range all {
		w := &all[i]
		list[i] = LockWait{
			Class: w.Class, Object: w.Object, Certain: w.Blocker.Holder == 0 || w.Blocker.Certain,
			Waiter: LockParty{
				Thread: w.ThreadID, Goroutine: w.Goroutine, Name: w.Thread, Number: w.ID, Mode: LockMode(w.Op == instr.OpReadLock),
				Source: w.Source(), Since: w.TimerWait(), Timed: w.Timed(), record: threadOrNil(w.Waiter),
			},
		}
		if b := &w.Blocker; b.Holder != 0 {
			list[i].Blocker = LockParty{
				Thread: b.Holder, Goroutine: b.Goroutine, Number: b.Number, Mode: LockMode(w.Shared), Pending: w.Pending,
				Source: b.Source, Since: b.Held, Timed: b.Timed,
			}
		}
	}
	return list
}

// SynchWaits says how full objects are that have limited room; who has done something to them is not recorded.
func (p process) SynchWaits() func(Thread) (SynchWait, bool) {
	return func(t Thread) (w SynchWait, found bool) {
		var e instr.WaitEvent // the innermost wait
		for _, each := range t.CurrentWaits(nil) {
			if !each.Ended && each.ID >= e.ID {
				e = each
			}
		}
		if e.Class == nil || e.Class.Kind() != instr.KindSynch && e.Class.Kind() != instr.KindCond {
			return w, false
		}
		w = SynchWait{Thread: e.ThreadID, Class: e.Class, Object: e.Object, Used: -1, Size: -1, Signals: -1}
		for prefix, of := range synchTypesByName {
			if strings.HasPrefix(e.Class.Name(), prefix) {
				w.Type = of
			}
		}
		if s, ok := p.Instance(e.Object).(SynchInstance); ok {
			if used, size, ok := s.Room(); ok {
				w.Used, w.Size = used, size
				w.Text = strconv.FormatInt(used, 10)
				if size >= 0 {
					w.Text += " of " + strconv.FormatInt(size, 10)
				}
				w.Text += " in use"
			}
		}
		return w, true
	}
}

func (p process) Current() Thread {
	t := instr.Current()
	if t == nil || t != p.Reader.ThreadByID(t.ID()) {
		return nil
	}
	return t
}

// threadOrNil is t as a Thread, and the nil Thread if t is nil.
func threadOrNil(t *instr.Thread) Thread {
	if t == nil {
		return nil
	}
	return t
}

func (p process) ThreadByID(id uint64) Thread      { return threadOrNil(p.Reader.ThreadByID(id)) }
func (p process) ThreadByProcess(id uint64) Thread { return threadOrNil(p.Reader.ThreadByProcess(id)) }
func (p process) ThreadByGoroutine(id uint64) Thread {
	return threadOrNil(p.Reader.ThreadByGoroutine(id))
}

func (p process) Threads() []Thread { return threadList(p.Reader.Threads()) }

func (p process) ThreadsOf(f instr.ActorFilter) []Thread { return threadList(p.Reader.ThreadsOf(f)) }

func threadList(all []*instr.Thread) []Thread {
	list := make([]Thread, len(all))
	for i, t := range all {
		list[i] = t
	}
	return list
}

func (p process) WaitsHistoryLong() func([]instr.WaitEvent) int {
	return p.Reader.WaitsHistoryLong().Next
}
