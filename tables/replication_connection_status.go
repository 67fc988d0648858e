package tables

// Whether each channel receives transactions.
//
// MySQL: performance_schema.replication_connection_status, since 5.7.
var _ = register(Def[noRow]{
	Name:     "replication_connection_status",
	Doc:      "Whether each channel receives transactions.",
	Recorded: OfAny,
	Empty:    "the server is no replica: it has no replication channels",
	Columns: []Column[noRow]{
		{Name: "CHANNEL_NAME", Kind: char(64), Get: never, Doc: "The replication channel."},
		{Name: "GROUP_NAME", Kind: char(36).binary(), Get: never, Doc: "The replication group, if the channel is of one."},
		{Name: "SOURCE_UUID", Kind: char(36).binary(), Get: never, Doc: "The source's server_uuid."},
		{Name: "THREAD_ID", Kind: bigintUnsigned.nullable(), Get: never, Doc: "The thread that receives; NULL if it does not work."},
		{Name: "SERVICE_STATE", Kind: enum("ON", "OFF", "CONNECTING"), Get: never, Doc: "Whether it works."},
		{Name: "COUNT_RECEIVED_HEARTBEATS", Kind: bigintUnsigned, Get: never, Default: "0", Doc: "How many heartbeats came."},
		{Name: "LAST_HEARTBEAT_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When the last of them came."},
		{Name: "RECEIVED_TRANSACTION_SET", Kind: longtext, Get: never, Doc: "The GTIDs of what was received."},
		{Name: "LAST_ERROR_NUMBER", Kind: integer, Get: never, Doc: "The number of the last error, 0 if there was none."},
		{Name: "LAST_ERROR_MESSAGE", Kind: varchar(1024), Get: never, Doc: "The text of the last error."},
		{Name: "LAST_ERROR_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When it happened."},
		{Name: "LAST_QUEUED_TRANSACTION", Kind: char(90).nullable(), Get: never, Doc: "The last transaction that was put into the relay log."},
		{Name: "LAST_QUEUED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that was committed at its origin."},
		{Name: "LAST_QUEUED_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that was committed at the source."},
		{Name: "LAST_QUEUED_TRANSACTION_START_QUEUE_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When receiving it began."},
		{Name: "LAST_QUEUED_TRANSACTION_END_QUEUE_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When receiving it ended."},
		{Name: "QUEUEING_TRANSACTION", Kind: char(90).nullable(), Get: never, Doc: "The transaction that is being received."},
		{Name: "QUEUEING_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that was committed at its origin."},
		{Name: "QUEUEING_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When that was committed at the source."},
		{Name: "QUEUEING_TRANSACTION_START_QUEUE_TIMESTAMP", Kind: timestamp(6), Get: never, Doc: "When receiving it began."},
	},
	Indexes: []Index{
		{Name: "PRIMARY", Columns: []string{"CHANNEL_NAME"}, Unique: true},
		{Name: "THREAD_ID", Columns: []string{"THREAD_ID"}},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
