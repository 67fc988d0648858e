package tables

// The files of the redo log of InnoDB.
//
// MySQL: performance_schema.innodb_redo_log_files, since 8.0.30.
var _ = register(Def[noRow]{
	Name:     "innodb_redo_log_files",
	Doc:      "The files of the redo log of InnoDB.",
	Recorded: OfAny,
	Empty:    "there is no InnoDB",
	Columns: []Column[noRow]{
		{Name: "FILE_ID", Kind: bigint, Get: never, Doc: "The file's number."},
		{Name: "FILE_NAME", Kind: varchar(2000), Get: never, Doc: "The file's path."},
		{Name: "START_LSN", Kind: bigint, Get: never, Doc: "The log sequence number of its first block."},
		{Name: "END_LSN", Kind: bigint, Get: never, Doc: "The log sequence number behind its last block."},
		{Name: "SIZE_IN_BYTES", Kind: bigint, Get: never, Doc: "Size of the file, bytes."},
		{Name: "IS_FULL", Kind: tinyint, Get: never, Doc: "Whether the log has left the file, 0 or 1."},
		{Name: "CONSUMER_LEVEL", Kind: integer, Get: never, Doc: "Which consumer still needs it."},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
