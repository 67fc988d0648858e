package tables

// What replication leaves out in each channel that says nothing else.
//
// MySQL: performance_schema.replication_applier_global_filters, since 8.0.1.
var _ = register(Def[noRow]{
	Name:     "replication_applier_global_filters",
	Doc:      "What replication leaves out by default.",
	Recorded: OfAny,
	Empty:    "the server is no replica: it has no replication channels",
	Columns: []Column[noRow]{
		{Name: "FILTER_NAME", Kind: char(64), Get: never, Doc: "The kind of filter."},
		{Name: "FILTER_RULE", Kind: longtext, Get: never, Doc: "The filter."},
		{Name: "CONFIGURED_BY", Kind: enum("STARTUP_OPTIONS", "CHANGE_REPLICATION_FILTER"), Get: never, Doc: "Who has set it."},
		{Name: "ACTIVE_SINCE", Kind: timestamp(6), Get: never, Doc: "Since when it is in force."},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
