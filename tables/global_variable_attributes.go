package tables

type globalVariableAttribute struct{}

// Notes on global variables, which components of MySQL make.
//
// MySQL: performance_schema.global_variable_attributes, since 9.0.
var _ = register(Def[globalVariableAttribute]{
	Name:     "global_variable_attributes",
	Doc:      "Notes on global variables.",
	Recorded: OfServer,
	Empty:    "no component makes notes",
	Since:    9,
	Columns: []Column[globalVariableAttribute]{
		{Name: "VARIABLE_NAME", Kind: varchar(64), Get: noAttribute, Doc: "The variable's name."},
		{Name: "ATTR_NAME", Kind: varchar(32), Get: noAttribute, Doc: "The note's name."},
		{Name: "ATTR_VALUE", Kind: varchar(1024), Get: noAttribute, Doc: "The note."},
	},
	Estimate: func(Model) int { return 0 },
	Rows:     func(Model, Key) Source[globalVariableAttribute] { return list[globalVariableAttribute](nil) },
})

func noAttribute(globalVariableAttribute) Value { return Null }
