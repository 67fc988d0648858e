package tables

// What the thread does that gives the transactions of a channel to its workers.
//
// MySQL: performance_schema.replication_applier_status_by_coordinator, since 5.7.
var _ = register(Def[noRow]{
	Name:     "replication_applier_status_by_coordinator",
	Doc:      "What the thread does that hands out the transactions of a channel.",
	Recorded: OfAny,
	Empty:    "the server is no replica: it has no replication channels",
	Columns: []Column[noRow]{
		{Name: "CHANNEL_NAME", Kind: char(64), Get: never, Doc: "The replication channel."},
		{Name: "THREAD_ID", Kind: bigintUnsigned.nullable(), Get: never, Doc: "The thread; NULL if it does not work."},
		{Name: "SERVICE_STATE", Kind: onOff, Get: never, Doc: "Whether it works."},
		{Name: "LAST_ERROR_NUMBER", Kind: integer, Get: never, Doc: "The number of the last error, 0 if there was none."},
		{Name: "LAST_ERROR_MESSAGE", Kind: varchar(1024), Get: never, Doc: "The text of the last error."},
		{Name: "LAST_ERROR_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When it happened."},
		{Name: "LAST_PROCESSED_TRANSACTION", Kind: char(90).nullable(), Get: never, Doc: "The last transaction that was handed out."},
		{Name: "LAST_PROCESSED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that was committed at its origin."},
		{Name: "LAST_PROCESSED_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that was committed at the source."},
		{Name: "LAST_PROCESSED_TRANSACTION_START_BUFFER_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When its handing out began."},
		{Name: "LAST_PROCESSED_TRANSACTION_END_BUFFER_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When its handing out ended."},
		{Name: "PROCESSING_TRANSACTION", Kind: char(90).nullable(), Get: never, Doc: "The transaction that is being handed out."},
		{Name: "PROCESSING_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that was committed at its origin."},
		{Name: "PROCESSING_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that was committed at the source."},
		{Name: "PROCESSING_TRANSACTION_START_BUFFER_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When its handing out began."},
	},
	Indexes: []Index{
		{Name: "PRIMARY", Columns: []string{"CHANNEL_NAME"}, Unique: true},
		{Name: "THREAD_ID", Columns: []string{"THREAD_ID"}},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
