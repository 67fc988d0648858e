package tables

// ThreadVariableRow is a row of variables_by_thread.
type ThreadVariableRow struct {
	Thread      uint64
	Name, Value string
}

// The system variables that sessions have values of their own of, for each session.
//
// MySQL: performance_schema.variables_by_thread, since 5.7.
var _ = register(Def[*ThreadVariableRow]{
	Name:     "variables_by_thread",
	Doc:      "The session variables of all sessions.",
	Recorded: NotKept,
	Columns: []Column[*ThreadVariableRow]{
		{Name: "THREAD_ID", Kind: bigintUnsigned, Get: func(r *ThreadVariableRow) Value { return Uint(r.Thread) }, Doc: "The session's thread."},
		{Name: "VARIABLE_NAME", Kind: varchar(64), Get: func(r *ThreadVariableRow) Value { return Text(cut(r.Name, 64)) }, Doc: "The variable's name."},
		{Name: "VARIABLE_VALUE", Kind: varchar(1024).nullable(), Get: func(r *ThreadVariableRow) Value { return Text(cut(r.Value, 1024)) }, Doc: "Its value in the session."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "VARIABLE_NAME"}, Unique: true}},
	Estimate: func(model Model) int { return 100 * threadCount(model) },
	Rows:     provided[ThreadVariableRow],
})
