package tables

// Where the program has spent processor time during the last CPU profiles that captures has: a row for each thread name,
// digest and stack. The runtime looks a hundred times a second of processor time.
//
// MySQL: none.
var _ = register(Def[*CPUSample]{
	Name:     "cpu_profile",
	Doc:      "Where the program has spent processor time, by thread, statement digest and stack, in the last CPU profiles of captures.",
	Recorded: OfServer,
	Columns: []Column[*CPUSample]{
		{Name: "CAPTURE_ID", Kind: bigintUnsigned, Get: func(r *CPUSample) Value { return Uint(r.Capture) }, Doc: "The profile, as in captures."},
		{Name: "THREAD_NAME", Kind: varchar(128).nullable(), Get: func(r *CPUSample) Value { return textOrNull(cut(r.Thread, 128)) }, Doc: "The name of the thread; of a goroutine that is not the server's, thread/go/ and its start function; NULL if unknown, as of the runtime itself."},
		{Name: "DIGEST", Kind: varchar(64).nullable(), Get: func(r *CPUSample) Value { return textOrNull(r.Digest) }, Doc: "The digest of the SQL statement that it ran; NULL if it ran none."},
		{Name: "CURRENT_FUNCTION", Kind: varchar(256).nullable(), Get: func(r *CPUSample) Value { return textOrNull(cut(r.Function, 256)) }, Doc: "The function that ran; NULL in the row of all stacks for which there is no room."},
		{Name: "SOURCE", Kind: varchar(64).nullable(), Get: func(r *CPUSample) Value { return textOrNull(cut(r.Source, 64)) }, Doc: "The file and line in it."},
		{Name: "STACK", Kind: longtext.nullable(), Get: func(r *CPUSample) Value { return textOrNull(r.Stack) }, Doc: "The functions and their lines, the innermost first, one in a line."},
		{Name: "SAMPLES", Kind: bigintUnsigned, Get: func(r *CPUSample) Value { return Uint(r.Samples) }, Doc: "How often it was found there."},
		{Name: "CPU_TIME", Kind: bigintUnsigned, Get: func(r *CPUSample) Value { return Uint(r.CPU) }, Doc: "The processor time that these stand for, picoseconds."},
	},
	Indexes:  []Index{{Name: "CAPTURE_ID", Columns: []string{"CAPTURE_ID"}}},
	Estimate: func(Model) int { return 1000 },
	Rows: func(model Model, key Key) Source[*CPUSample] {
		var all []CPUSample
		if c := capturerOf(model); c != nil {
			all = c.Samples()
		}
		return mapped(list(all), func(r *CPUSample, s CPUSample) bool {
			*r = s
			return key.allows("CAPTURE_ID", Uint(s.Capture))
		})
	},
})
