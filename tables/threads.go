package tables

import (
	"time"

	"pfsd/instr"
)

type threadRow struct {
	instr.ThreadInfo
	thread Thread
	now    time.Time
}

// The threads: connections, and goroutines that work in the background. An UPDATE of
// INSTRUMENTED or HISTORY counts at once.
//
// Differs: THREAD_OS_ID is the goroutine's number, as a goroutine changes its OS thread.
//
// MySQL: performance_schema.threads, since 5.5.
var _ = register(Def[*threadRow]{
	Name:     "threads",
	Doc:      "The threads, what they work for and what they are doing.",
	Recorded: OfProgram,
	Columns: []Column[*threadRow]{
		{Name: "THREAD_ID", Kind: bigintUnsigned, Get: func(r *threadRow) Value { return Uint(r.ID) }, Doc: "The thread's number, from 1, never used again."},
		{Name: "NAME", Kind: varchar(128), Get: func(r *threadRow) Value { return Text(r.Name) }, Doc: "The name of the thread's instrument."},
		{Name: "TYPE", Kind: varchar(10), Get: func(r *threadRow) Value { return r.choose(Text("FOREGROUND"), Text("BACKGROUND")) }, Doc: "FOREGROUND for a connection, else BACKGROUND."},
		{Name: "PROCESSLIST_ID", Kind: bigintUnsigned.nullable(), Get: func(r *threadRow) Value { return uintOrNull(r.Process) }, Doc: "The connection's number, CONNECTION_ID(); NULL in the background."},
		{Name: "PROCESSLIST_USER", Kind: varchar(32).nullable(), Get: func(r *threadRow) Value { return userName(r.Account.User) }, Doc: "The user; NULL in the background and before login."},
		{Name: "PROCESSLIST_HOST", Kind: varchar(255).nullable().asciiText(), Get: func(r *threadRow) Value { return hostName(r.Account.Host) }, Doc: "The client's host; NULL in the background and before login."},
		{Name: "PROCESSLIST_DB", Kind: varchar(64).nullable(), Get: func(r *threadRow) Value { return textOrNull(cut(r.DB, 64)) }, Doc: "The default database; NULL if there is none."},
		{Name: "PROCESSLIST_COMMAND", Kind: varchar(16).nullable(), Get: (*threadRow).command, Doc: "The kind of command that runs, Sleep between commands; NULL in the background."},
		{Name: "PROCESSLIST_TIME", Kind: bigint.nullable(), Get: (*threadRow).seconds, Doc: "How long the command has been running or the connection asleep, seconds."},
		{Name: "PROCESSLIST_STATE", Kind: varchar(64).nullable(), Get: func(r *threadRow) Value { return textOrNull(cut(r.State, 64)) }, Doc: "What the thread is doing; NULL if nothing is known."},
		{Name: "PROCESSLIST_INFO", Kind: longtext.nullable(), Get: func(r *threadRow) Value { return clientText(r.Info) }, Doc: "The statement that runs; NULL if none does."},
		{Name: "PARENT_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *threadRow) Value { return uintOrNull(r.Parent) }, Doc: "The thread that started this one; NULL if none did."},
		{Name: "ROLE", Kind: varchar(64).nullable(), Get: null[*threadRow], Doc: "Always NULL."},
		{Name: "INSTRUMENTED", Kind: yesNo, Get: func(r *threadRow) Value { return yes(r.Instrumented) }, Set: func(_ Model, r *threadRow, v Value) error {
			r.ifAlive(func(t Thread) { t.SetInstrumented(isYes(v)) })
			return nil
		}, Doc: "Whether the thread's events are counted and recorded."},
		{Name: "HISTORY", Kind: yesNo, Get: func(r *threadRow) Value { return yes(r.History) }, Set: func(_ Model, r *threadRow, v Value) error {
			r.ifAlive(func(t Thread) { t.SetHistory(isYes(v)) })
			return nil
		}, Doc: "Whether the thread's events go to the histories."},
		{Name: "CONNECTION_TYPE", Kind: varchar(16).nullable(), Get: func(r *threadRow) Value { return textOrNull(cut(r.ConnectionType, 16)) }, Doc: "TCP/IP, SSL/TLS or Socket; NULL in the background."},
		{Name: "THREAD_OS_ID", Kind: bigintUnsigned.nullable(), Get: func(r *threadRow) Value { return uintOrNull(r.Goroutine) }, Doc: "The goroutine's number; NULL if it is unknown."},
		{Name: "RESOURCE_GROUP", Kind: varchar(64).nullable(), Get: (*threadRow).resourceGroup, Doc: "USR_default for a connection, else SYS_default."},
		{Name: "EXECUTION_ENGINE", Kind: engines.nullable(), Get: func(*threadRow) Value { return Text("PRIMARY") }, Doc: "Always PRIMARY."},
		{Name: "CONTROLLED_MEMORY", Kind: bigintUnsigned, Get: func(r *threadRow) Value { return Uint(r.Memory.Controlled) }, Doc: "Memory that is limited that the thread has in use, bytes."},
		{Name: "MAX_CONTROLLED_MEMORY", Kind: bigintUnsigned, Get: func(r *threadRow) Value { return Uint(r.Memory.MaxControlled) }, Doc: "The most memory that is limited that the thread has had in use, bytes."},
		{Name: "TOTAL_MEMORY", Kind: bigintUnsigned, Get: func(r *threadRow) Value { return Uint(r.Memory.Total) }, Doc: "Memory that is counted for the thread, bytes."},
		{Name: "MAX_TOTAL_MEMORY", Kind: bigintUnsigned, Get: func(r *threadRow) Value { return Uint(r.Memory.MaxTotal) }, Doc: "The most memory that was counted for the thread, bytes."},
		{Name: "TELEMETRY_ACTIVE", Kind: yesNo, Get: func(*threadRow) Value { return yes(false) }, Doc: "Always NO."},
	},
	Indexes: []Index{
		{Name: "NAME", Columns: []string{"NAME"}},
		{Name: "PRIMARY", Columns: []string{"THREAD_ID"}, Unique: true},
		{Name: "PROCESSLIST_ACCOUNT", Columns: []string{"PROCESSLIST_USER", "PROCESSLIST_HOST"}},
		{Name: "PROCESSLIST_HOST", Columns: []string{"PROCESSLIST_HOST"}},
		{Name: "PROCESSLIST_ID", Columns: []string{"PROCESSLIST_ID"}},
		{Name: "RESOURCE_GROUP", Columns: []string{"RESOURCE_GROUP"}},
		{Name: "THREAD_OS_ID", Columns: []string{"THREAD_OS_ID"}},
	},
	Estimate: func(model Model) int { return model.ThreadCount() },
	Rows: func(model Model, key Key) Source[*threadRow] {
		return mapped(list(threadsByAnyKey(model, key)), func(r *threadRow, t Thread) bool {
			info, ok := t.Snapshot()
			*r = threadRow{info, t, time.Now()}
			return ok && key.allows("NAME", Text(r.Name)) &&
				key.allows("PROCESSLIST_ID", uintOrNull(r.Process)) && key.allows("THREAD_OS_ID", uintOrNull(r.Goroutine)) &&
				key.allows("PROCESSLIST_USER", userName(r.Account.User)) && key.allows("PROCESSLIST_HOST", hostName(r.Account.Host)) &&
				key.allows("RESOURCE_GROUP", r.resourceGroup())
		})
	},
})

// threadsByAnyKey returns the threads that key picks through an index, and perhaps others.
func threadsByAnyKey(model Model, key Key) []Thread {
	for _, by := range []struct {
		column string
		find   func(uint64) Thread
	}{
		{"THREAD_ID", model.ThreadByID}, {"PROCESSLIST_ID", model.ThreadByProcess}, {"THREAD_OS_ID", model.ThreadByGoroutine},
	} {
		if some, ok := threadBy(key, by.column, by.find); ok {
			return some
		}
	}
	return model.ThreadsOf(actorFilter(model, key, "PROCESSLIST_USER", "PROCESSLIST_HOST"))
}

// choose picks by the thread's type.
func (r *threadRow) choose(foreground, background Value) Value {
	if r.Process != 0 {
		return foreground
	}
	return background
}

func (r *threadRow) command() Value {
	if r.Command == "" {
		return r.choose(Text("Sleep"), Null)
	}
	return r.choose(Text(cut(r.Command, 16)), Null)
}

func (r *threadRow) seconds() Value { return Int(max(0, int64(r.now.Sub(r.Since)/time.Second))) }

func (r *threadRow) resourceGroup() Value { return r.choose(Text("USR_default"), Text("SYS_default")) }

// ifAlive calls do unless the record serves another thread by now.
func (r *threadRow) ifAlive(do func(Thread)) {
	if r.thread.ID() == r.ID {
		do(r.thread)
	}
}
