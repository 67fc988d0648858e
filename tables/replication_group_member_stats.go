package tables

// What each member of the replication group has certified and applied.
//
// MySQL: performance_schema.replication_group_member_stats, since 5.7.
var _ = register(Def[noRow]{
	Name:     "replication_group_member_stats",
	Doc:      "What each member of the replication group has certified and applied.",
	Recorded: OfAny,
	Empty:    "the server is in no replication group",
	Columns: []Column[noRow]{
		{Name: "CHANNEL_NAME", Kind: char(64), Get: never, Doc: "The group's channel."},
		{Name: "VIEW_ID", Kind: char(60).binary(), Get: never, Doc: "The group's present view."},
		{Name: "MEMBER_ID", Kind: char(36).binary(), Get: never, Doc: "The member's server_uuid."},
		{Name: "COUNT_TRANSACTIONS_IN_QUEUE", Kind: bigintUnsigned, Get: never, Doc: "How many transactions wait for certification."},
		{Name: "COUNT_TRANSACTIONS_CHECKED", Kind: bigintUnsigned, Get: never, Doc: "How many transactions were certified."},
		{Name: "COUNT_CONFLICTS_DETECTED", Kind: bigintUnsigned, Get: never, Doc: "How many transactions were in conflict."},
		{Name: "COUNT_TRANSACTIONS_ROWS_VALIDATING", Kind: bigintUnsigned, Get: never, Doc: "How many rows there are to certify against."},
		{Name: "TRANSACTIONS_COMMITTED_ALL_MEMBERS", Kind: longtext, Get: never, Doc: "The GTIDs of what all members have committed."},
		{Name: "LAST_CONFLICT_FREE_TRANSACTION", Kind: plainText, Get: never, Doc: "The last transaction that was in no conflict."},
		{Name: "COUNT_TRANSACTIONS_REMOTE_IN_APPLIER_QUEUE", Kind: bigintUnsigned, Get: never, Doc: "How many transactions of others wait to be applied."},
		{Name: "COUNT_TRANSACTIONS_REMOTE_APPLIED", Kind: bigintUnsigned, Get: never, Doc: "How many transactions of others were applied."},
		{Name: "COUNT_TRANSACTIONS_LOCAL_PROPOSED", Kind: bigintUnsigned, Get: never, Doc: "How many transactions began here."},
		{Name: "COUNT_TRANSACTIONS_LOCAL_ROLLBACK", Kind: bigintUnsigned, Get: never, Doc: "How many of these were rolled back."},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
