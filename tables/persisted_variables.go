package tables

// PersistedVariableRow is a row of persisted_variables.
type PersistedVariableRow struct{ Name, Value string }

// The system variables that SET PERSIST has written for the next start.
//
// MySQL: performance_schema.persisted_variables, since 8.0.
var _ = register(Def[*PersistedVariableRow]{
	Name:     "persisted_variables",
	Doc:      "The system variables that SET PERSIST keeps.",
	Recorded: OfServer,
	Columns: []Column[*PersistedVariableRow]{
		{Name: "VARIABLE_NAME", Kind: varchar(64), Get: func(r *PersistedVariableRow) Value { return Text(cut(r.Name, 64)) }, Doc: "The variable's name."},
		{Name: "VARIABLE_VALUE", Kind: varchar(1024).nullable(), Get: func(r *PersistedVariableRow) Value { return Text(cut(r.Value, 1024)) }, Doc: "The value that is kept."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"VARIABLE_NAME"}, Unique: true}},
	Estimate: func(Model) int { return 10 },
	Rows:     provided[PersistedVariableRow],
})
