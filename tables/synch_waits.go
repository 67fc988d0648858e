package tables

import "pfsd/instr"

// SynchWait is what is known of a channel, a condition variable, a semaphore or the like that a thread waits for.
type SynchWait struct {
	Thread uint64
	Class  *instr.Class // the instrument of the wait
	Object uint64       // OBJECT_INSTANCE_BEGIN, 0 if there is none
	Type   string       // of the object, one of synchTypes; "" if it is another one
	// How much of it is in use, and how much there is; negative if that is not known, or there is no limit.
	Used, Size int64
	// Signals is how often a condition variable was signalled, negative if that is not known.
	Signals int64
	// Last is what was done to it last, Received who has received from a channel last.
	Last, Received SynchDone
	Text           string // all of that in words; "" if nothing is known
}

// SynchDone is what a thread has done to such an object.
type SynchDone struct {
	Operation string // one of synchOperations; "" if nothing is known
	Thread    uint64 // it may have ended
	Name      string // "" if it has
	Source    string // "" if it is not known
	Since     uint64 // how long ago, picoseconds
}

// The types of objects.
const (
	SynchChannel   = "CHANNEL"
	SynchCondition = "CONDITION"
	SynchGroup     = "WAITGROUP"
	SynchOnce      = "ONCE"
	SynchSemaphore = "SEMAPHORE"
	SynchErrgroup  = "ERRGROUP"
)

var (
	synchTypes      = enum(SynchChannel, SynchCondition, SynchGroup, SynchOnce, SynchSemaphore, SynchErrgroup)
	synchOperations = enum("SEND", "RECEIVE", "SIGNAL", "BROADCAST", "DONE", "DO")
)

// What threads wait for that wait for a channel, a condition variable, a WaitGroup, a Once or a semaphore: how full it is, and who has done
// something to it last, where and when. Of a recording, that is known of up to 8,191 such objects at a time; what select statements wait
// for is not. Who has sent to a channel or received from it is known to about a second.
//
// MySQL: none.
var _ = register(Def[*SynchWait]{
	Name:     "synch_waits",
	Doc:      "What threads wait for that wait for a channel, a condition variable, a WaitGroup, a Once or a semaphore: how full it is, and who has done something to it last.",
	Recorded: OfProgram,
	Columns: []Column[*SynchWait]{
		{Name: "THREAD_ID", Kind: bigintUnsigned, Get: func(r *SynchWait) Value { return Uint(r.Thread) }, Doc: "The thread that waits."},
		{Name: "EVENT_NAME", Kind: varchar(128), Get: func(r *SynchWait) Value { return Text(r.Class.Name()) }, Doc: "The instrument of the wait."},
		{Name: "OBJECT_INSTANCE_BEGIN", Kind: bigintUnsigned.nullable(), Get: func(r *SynchWait) Value { return uintOrNull(r.Object) }, Doc: "The object; NULL of a channel that is nil."},
		{Name: "OBJECT_TYPE", Kind: synchTypes.nullable(), Get: func(r *SynchWait) Value { return textOrNull(r.Type) }, Doc: "What it is; NULL of any other object."},
		{Name: "IN_USE", Kind: bigint.nullable(), Get: func(r *SynchWait) Value { return knownCount(r.Used) }, Doc: "How many values are in the channel, units of the semaphore are taken, or goroutines run under the limit; the counter of a WaitGroup; NULL if that is not known."},
		{Name: "SIZE", Kind: bigint.nullable(), Get: func(r *SynchWait) Value { return knownCount(r.Size) }, Doc: "How many there can be at a time; NULL if that is not known, or without a limit."},
		{Name: "SIGNALS", Kind: bigint.nullable(), Get: func(r *SynchWait) Value { return knownCount(r.Signals) }, Doc: "How often the condition variable was signalled since the recording began; NULL of anything else."},
		{Name: "LAST_OPERATION", Kind: synchOperations.nullable(), Get: func(r *SynchWait) Value { return textOrNull(r.Last.Operation) }, Doc: "What was done last: SEND to a channel; DONE if the counter of a WaitGroup has changed while somebody waits; DO of a Once that the thread is inside of; NULL if nothing is known."},
		{Name: "LAST_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *SynchWait) Value { return uintOrNull(r.Last.Thread) }, Doc: "The thread that has done it, which may have ended."},
		{Name: "LAST_THREAD_NAME", Kind: varchar(128).nullable(), Get: func(r *SynchWait) Value { return textOrNull(r.Last.Name) }, Doc: "Its name; NULL if it has ended."},
		{Name: "LAST_SOURCE", Kind: varchar(64).nullable(), Get: func(r *SynchWait) Value { return textOrNull(cut(r.Last.Source, 64)) }, Doc: "The file and line where; NULL if it is not known."},
		{Name: "TIMER_LAST", Kind: bigintUnsigned.nullable(), Get: func(r *SynchWait) Value { return r.Last.age() }, Doc: "How long ago that was, picoseconds; of a channel up to a second less."},
		{Name: "RECEIVED_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *SynchWait) Value { return uintOrNull(r.Received.Thread) }, Doc: "The thread that has received from the channel last, which may have ended; NULL if nobody is known."},
		{Name: "RECEIVED_THREAD_NAME", Kind: varchar(128).nullable(), Get: func(r *SynchWait) Value { return textOrNull(r.Received.Name) }, Doc: "Its name; NULL if it has ended."},
		{Name: "RECEIVED_SOURCE", Kind: varchar(64).nullable(), Get: func(r *SynchWait) Value { return textOrNull(cut(r.Received.Source, 64)) }, Doc: "The file and line where; NULL if it is not known."},
		{Name: "TIMER_RECEIVED", Kind: bigintUnsigned.nullable(), Get: func(r *SynchWait) Value { return r.Received.age() }, Doc: "How long ago that was, picoseconds, up to a second less."},
		{Name: "DESCRIPTION", Kind: varchar(512).nullable(), Get: func(r *SynchWait) Value { return textOrNull(cut(r.Text, 512)) }, Doc: "All of that in words; NULL if nothing is known."},
	},
	Indexes: []Index{
		{Name: "PRIMARY", Columns: []string{"THREAD_ID"}, Unique: true},
	},
	Estimate: func(model Model) int { return model.ThreadCount() },
	Rows: func(model Model, key Key) Source[*SynchWait] {
		of := model.SynchWaits()
		return mapped(list(threadsByAnyKey(model, key)), func(r *SynchWait, t Thread) bool {
			var ok bool
			*r, ok = of(t)
			return ok
		})
	},
})

func knownCount(n int64) Value {
	if n < 0 {
		return Null
	}
	return Int(n)
}

func (d *SynchDone) age() Value {
	if d.Operation == "" {
		return Null
	}
	return Uint(d.Since)
}

// synchTypesByName are the types of the objects of package instr, by the beginnings of their instruments' names.
var synchTypesByName = map[string]string{
	"wait/synch/chan/": SynchChannel, "wait/synch/semaphore/": SynchSemaphore, "wait/synch/waitgroup/": SynchGroup, "wait/synch/once/": SynchOnce,
	"wait/synch/group/": SynchErrgroup, "wait/synch/cond/": SynchCondition,
}
