package tables

// What each channel leaves out.
//
// MySQL: performance_schema.replication_applier_filters, since 8.0.1.
var _ = register(Def[noRow]{
	Name:     "replication_applier_filters",
	Doc:      "What each channel leaves out.",
	Recorded: OfAny,
	Empty:    "the server is no replica: it has no replication channels",
	Columns: []Column[noRow]{
		{Name: "CHANNEL_NAME", Kind: char(64), Get: never, Doc: "The replication channel."},
		{Name: "FILTER_NAME", Kind: char(64), Get: never, Doc: "The kind of filter."},
		{Name: "FILTER_RULE", Kind: longtext, Get: never, Doc: "The filter."},
		{Name: "CONFIGURED_BY", Kind: enum("STARTUP_OPTIONS", "CHANGE_REPLICATION_FILTER", "STARTUP_OPTIONS_FOR_CHANNEL", "CHANGE_REPLICATION_FILTER_FOR_CHANNEL"), Get: never, Doc: "Who has set it."},
		{Name: "ACTIVE_SINCE", Kind: timestamp(6), Get: never, Doc: "Since when it is in force."},
		{Name: "COUNTER", Kind: bigintUnsigned, Get: never, Default: "0", Doc: "How many times it was used."},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
