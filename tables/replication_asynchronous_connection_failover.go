package tables

// The sources that a channel can go to when it loses its own.
//
// MySQL: performance_schema.replication_asynchronous_connection_failover, since 8.0.22.
var _ = register(Def[noRow]{
	Name:     "replication_asynchronous_connection_failover",
	Doc:      "The sources that a channel can go to when it loses its own.",
	Recorded: OfAny,
	Empty:    "the server is no replica: it has no replication channels",
	Columns: []Column[noRow]{
		{Name: "CHANNEL_NAME", Kind: char(64).utf8mb3(), Get: never, Doc: "The replication channel."},
		{Name: "HOST", Kind: char(255).asciiText(), Get: never, Doc: "The source's host."},
		{Name: "PORT", Kind: integer, Get: never, Doc: "The source's port."},
		{Name: "NETWORK_NAMESPACE", Kind: char(64).nullable(), Get: never, Doc: "Always empty."},
		{Name: "WEIGHT", Kind: intUnsigned, Get: never, Doc: "How much the source is preferred, 1 to 100."},
		{Name: "MANAGED_NAME", Kind: char(64).utf8mb3(), Get: never, Default: EmptyDefault, Doc: "The group that the source belongs to."},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
