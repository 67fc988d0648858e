package tables

import "time"

// ActiveSession is what one thread was doing at one moment. A text is "" and a number 0 where there is nothing.
type ActiveSession struct {
	Sample            uint64
	Time              time.Time
	Thread, Goroutine uint64
	Name, User, Host  string
	Waits             bool // it waits; else it is on a processor
	// The innermost wait. Timed reports whether Waited, in picoseconds, is known.
	WaitClass, EventName, Source string
	Event, Object, Waited        uint64
	Timed                        bool
	ObjectName                   string
	// The thread in its way, and what that thread waits for.
	Blocker                     uint64
	BlockerSource, BlockerEvent string
	// What the moment is part of.
	Statement, Transaction       uint64
	Digest, Schema, Stage, Trace string
	DigestText                   string
	StageStatement               uint64  // the statement that the stage is part of
	StatementName                string  // the instrument of the statement
	Weight                       float64 // seconds
	// The outermost statement, such as the request: that of Statement if there is one alone.
	Request                                                      uint64
	RequestName, RequestDigest, RequestDigestText, RequestSchema string
	// Who the blocker is, the statement that it is in or was in last, and how long it has held the lock, in picoseconds; 0 if unknown.
	BlockerName, BlockerUser, BlockerHost, BlockerDigestText string
	BlockerHeld                                              uint64
	// The sample from which on none is missing up to this one, all at the same interval.
	UnbrokenFrom uint64
}

// ActiveSessions returns a source of samples, oldest first: all of those that match key, and maybe others. Only what the columns show
// need be set, or everything if columns is nil.
type ActiveSessions func(key Key, columns []string) Source[*ActiveSession]

// nested reports whether the innermost statement is part of another one.
func (s *ActiveSession) nested() bool { return s.Request != 0 && s.Request != s.Statement }

type activeSessionsKey struct{}

// ProvideActiveSessions makes s the source of the rows of active_session_history in a model; nil removes it. Safe
// for concurrent use.
func ProvideActiveSessions(model Model, s ActiveSessions) {
	if s == nil {
		model.Provide(activeSessionsKey{}, nil)
		return
	}
	model.Provide(activeSessionsKey{}, s)
}

// What active threads were doing, once a second: each that was in a statement, a stage or a transaction, or waited for
// anything but work. Samples are taken while the consumer active_session_history is on, every
// active_session_history_interval milliseconds, and the last active_session_history_size bytes of them are kept in memory. With a
// data directory, the last active_session_history_file_size bytes are also kept in files there, and outlive the server. The sum of
// WEIGHT is how many seconds threads have spent in this way; divided by the seconds of a window, it is how many threads were
// active on average. The wait is known while its instrument and the consumer events_waits_current are on.
//
// MySQL: none.
var _ = register(Def[*ActiveSession]{
	Name:     "active_session_history",
	Doc:      "What active threads were doing, once a second.",
	Recorded: OfProgram,
	Columns: []Column[*ActiveSession]{
		{Name: "SAMPLE_ID", Kind: bigintUnsigned, Get: func(r *ActiveSession) Value { return Uint(r.Sample) }, Doc: "The number of the sample, from 1 on; all threads of a sample have the same."},
		{Name: "SAMPLE_TIME", Kind: timestamp(6), Get: func(r *ActiveSession) Value { return Time(r.Time) }, Doc: "When it was taken."},
		{Name: "THREAD_ID", Kind: bigintUnsigned, Get: func(r *ActiveSession) Value { return Uint(r.Thread) }, Doc: "The thread."},
		{Name: "GOROUTINE_ID", Kind: bigintUnsigned.nullable(), Get: func(r *ActiveSession) Value { return uintOrNull(r.Goroutine) }, Doc: "The number of its goroutine; NULL if unknown."},
		{Name: "NAME", Kind: varchar(128), Get: func(r *ActiveSession) Value { return Text(cut(r.Name, 128)) }, Doc: "The thread's name, as in threads."},
		{Name: "PROCESSLIST_USER", Kind: varchar(32).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(cut(r.User, 32)) }, Doc: "Who has signed in; NULL of a thread in the background."},
		{Name: "PROCESSLIST_HOST", Kind: varchar(255).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(cut(r.Host, 255)) }, Doc: "From where; NULL of a thread in the background."},
		{Name: "STATE", Kind: enum("WAIT", "CPU*"), Get: func(r *ActiveSession) Value {
			if r.Waits {
				return Text("WAIT")
			}
			return Text("CPU*")
		}, Doc: "WAIT if it waited, CPU* if it was on a processor, ready to run, or in code that is not instrumented."},
		{Name: "WAIT_CLASS", Kind: varchar(64), Get: func(r *ActiveSession) Value { return Text(r.WaitClass) }, Doc: "What it waited for: the first parts of EVENT_NAME, as wait/synch/mutex; CPU* if it did not wait."},
		{Name: "EVENT_NAME", Kind: varchar(128).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(r.EventName) }, Doc: "The instrument of the innermost wait; NULL if it did not wait."},
		{Name: "EVENT_ID", Kind: bigintUnsigned.nullable(), Get: func(r *ActiveSession) Value { return uintOrNull(r.Event) }, Doc: "The number of that wait, as in events_waits_current; NULL if it did not wait."},
		{Name: "SOURCE", Kind: varchar(64).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(cut(r.Source, 64)) }, Doc: "The file and line of the code that waited; NULL if it did not wait, or that is unknown."},
		{Name: "OBJECT_INSTANCE_BEGIN", Kind: bigintUnsigned.nullable(), Get: func(r *ActiveSession) Value { return uintOrNull(r.Object) }, Doc: "The number of the object that it waited for; NULL if there is none."},
		{Name: "OBJECT_NAME", Kind: varchar(512).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(cut(r.ObjectName, 512)) }, Doc: "The name of the file or table, or the address of the socket, that it waited for, or what a lock is on; NULL if it has none."},
		{Name: "WAITED_SO_FAR", Kind: bigintUnsigned.nullable(), Get: func(r *ActiveSession) Value {
			if !r.Timed {
				return Null
			}
			return Uint(r.Waited)
		}, Doc: "How long it had waited, picoseconds; NULL if it did not wait, or the wait is not timed."},
		{Name: "BLOCKING_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *ActiveSession) Value { return uintOrNull(r.Blocker) }, Doc: "The thread in its way, as in lock_waits, of several the first; NULL if there was none, or it is unknown."},
		{Name: "BLOCKING_SOURCE", Kind: varchar(64).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(cut(r.BlockerSource, 64)) }, Doc: "The file and line of the code with which that thread got the lock; NULL if unknown."},
		{Name: "BLOCKING_EVENT_NAME", Kind: varchar(128).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(r.BlockerEvent) }, Doc: "What that thread waited for itself; NULL if it did not wait, or that is unknown."},
		{Name: "STATEMENT_EVENT_ID", Kind: bigintUnsigned.nullable(), Get: func(r *ActiveSession) Value { return uintOrNull(r.Statement) }, Doc: "The number of the innermost statement, as in events_statements_current; NULL if it was in none."},
		{Name: "DIGEST", Kind: varchar(64).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(r.Digest) }, Doc: "Its digest; NULL if it has none."},
		{Name: "CURRENT_SCHEMA", Kind: varchar(64).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(cut(r.Schema, 64)) }, Doc: "The current database of the statement; NULL if there is none."},
		{Name: "STAGE", Kind: varchar(128).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(r.Stage) }, Doc: "The instrument of the stage that it was in; NULL if it was in none."},
		{Name: "TRANSACTION_EVENT_ID", Kind: bigintUnsigned.nullable(), Get: func(r *ActiveSession) Value { return uintOrNull(r.Transaction) }, Doc: "The number of the transaction, as in events_transactions_current; NULL if it was in none."},
		{Name: "TRACE_ID", Kind: varchar(32).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(r.Trace) }, Doc: "The trace that the statement is part of, by the traceparent in a comment of its text, or of that of a statement that it is part of; NULL if they have none."},
		{Name: "WEIGHT", Kind: Kind{Type: TypeDouble, Len: 7, Decimals: 3}, Get: func(r *ActiveSession) Value { return Double(r.Weight) }, Doc: "For how long the sample stands, seconds."},
		{Name: "DIGEST_TEXT", Kind: longtext.nullable(), Get: func(r *ActiveSession) Value { return textOrNull(r.DigestText) }, Doc: "The normalised text of the statement, its first 4,096 bytes; NULL if it has none."},
		{Name: "STATEMENT_EVENT_NAME", Kind: varchar(128).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(r.StatementName) }, Doc: "The instrument of the statement; NULL if it was in none."},
		{Name: "STAGE_OF", Kind: enum("STATEMENT", "REQUEST").nullable(), Get: func(r *ActiveSession) Value {
			switch {
			case r.Stage == "":
				return Null
			case r.nested() && r.StageStatement != r.Statement:
				return Text("REQUEST")
			}
			return Text("STATEMENT")
		}, Doc: "REQUEST if the stage is part of a statement outside of the innermost one, else STATEMENT; NULL if it was in no stage."},
		{Name: "NESTED", Kind: yesNo, Get: func(r *ActiveSession) Value { return yes(r.nested()) }, Doc: "YES if the statement is part of another one."},
		{Name: "REQUEST_EVENT_ID", Kind: bigintUnsigned.nullable(), Get: func(r *ActiveSession) Value { return uintOrNull(r.Request) }, Doc: "The number of the outermost statement, such as the HTTP request that a query is part of; STATEMENT_EVENT_ID if it was in one alone, NULL if it was in none."},
		{Name: "REQUEST_EVENT_NAME", Kind: varchar(128).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(r.RequestName) }, Doc: "The instrument of the outermost statement; NULL if it was in none."},
		{Name: "REQUEST_DIGEST", Kind: varchar(64).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(r.RequestDigest) }, Doc: "The digest of the outermost statement; NULL if it has none, or none yet."},
		{Name: "REQUEST_DIGEST_TEXT", Kind: longtext.nullable(), Get: func(r *ActiveSession) Value { return textOrNull(r.RequestDigestText) }, Doc: "Its normalised text, of a request its method and route; NULL if it has none, or none yet."},
		{Name: "REQUEST_SCHEMA", Kind: varchar(64).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(cut(r.RequestSchema, 64)) }, Doc: "Its current database; NULL if there is none."},
		{Name: "BLOCKING_THREAD_NAME", Kind: varchar(128).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(cut(r.BlockerName, 128)) }, Doc: "The name of the thread in its way; NULL if there was none, or it is unknown."},
		{Name: "BLOCKING_USER", Kind: varchar(32).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(cut(r.BlockerUser, 32)) }, Doc: "Who that thread had signed in as; NULL of a thread in the background."},
		{Name: "BLOCKING_HOST", Kind: varchar(255).nullable(), Get: func(r *ActiveSession) Value { return textOrNull(cut(r.BlockerHost, 255)) }, Doc: "From where; NULL of a thread in the background."},
		{Name: "BLOCKING_DIGEST_TEXT", Kind: longtext.nullable(), Get: func(r *ActiveSession) Value { return textOrNull(r.BlockerDigestText) }, Doc: "The normalised text of the innermost statement that that thread was in, or else of the one that it had ended last; NULL if unknown."},
		{Name: "BLOCKING_TIMER_HELD", Kind: bigintUnsigned.nullable(), Get: func(r *ActiveSession) Value { return uintOrNull(r.BlockerHeld) }, Doc: "How long that thread had held the lock, picoseconds; NULL if unknown."},
		{Name: "UNBROKEN_FROM", Kind: bigintUnsigned, Get: func(r *ActiveSession) Value { return Uint(r.UnbrokenFrom) }, Doc: "The number of the sample from which on none is missing up to this one, and all are one interval apart. Samples in between without a row found no active thread."},
	},
	Indexes: []Index{
		{Name: "PRIMARY", Columns: []string{"SAMPLE_ID", "THREAD_ID"}, Unique: true},
		{Name: "THREAD_ID", Columns: []string{"THREAD_ID"}},
	},
	Unknown:  unknownSamples,
	Estimate: fixedEstimate,
	Truncate: truncateProvided[ActiveSession],
	Rows:     func(model Model, key Key) Source[*ActiveSession] { return activeSessions(model, key, nil) },
	Narrow:   activeSessions,
})

// activeSessions starts a scan of the samples of a model.
func activeSessions(model Model, key Key, columns []string) Source[*ActiveSession] {
	if s, _ := model.Provided(activeSessionsKey{}).(ActiveSessions); s != nil {
		return s(key, columns)
	}
	return list[*ActiveSession](nil)
}
