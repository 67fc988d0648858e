package tables

// How each channel applies transactions.
//
// MySQL: performance_schema.replication_applier_configuration, since 5.7.
var _ = register(Def[noRow]{
	Name:     "replication_applier_configuration",
	Doc:      "How each channel applies transactions.",
	Recorded: OfAny,
	Empty:    "the server is no replica: it has no replication channels",
	Columns: []Column[noRow]{
		{Name: "CHANNEL_NAME", Kind: char(64), Get: never, Doc: "The replication channel."},
		{Name: "DESIRED_DELAY", Kind: integer, Get: never, Doc: "By how much the replica stays behind, seconds."},
		{Name: "PRIVILEGE_CHECKS_USER", Kind: plainText.nullable().utf8mb3().binary(), Get: never, Doc: "The account whose privileges are checked; NULL checks none."},
		{Name: "REQUIRE_ROW_FORMAT", Kind: yesNo, Get: never, Doc: "Whether only events of rows are taken."},
		{Name: "REQUIRE_TABLE_PRIMARY_KEY_CHECK", Kind: enum("STREAM", "ON", "OFF", "GENERATE"), Get: never, Doc: "What is done about tables without a primary key."},
		{Name: "ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS_TYPE", Kind: enum("OFF", "LOCAL", "UUID"), Get: never, Doc: "Whether transactions without a GTID get one."},
		{Name: "ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS_VALUE", Kind: plainText.nullable().utf8mb3().binary(), Get: never, Doc: "The UUID of such GTIDs."},
	},
	Indexes: []Index{
		{Name: "PRIMARY", Columns: []string{"CHANNEL_NAME"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
