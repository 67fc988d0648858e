package tables

// The groups that a channel finds its sources in.
//
// MySQL: performance_schema.replication_asynchronous_connection_failover_managed, since 8.0.23.
var _ = register(Def[noRow]{
	Name:     "replication_asynchronous_connection_failover_managed",
	Doc:      "The groups that a channel finds its sources in.",
	Recorded: OfAny,
	Empty:    "the server is no replica: it has no replication channels",
	Columns: []Column[noRow]{
		{Name: "CHANNEL_NAME", Kind: char(64).utf8mb3(), Get: never, Doc: "The replication channel."},
		{Name: "MANAGED_NAME", Kind: char(64).utf8mb3(), Get: never, Default: EmptyDefault, Doc: "The group's name."},
		{Name: "MANAGED_TYPE", Kind: char(64).utf8mb3(), Get: never, Default: EmptyDefault, Doc: "The kind of group, GroupReplication."},
		{Name: "CONFIGURATION", Kind: jsonText.nullable(), Get: never, Doc: "How much its members are preferred."},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
