package tables

// What compression saves of the transactions in the binary and relay logs.
//
// MySQL: performance_schema.binary_log_transaction_compression_stats, since 8.0.20.
var _ = register(Def[noRow]{
	Name:     "binary_log_transaction_compression_stats",
	Doc:      "What compression saves in the binary and relay logs.",
	Recorded: OfServer,
	Empty:    "the server writes no binary log",
	Columns: []Column[noRow]{
		{Name: "LOG_TYPE", Kind: enum("BINARY", "RELAY"), Get: never, Doc: "The log."},
		{Name: "COMPRESSION_TYPE", Kind: varchar(64), Get: never, Doc: "The algorithm, or NONE."},
		{Name: "TRANSACTION_COUNTER", Kind: bigintUnsigned, Get: never, Doc: "How many transactions were written."},
		{Name: "COMPRESSED_BYTES_COUNTER", Kind: bigintUnsigned, Get: never, Doc: "How many bytes the transactions are, compressed."},
		{Name: "UNCOMPRESSED_BYTES_COUNTER", Kind: bigintUnsigned, Get: never, Doc: "How many bytes they were before compression."},
		{Name: "COMPRESSION_PERCENTAGE", Kind: smallint, Get: never, Doc: "What compression saved, per cent."},
		{Name: "FIRST_TRANSACTION_ID", Kind: plainText.nullable(), Get: never, Doc: "The first transaction's GTID."},
		{Name: "FIRST_TRANSACTION_COMPRESSED_BYTES", Kind: bigintUnsigned, Get: never, Doc: "Compressed size of the first transaction, bytes."},
		{Name: "FIRST_TRANSACTION_UNCOMPRESSED_BYTES", Kind: bigintUnsigned, Get: never, Doc: "Its size before compression, bytes."},
		{Name: "FIRST_TRANSACTION_TIMESTAMP", Kind: timestamp(6).nullable(), Get: never, Doc: "When it was written."},
		{Name: "LAST_TRANSACTION_ID", Kind: plainText.nullable(), Get: never, Doc: "The last transaction's GTID."},
		{Name: "LAST_TRANSACTION_COMPRESSED_BYTES", Kind: bigintUnsigned, Get: never, Doc: "Compressed size of the last transaction, bytes."},
		{Name: "LAST_TRANSACTION_UNCOMPRESSED_BYTES", Kind: bigintUnsigned, Get: never, Doc: "Its size before compression, bytes."},
		{Name: "LAST_TRANSACTION_TIMESTAMP", Kind: timestamp(6).nullable(), Get: never, Doc: "When it was written."},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
	Truncate: func(Model) {}, // of nothing
})
