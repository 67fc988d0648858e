package tables

// GlobalVariableRow is a row of global_variables.
type GlobalVariableRow struct{ Name, Value string }

// The global values of the server's system variables.
//
// MySQL: performance_schema.global_variables, since 5.7.
var _ = register(Def[*GlobalVariableRow]{
	Name:     "global_variables",
	Doc:      "The global values of system variables.",
	Recorded: OfServer,
	Columns: []Column[*GlobalVariableRow]{
		{Name: "VARIABLE_NAME", Kind: varchar(64), Get: func(r *GlobalVariableRow) Value { return Text(cut(r.Name, 64)) }, Doc: "The variable's name."},
		{Name: "VARIABLE_VALUE", Kind: varchar(1024).nullable(), Get: func(r *GlobalVariableRow) Value { return Text(cut(r.Value, 1024)) }, Doc: "Its global value as SHOW GLOBAL VARIABLES shows it."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"VARIABLE_NAME"}, Unique: true}},
	Estimate: variableEstimate,
	Rows:     provided[GlobalVariableRow],
})

// variableEstimate is about how many system variables there are.
func variableEstimate(Model) int { return 500 }
