package tables

// The status variables of the server: what all threads have counted, those that have ended too,
// and what the server knows of itself. As in MySQL, the counters of statements, Com_..., are
// only in SHOW GLOBAL STATUS. TRUNCATE is FLUSH STATUS: it empties all counters, of threads,
// accounts, users and hosts too, but for those that count from the start of the server.
//
// MySQL: performance_schema.global_status, since 5.7.
var _ = register(Def[*statusRow]{
	Name:     "global_status",
	Doc:      "The status variables of the server.",
	Recorded: OfServer,
	Columns:  statusColumns("What the variable is for the whole server, as text."),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"VARIABLE_NAME"}, Unique: true}},
	Estimate: statusEstimate(single),
	Rows: func(model Model, key Key) Source[*statusRow] {
		return pointers(allStatus(model, key, nil, false, false))
	},
	Truncate: ResetStatus,
})
