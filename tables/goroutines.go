package tables

import "pfsd/instr"

// All goroutines of the program, by a profile of the runtime that the SELECT takes: it stops the program for about
// 4 microseconds a goroutine. A profile of more than 1,000 goroutines also serves the SELECTs that follow within ten times as long. Who has no
// privilege PROCESS sees the goroutines of the account's own connections. Those of a recording are the recorded program's, by what the
// recorder knows: waits, and who started them where.
//
// MySQL: none.
var _ = register(Def[*instr.Goroutine]{
	Name:     "goroutines",
	Doc:      "All goroutines of the program: their states, what they wait for, where they are and who started them.",
	Recorded: OfProgram,
	Columns:  goroutineColumns(),
	Indexes: []Index{
		{Name: "PRIMARY", Columns: []string{"GOROUTINE_ID"}, Unique: true},
		{Name: "THREAD_ID", Columns: []string{"THREAD_ID"}},
	},
	Estimate: fixedEstimate,
	Rows:     func(model Model, key Key) Source[*instr.Goroutine] { return goroutines(model, key, model.Goroutines()) },
})

// goroutines are those of a list that match the key and that the reader may see.
func goroutines(model Model, key Key, all []instr.Goroutine) Source[*instr.Goroutine] {
	visible := visibleThreads(model)
	return mapped(list(all), func(r *instr.Goroutine, g instr.Goroutine) bool {
		*r = g
		return key.allows("GOROUTINE_ID", Uint(g.ID)) && key.allows("THREAD_ID", uintOrNull(g.ThreadID)) && visible(g.ThreadID)
	})
}

// visibleThreads returns which threads the reader may see: with the privilege PROCESS all, else those of the reader's own
// account. Thread 0 stands for no thread.
func visibleThreads(model Model) func(id uint64) bool {
	p, ok := model.Provided(limitKey{}).(UserLimit)
	if !ok || p == nil {
		return func(uint64) bool { return true }
	}
	user, only := p()
	return func(id uint64) bool {
		if !only {
			return true
		}
		t := model.ThreadByID(id)
		if t == nil {
			return false
		}
		info, alive := t.Snapshot()
		return alive && info.Process != 0 && info.Account.User == user
	}
}

func sinceOrNull(g *instr.Goroutine) Value {
	if g.Since.IsZero() {
		return Null
	}
	return Time(g.Since)
}

func lockedOrNull(r *instr.Goroutine) Value {
	if r.LockUnknown {
		return Null
	}
	return yes(r.LockedToThread)
}

func goroutineColumns() []Column[*instr.Goroutine] {
	return []Column[*instr.Goroutine]{
		{Name: "GOROUTINE_ID", Kind: bigintUnsigned, Get: func(r *instr.Goroutine) Value { return Uint(r.ID) }, Doc: "The goroutine's number, as in stack traces."},
		{Name: "THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *instr.Goroutine) Value { return uintOrNull(r.ThreadID) }, Doc: "The thread that it is; NULL if it is none."},
		{Name: "STATE", Kind: varchar(32), Get: func(r *instr.Goroutine) Value { return Text(cut(r.State, 32)) }, Doc: "The state by the runtime's words: running, runnable, syscall, waiting; in a recording waiting, or unknown if no wait of it is recorded."},
		{Name: "WAIT_REASON", Kind: varchar(64).nullable(), Get: func(r *instr.Goroutine) Value { return textOrNull(cut(r.WaitReason, 64)) }, Doc: "What it waits for, such as chan receive, IO wait; NULL if it does not wait."},
		{Name: "WAITING_SINCE", Kind: timestamp(0).nullable(), Get: func(r *instr.Goroutine) Value { return sinceOrNull(r) }, Doc: "When a garbage collection first found it waiting, to the minute, NULL if that is less than a minute ago; in a recording when the wait began, NULL if that is not timed."},
		{Name: "LOCKED_TO_OS_THREAD", Kind: yesNo.nullable(), Get: lockedOrNull, Doc: "YES if it runs on an OS thread of its own; NULL if that is not known, as of a recording."},
		{Name: "CURRENT_FUNCTION", Kind: varchar(256).nullable(), Get: func(r *instr.Goroutine) Value { return textOrNull(cut(r.Function, 256)) }, Doc: "The function that it is in, the innermost outside of package runtime; NULL if there is none."},
		{Name: "SOURCE", Kind: varchar(64).nullable(), Get: func(r *instr.Goroutine) Value { return textOrNull(cut(r.Source, 64)) }, Doc: "The file and line that it is at in CURRENT_FUNCTION."},
		{Name: "MAIN_SOURCE", Kind: varchar(64).nullable(), Get: func(r *instr.Goroutine) Value { return textOrNull(cut(r.Own, 64)) }, Doc: "The file and line of the innermost function in the program's main module; NULL if it is in none."},
		{Name: "START_FUNCTION", Kind: varchar(256).nullable(), Get: func(r *instr.Goroutine) Value { return textOrNull(cut(r.StartFunction, 256)) }, Doc: "The function that it began with."},
		{Name: "PARENT_GOROUTINE_ID", Kind: bigintUnsigned.nullable(), Get: func(r *instr.Goroutine) Value { return uintOrNull(r.Parent) }, Doc: "The goroutine that started it, which may have ended; NULL if it is unknown."},
		{Name: "CREATED_BY", Kind: varchar(256).nullable(), Get: func(r *instr.Goroutine) Value { return textOrNull(cut(r.Creator, 256)) }, Doc: "The function with the go statement."},
		{Name: "CREATED_AT", Kind: varchar(64).nullable(), Get: func(r *instr.Goroutine) Value { return textOrNull(cut(r.Created, 64)) }, Doc: "The file and line of the go statement."},
		{Name: "LABELS", Kind: longtext.nullable(), Get: func(r *instr.Goroutine) Value { return textOrNull(r.Labels) }, Doc: "The labels of runtime/pprof; NULL if it has none, or if goroutines with the same stack have others."},
		{Name: "STACK", Kind: longtext.nullable(), Get: func(r *instr.Goroutine) Value { return textOrNull(r.Stack) }, Doc: "The stack trace, the innermost call first."},
	}
}
