package tables

// The status variables of the connection that reads: its counters, and what the server knows of
// itself. As in MySQL, the counters of statements, Com_..., are only in SHOW SESSION STATUS, and
// Queries is that of the whole server.
//
// MySQL: performance_schema.session_status, since 5.7.
var _ = register(Def[*statusRow]{
	Name:     "session_status",
	Doc:      "The status variables of the connection that reads.",
	Recorded: OfServer,
	Columns:  statusColumns("What the variable is for the connection, as text; for the whole server if connections have none of their own."),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"VARIABLE_NAME"}, Unique: true}},
	Estimate: statusEstimate(single),
	Rows: func(model Model, key Key) Source[*statusRow] {
		t, _ := reader(model)
		return pointers(allStatus(model, key, t, true, false))
	},
})
