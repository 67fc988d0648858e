package tables

import (
	"time"
)

// ErrorLogRow is an event of the server's error log.
type ErrorLogRow struct {
	Logged                           time.Time // unlike that of any other event, to the microsecond
	ThreadID                         uint64    // the connection's id; 0 is the server itself
	Prio, ErrorCode, Subsystem, Data string
}

// What the server has written into its error log lately, up to 5 MB of it, and what was in its
// file when it started.
//
// MySQL: performance_schema.error_log, since 8.0.22.
var _ = register(Def[*ErrorLogRow]{
	Name:     "error_log",
	Doc:      "The lines of the error log, the last ones of them.",
	Recorded: OfServer,
	Columns: []Column[*ErrorLogRow]{
		{Name: "LOGGED", Kind: timestamp(6), Get: func(r *ErrorLogRow) Value { return Time(r.Logged) }, Doc: "When it was written; no two events have the same time."},
		{Name: "THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *ErrorLogRow) Value { return Uint(r.ThreadID) }, Doc: "The connection that it came from, as in PROCESSLIST_ID; 0 is the server."},
		{Name: "PRIO", Kind: logPriorities, Get: func(r *ErrorLogRow) Value { return Text(r.Prio) }, Doc: "How bad it is; Notes are there if log_error_verbosity is 3."},
		{Name: "ERROR_CODE", Kind: varchar(10).nullable(), Get: func(r *ErrorLogRow) Value { return Text(r.ErrorCode) }, Doc: "MySQL's number for what happened, MY- in front."},
		{Name: "SUBSYSTEM", Kind: varchar(7).nullable(), Get: func(r *ErrorLogRow) Value { return Text(r.Subsystem) }, Doc: "The part of the server that it happened in."},
		{Name: "DATA", Kind: plainText, Get: func(r *ErrorLogRow) Value { return Text(r.Data) }, Doc: "What the log says."},
	},
	Indexes: []Index{
		{Name: "PRIMARY", Columns: []string{"LOGGED"}, Unique: true}, {Name: "THREAD_ID", Columns: []string{"THREAD_ID"}},
		{Name: "PRIO", Columns: []string{"PRIO"}}, {Name: "ERROR_CODE", Columns: []string{"ERROR_CODE"}}, {Name: "SUBSYSTEM", Columns: []string{"SUBSYSTEM"}},
	},
	Estimate: func(Model) int { return 100 },
	Rows: providedIf(func(key Key, r *ErrorLogRow) bool {
		return key.allows("LOGGED", Time(r.Logged)) && key.allows("THREAD_ID", Uint(r.ThreadID)) && key.allows("PRIO", Text(r.Prio)) &&
			key.allows("ERROR_CODE", Text(r.ErrorCode)) && key.allows("SUBSYSTEM", Text(r.Subsystem))
	}),
})

// logPriorities are how bad an event of the error log can be.
var logPriorities = enum("System", "Error", "Warning", "Note")
