package tables

// What each thread does that applies transactions of a channel.
//
// MySQL: performance_schema.replication_applier_status_by_worker, since 5.7.
var _ = register(Def[noRow]{
	Name:     "replication_applier_status_by_worker",
	Doc:      "What each thread does that applies transactions of a channel.",
	Recorded: OfAny,
	Empty:    "the server is no replica: it has no replication channels",
	Columns: []Column[noRow]{
		{Name: "CHANNEL_NAME", Kind: char(64), Get: never, Doc: "The replication channel."},
		{Name: "WORKER_ID", Kind: bigintUnsigned, Get: never, Doc: "The worker's number."},
		{Name: "THREAD_ID", Kind: bigintUnsigned.nullable(), Get: never, Doc: "The thread; NULL if it does not work."},
		{Name: "SERVICE_STATE", Kind: onOff, Get: never, Doc: "Whether it works."},
		{Name: "LAST_ERROR_NUMBER", Kind: integer, Get: never, Doc: "The number of the last error, 0 if there was none."},
		{Name: "LAST_ERROR_MESSAGE", Kind: varchar(1024), Get: never, Doc: "The text of the last error."},
		{Name: "LAST_ERROR_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When it happened."},
		{Name: "LAST_APPLIED_TRANSACTION", Kind: char(90).nullable(), Get: never, Doc: "The last transaction that was applied."},
		{Name: "LAST_APPLIED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that was committed at its origin."},
		{Name: "LAST_APPLIED_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that was committed at the source."},
		{Name: "LAST_APPLIED_TRANSACTION_START_APPLY_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When applying it began."},
		{Name: "LAST_APPLIED_TRANSACTION_END_APPLY_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When applying it ended."},
		{Name: "APPLYING_TRANSACTION", Kind: char(90).nullable(), Get: never, Doc: "The transaction that is being applied."},
		{Name: "APPLYING_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that was committed at its origin."},
		{Name: "APPLYING_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that was committed at the source."},
		{Name: "APPLYING_TRANSACTION_START_APPLY_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When applying it began."},
		{Name: "LAST_APPLIED_TRANSACTION_RETRIES_COUNT", Kind: bigintUnsigned, Get: never, Doc: "How many times the last transaction was tried again."},
		{Name: "LAST_APPLIED_TRANSACTION_LAST_TRANSIENT_ERROR_NUMBER", Kind: integer, Get: never, Doc: "The number of its last error that passed by itself."},
		{Name: "LAST_APPLIED_TRANSACTION_LAST_TRANSIENT_ERROR_MESSAGE", Kind: varchar(1024).nullable(), Get: never, Doc: "The text of that error."},
		{Name: "LAST_APPLIED_TRANSACTION_LAST_TRANSIENT_ERROR_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that happened."},
		{Name: "APPLYING_TRANSACTION_RETRIES_COUNT", Kind: bigintUnsigned, Get: never, Doc: "How many times the transaction that is being applied was tried again."},
		{Name: "APPLYING_TRANSACTION_LAST_TRANSIENT_ERROR_NUMBER", Kind: integer, Get: never, Doc: "The number of its last error that passed by itself."},
		{Name: "APPLYING_TRANSACTION_LAST_TRANSIENT_ERROR_MESSAGE", Kind: varchar(1024).nullable(), Get: never, Doc: "The text of that error."},
		{Name: "APPLYING_TRANSACTION_LAST_TRANSIENT_ERROR_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that happened."},
	},
	Indexes: []Index{
		{Name: "PRIMARY", Columns: []string{"CHANNEL_NAME", "WORKER_ID"}, Unique: true},
		{Name: "THREAD_ID", Columns: []string{"THREAD_ID"}},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
