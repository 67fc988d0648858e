package tables

// VariableMetadataRow is a row of variables_metadata. Min and Max are "" for a variable that is not
// a number.
type VariableMetadataRow struct{ Name, Scope, Type, Min, Max, Doc string }

// What there is to know of system variables.
//
// MySQL: performance_schema.variables_metadata, since 9.0.
var _ = register(Def[*VariableMetadataRow]{
	Name:     "variables_metadata",
	Doc:      "What there is to know of system variables.",
	Recorded: OfServer,
	Since:    9,
	Static:   "the variables that there are stay the same",
	Columns: []Column[*VariableMetadataRow]{
		{Name: "VARIABLE_NAME", Kind: varchar(64), Get: func(r *VariableMetadataRow) Value { return Text(cut(r.Name, 64)) }, Doc: "The variable's name."},
		{Name: "VARIABLE_SCOPE", Kind: enum("GLOBAL", "SESSION", "SESSION_ONLY"), Get: func(r *VariableMetadataRow) Value { return Text(r.Scope) }, Doc: "GLOBAL has one value, SESSION one for each session besides, SESSION_ONLY no global one."},
		{Name: "DATA_TYPE", Kind: enum("Integer", "Numeric", "String", "Enumeration", "Boolean", "Set"), Get: func(r *VariableMetadataRow) Value { return Text(r.Type) }, Doc: "The sort of value; Numeric has a fraction."},
		{Name: "MIN_VALUE", Kind: varchar(64).nullable(), Get: func(r *VariableMetadataRow) Value { return Text(r.Min) }, Doc: "The smallest number; empty for what is none."},
		{Name: "MAX_VALUE", Kind: varchar(64).nullable(), Get: func(r *VariableMetadataRow) Value { return Text(r.Max) }, Doc: "The largest number; empty for what is none."},
		{Name: "DOCUMENTATION", Kind: Kind{Type: TypeMediumText}, Get: func(r *VariableMetadataRow) Value { return Text(r.Doc) }, Doc: "What the variable does here."},
	},
	Estimate: variableEstimate,
	Rows:     provided[VariableMetadataRow],
})
