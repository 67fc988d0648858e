package tables

// What the component that keeps keys says of itself.
//
// MySQL: performance_schema.keyring_component_status, since 8.0.24.
var _ = register(Def[noRow]{
	Name:     "keyring_component_status",
	Doc:      "What the component that keeps keys says of itself.",
	Recorded: OfAny,
	Empty:    "no component keeps keys",
	Columns: []Column[noRow]{
		{Name: "STATUS_KEY", Kind: varchar(256), Get: never, Doc: "What is said."},
		{Name: "STATUS_VALUE", Kind: varchar(1024), Get: never, Doc: "The value."},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
