package tables

// SessionVariableRow is a row of session_variables.
type SessionVariableRow struct{ Name, Value string }

// The system variables as the session that reads them has them; of a variable that no session
// has, the global value.
//
// MySQL: performance_schema.session_variables, since 5.7.
var _ = register(Def[*SessionVariableRow]{
	Name:     "session_variables",
	Doc:      "The system variables of the session that reads.",
	Recorded: OfServer,
	Columns: []Column[*SessionVariableRow]{
		{Name: "VARIABLE_NAME", Kind: varchar(64), Get: func(r *SessionVariableRow) Value { return Text(cut(r.Name, 64)) }, Doc: "The variable's name."},
		{Name: "VARIABLE_VALUE", Kind: varchar(1024).nullable(), Get: func(r *SessionVariableRow) Value { return Text(cut(r.Value, 1024)) }, Doc: "Its value as SHOW VARIABLES shows it."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"VARIABLE_NAME"}, Unique: true}},
	Estimate: variableEstimate,
	Rows:     provided[SessionVariableRow],
})
