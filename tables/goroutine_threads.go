package tables

// The goroutines that became threads by themselves, at their first wait: which goroutine started them, and where. Who has no
// privilege PROCESS sees none.
//
// MySQL: none.
var _ = register(Def[*threadRow]{
	Name:     "goroutine_threads",
	Doc:      "The goroutines that became threads by themselves, who started them and where.",
	Recorded: OfProgram,
	Columns: []Column[*threadRow]{
		{Name: "THREAD_ID", Kind: bigintUnsigned, Get: func(r *threadRow) Value { return Uint(r.ID) }, Doc: "The thread's number."},
		{Name: "GOROUTINE_ID", Kind: bigintUnsigned, Get: func(r *threadRow) Value { return Uint(r.Goroutine) }, Doc: "The goroutine's number, as in stack traces."},
		{Name: "STARTED", Kind: timestamp(6), Get: func(r *threadRow) Value { return Time(r.Since) }, Doc: "When it became a thread."},
		{Name: "PARENT_GOROUTINE_ID", Kind: bigintUnsigned.nullable(), Get: func(r *threadRow) Value { return uintOrNull(r.ParentGoroutine) }, Doc: "The goroutine that started it, which may have ended; NULL if it is unknown."},
		{Name: "PARENT_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *threadRow) Value { return uintOrNull(r.Parent) }, Doc: "The thread of that goroutine; NULL if it is none."},
		{Name: "CREATED_AT", Kind: varchar(64).nullable(), Get: func(r *threadRow) Value { return textOrNull(cut(r.Created, 64)) }, Doc: "The file and line of the go statement; NULL if it is unknown."},
	},
	Indexes: []Index{
		{Name: "GOROUTINE_ID", Columns: []string{"GOROUTINE_ID"}},
		{Name: "PRIMARY", Columns: []string{"THREAD_ID"}, Unique: true},
	},
	Estimate: func(model Model) int { return model.ThreadCount() },
	Rows: func(model Model, key Key) Source[*threadRow] {
		visible := visibleThreads(model)
		return mapped(list(threadsByAnyKey(model, goroutineKey(key))), func(r *threadRow, t Thread) bool {
			info, ok := t.Snapshot()
			*r = threadRow{ThreadInfo: info, thread: t}
			return ok && r.Automatic && key.allows("GOROUTINE_ID", Uint(r.Goroutine)) && visible(r.ID)
		})
	},
})

// goroutineKey is a key of goroutine_threads with the names of the same columns in threads.
func goroutineKey(key Key) Key {
	named := make(Key, len(key))
	for i, e := range key {
		if named[i] = e; e.Column == "GOROUTINE_ID" {
			named[i].Column = "THREAD_OS_ID"
		}
	}
	return named
}
