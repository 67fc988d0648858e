package tables

// The functions that were loaded from libraries.
//
// MySQL: performance_schema.user_defined_functions, since 8.0.21.
var _ = register(Def[noRow]{
	Name:     "user_defined_functions",
	Doc:      "The functions that were loaded from libraries.",
	Recorded: OfAny,
	Empty:    "functions cannot be loaded: those of the server are built in",
	Columns: []Column[noRow]{
		{Name: "UDF_NAME", Kind: varchar(64), Get: never, Doc: "The function's name in SQL."},
		{Name: "UDF_RETURN_TYPE", Kind: varchar(20), Get: never, Doc: "The type of its result."},
		{Name: "UDF_TYPE", Kind: varchar(20), Get: never, Doc: "Function or aggregate."},
		{Name: "UDF_LIBRARY", Kind: varchar(1024).nullable(), Get: never, Doc: "The library's file."},
		{Name: "UDF_USAGE_COUNT", Kind: bigint.nullable(), Get: never, Doc: "How many statements use it now."},
	},
	Indexes: []Index{
		{Name: "PRIMARY", Columns: []string{"UDF_NAME"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
