package tables

// Whether each channel applies transactions.
//
// MySQL: performance_schema.replication_applier_status, since 5.7.
var _ = register(Def[noRow]{
	Name:     "replication_applier_status",
	Doc:      "Whether each channel applies transactions.",
	Recorded: OfAny,
	Empty:    "the server is no replica: it has no replication channels",
	Columns: []Column[noRow]{
		{Name: "CHANNEL_NAME", Kind: char(64), Get: never, Doc: "The replication channel."},
		{Name: "SERVICE_STATE", Kind: onOff, Get: never, Doc: "Whether the threads of the channel work."},
		{Name: "REMAINING_DELAY", Kind: intUnsigned.nullable(), Get: never, Doc: "How long the next transaction is still held back, seconds."},
		{Name: "COUNT_TRANSACTIONS_RETRIES", Kind: bigintUnsigned, Get: never, Doc: "How many transactions were tried again."},
	},
	Indexes: []Index{
		{Name: "PRIMARY", Columns: []string{"CHANNEL_NAME"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
