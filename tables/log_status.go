package tables

// LogStatusRow is the positions of the server's logs, as JSON texts.
type LogStatusRow struct {
	ServerUUID, Local, Replication, StorageEngines string
}

// What a backup has to know of the server's logs, in one row: there is no binary log, no
// replication, and no engine that has a log of its own.
//
// MySQL: performance_schema.log_status, since 8.0.11.
var _ = register(Def[*LogStatusRow]{
	Name:     "log_status",
	Doc:      "The positions of the server's logs, for backups.",
	Recorded: OfServer,
	Static:   "there are no logs with positions",
	Columns: []Column[*LogStatusRow]{
		{Name: "SERVER_UUID", Kind: char(36).binary(), Get: func(r *LogStatusRow) Value { return Text(r.ServerUUID) }, Doc: "The server, as in the variable server_uuid."},
		{Name: "LOCAL", Kind: jsonText, Get: func(r *LogStatusRow) Value { return Text(r.Local) }, Doc: "The transactions that have been carried out; with a binary log it would have its file and position, too."},
		{Name: "REPLICATION", Kind: jsonText, Get: func(r *LogStatusRow) Value { return Text(r.Replication) }, Doc: "The channels of replication."},
		{Name: "STORAGE_ENGINES", Kind: jsonText, Get: func(r *LogStatusRow) Value { return Text(r.StorageEngines) }, Doc: "The engines that have logs, with their positions."},
	},
	Estimate: func(Model) int { return 1 },
	Rows:     provided[LogStatusRow],
})
