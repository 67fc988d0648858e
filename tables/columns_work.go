package tables

import (
	"slices"
	"strings"
	"time"

	"pfsd/instr"
)

// This file has the columns that the tables of stages, statements, transactions and errors
// share.

// stageHead, statementHead and transactionHead return what all events have in common.
func stageHead(e *instr.StageEvent) *instr.EventHead             { return &e.EventHead }
func statementHead(e *instr.StatementEvent) *instr.EventHead     { return &e.EventHead }
func transactionHead(e *instr.TransactionEvent) *instr.EventHead { return &e.EventHead }

// headColumns are the columns that say which event a row is.
func headColumns[R any](head func(R) *instr.EventHead) []Column[R] {
	return []Column[R]{
		{Name: "THREAD_ID", Kind: bigintUnsigned, Get: func(r R) Value { return Uint(head(r).ThreadID) }, Doc: "The thread whose event it is."},
		{Name: "EVENT_ID", Kind: bigintUnsigned, Get: func(r R) Value { return Uint(head(r).ID) }, Doc: "The event's number in its thread, from 1."},
		{Name: "END_EVENT_ID", Kind: bigintUnsigned.nullable(), Get: func(r R) Value {
			if e := head(r); e.Ended {
				return Uint(e.EndID)
			}
			return Null
		}, Doc: "The highest number of an event that had begun when this one ended; NULL while it runs."},
		eventName("EVENT_NAME", func(r R) *instr.Class { return head(r).Class }),
	}
}

// eventSource is the column SOURCE.
func eventSource[R any](source func(R) Value) Column[R] {
	return Column[R]{Name: "SOURCE", Kind: varchar(64).nullable(), Get: source, Doc: "File and line of the code that began the event."}
}

// sourceText is the file and line of the code that began an event.
func sourceText(e *instr.EventHead) Value { return textOrNull(cut(e.Source(), 64)) }

// timerColumns are the columns that say when an event was, and how long it took.
func timerColumns[R any](head func(R) *instr.EventHead) []Column[R] {
	timed := func(time func(*instr.EventHead) uint64) func(R) Value {
		return func(r R) Value {
			if e := head(r); e.Timed() {
				return Uint(time(e))
			}
			return Null
		}
	}
	return []Column[R]{
		{Name: "TIMER_START", Kind: bigintUnsigned.nullable(), Get: timed((*instr.EventHead).TimerStart), Doc: "When the event began, picoseconds since the server's start; wraps after 213 days; NULL if it is not timed."},
		{Name: "TIMER_END", Kind: bigintUnsigned.nullable(), Get: timed((*instr.EventHead).TimerEnd), Doc: "When the event ended, or was read if it runs, picoseconds since the server's start; wraps after 213 days; NULL if it is not timed."},
		{Name: "TIMER_WAIT", Kind: bigintUnsigned.nullable(), Get: timed((*instr.EventHead).TimerWait), Doc: "How long the event took, or has taken so far, picoseconds; NULL if it is not timed."},
	}
}

// timeColumns are the columns that say where and when an event was.
func timeColumns[R any](head func(R) *instr.EventHead) []Column[R] {
	return append([]Column[R]{eventSource(func(r R) Value { return sourceText(head(r)) })}, timerColumns(head)...)
}

// nestingColumns are the columns that say which event an event is part of.
func nestingColumns[R any](head func(R) *instr.EventHead) []Column[R] {
	return []Column[R]{
		{Name: "NESTING_EVENT_ID", Kind: bigintUnsigned.nullable(), Get: func(r R) Value { return uintOrNull(head(r).NestingID) }, Doc: "The number of the event that this one is part of; NULL if there is none."},
		{Name: "NESTING_EVENT_TYPE", Kind: eventTypes.nullable(), Get: func(r R) Value {
			e := head(r)
			if e.NestingID == 0 || e.NestingType == instr.NestingNone {
				return Null
			}
			return Text(eventTypes.Values[e.NestingType-instr.NestingTransaction])
		}, Doc: "The type of the event that this one is part of; NULL if there is none."},
	}
}

// stageEventColumns are the columns of events_stages_current and its histories.
var stageEventColumns = slices.Concat(headColumns(stageHead), timeColumns(stageHead), []Column[*instr.StageEvent]{
	{Name: "WORK_COMPLETED", Kind: bigintUnsigned.nullable(), Get: func(r *instr.StageEvent) Value { return progress(r, r.WorkCompleted) }, Doc: "How much of the stage's work is done, in units of its own; NULL if it does not tell."},
	{Name: "WORK_ESTIMATED", Kind: bigintUnsigned.nullable(), Get: func(r *instr.StageEvent) Value { return progress(r, r.WorkEstimated) }, Doc: "How much work the stage has to do, in units of its own; NULL if it does not tell."},
}, nestingColumns(stageHead))

// progress is n, or NULL if the stage does not report its progress.
func progress(r *instr.StageEvent, n uint64) Value {
	if !r.Progress() {
		return Null
	}
	return Uint(n)
}

// statementCounters are what statements count besides their time: the column of the summaries,
// whose name without SUM_ is that of the column of events, and its documentation for one statement
// and for a sum.
var statementCounters = [instr.StatementCounterCount]struct{ name, event, sum string }{
	instr.LockTime:             {"SUM_LOCK_TIME", "Time waited for locks on tables, picoseconds.", "Time in which the statements waited for locks of tables, picoseconds."},
	instr.Errors:               {"SUM_ERRORS", "How many errors.", "How many errors they ended with."},
	instr.Warnings:             {"SUM_WARNINGS", "How many warnings.", "How many warnings they gave."},
	instr.RowsAffected:         {"SUM_ROWS_AFFECTED", "How many rows were changed.", "How many rows they changed."},
	instr.RowsSent:             {"SUM_ROWS_SENT", "How many rows were sent to the client.", "How many rows they returned."},
	instr.RowsExamined:         {"SUM_ROWS_EXAMINED", "How many rows were read from tables.", "How many rows they read from tables."},
	instr.CreatedTmpDiskTables: {"SUM_CREATED_TMP_DISK_TABLES", "How many internal temporary tables on disk.", "How many internal temporary tables they made on disk."},
	instr.CreatedTmpTables:     {"SUM_CREATED_TMP_TABLES", "How many internal temporary tables.", "How many internal temporary tables they made."},
	instr.SelectFullJoin:       {"SUM_SELECT_FULL_JOIN", "How many joins without an index.", "How many joins scanned a table, as they used no index of it."},
	instr.SelectFullRangeJoin:  {"SUM_SELECT_FULL_RANGE_JOIN", "How many joins by a range of the joined table.", "How many joins searched a range of a table that they refer to."},
	instr.SelectRange:          {"SUM_SELECT_RANGE", "How many reads of a range of the first table.", "How many joins searched a range of their first table."},
	instr.SelectRangeCheck:     {"SUM_SELECT_RANGE_CHECK", "How many joins that looked for a key at each row.", "How many joins looked for an index anew for each row."},
	instr.SelectScan:           {"SUM_SELECT_SCAN", "How many full scans of the first table.", "How many joins scanned their first table."},
	instr.SortMergePasses:      {"SUM_SORT_MERGE_PASSES", "How many merges of sorted parts.", "How many times sorts merged runs."},
	instr.SortRange:            {"SUM_SORT_RANGE", "How many sorts of a range.", "How many sorts were of a range of a table."},
	instr.SortRows:             {"SUM_SORT_ROWS", "How many rows were sorted.", "How many rows were sorted."},
	instr.SortScan:             {"SUM_SORT_SCAN", "How many sorts of a full scan.", "How many sorts were of a scanned table."},
	instr.NoIndexUsed:          {"SUM_NO_INDEX_USED", "1 for a scan of a table without an index.", "How many statements scanned a table without an index."},
	instr.NoGoodIndexUsed:      {"SUM_NO_GOOD_INDEX_USED", "1 if no good index was found.", "How many statements found no good index."},
	instr.CPUTime:              {"SUM_CPU_TIME", "Processor time, picoseconds; 0 unless the consumer events_statements_cpu is on.", "Processor time of the statements' threads, picoseconds; 0 unless the consumer events_statements_cpu is on."},
	instr.MaxControlledMemory:  {"MAX_CONTROLLED_MEMORY", "Most controlled memory in use, bytes.", "The most memory that a statement used of what is limited, bytes."},
	instr.MaxTotalMemory:       {"MAX_TOTAL_MEMORY", "Most memory in use, bytes.", "The most memory that a statement used, bytes."},
	instr.CountSecondary:       {"COUNT_SECONDARY", "", "How many statements ran on a secondary engine."},
}

// counterColumns are the counters of a statement, from first to last.
func counterColumns(first, last instr.StatementCounter) []Column[*instr.StatementEvent] {
	var columns []Column[*instr.StatementEvent]
	for c := first; c <= last; c++ {
		columns = append(columns, Column[*instr.StatementEvent]{
			Name: strings.TrimPrefix(statementCounters[c].name, "SUM_"), Kind: bigintUnsigned,
			Get: func(r *instr.StatementEvent) Value { return Uint(r.Counters[c]) }, Doc: statementCounters[c].event,
		})
	}
	return columns
}

// statementEventColumns are the columns of events_statements_current and its histories.
var statementEventColumns = func() []Column[*instr.StatementEvent] {
	type event = *instr.StatementEvent
	return slices.Concat(headColumns(statementHead), timeColumns(statementHead), counterColumns(instr.LockTime, instr.LockTime), []Column[event]{
		{Name: "SQL_TEXT", Kind: longtext.nullable(), Get: func(r event) Value { return clientText(r.SQLText) }, Doc: "The statement's text; ends with ... if it was cut at performance_schema_max_sql_text_length bytes; NULL if there is none."},
		{Name: "DIGEST", Kind: varchar(64).nullable(), Get: func(r event) Value { return digestValue(r.Digest) }, Doc: "The hash of the normalised text; NULL if there is none."},
		{Name: "DIGEST_TEXT", Kind: longtext.nullable(), Get: func(r event) Value { return digestText(r.Digest) }, Doc: "The normalised text; NULL if there is none."},
		{Name: "CURRENT_SCHEMA", Kind: varchar(64).nullable(), Get: func(r event) Value { return textOrNull(cut(r.Schema, 64)) }, Doc: "The default database; NULL if there is none."},
		{Name: "OBJECT_TYPE", Kind: varchar(64).nullable(), Get: func(r event) Value { return textOrNull(cut(r.ObjectType, 64)) }, Doc: "The type of the stored program that the statement is part of; NULL if there is none."},
		{Name: "OBJECT_SCHEMA", Kind: varchar(64).nullable(), Get: func(r event) Value { return textOrNull(cut(r.ObjectSchema, 64)) }, Doc: "The stored program's database; NULL if there is none."},
		{Name: "OBJECT_NAME", Kind: varchar(64).nullable(), Get: func(r event) Value { return textOrNull(cut(r.ObjectName, 64)) }, Doc: "The stored program's name; NULL if there is none."},
		{Name: "OBJECT_INSTANCE_BEGIN", Kind: bigintUnsigned.nullable(), Get: null[event], Doc: "Always NULL."},
		{Name: "MYSQL_ERRNO", Kind: integer.nullable(), Get: func(r event) Value { return Int(int64(r.Errno)) }, Doc: "The number of the error that the statement ended with; 0 if there is none."},
		{Name: "RETURNED_SQLSTATE", Kind: varchar(5).nullable(), Get: func(r event) Value { return textOrNull(cut(r.SQLState, 5)) }, Doc: "The SQLSTATE that the statement ended with; NULL if it is not known."},
		{Name: "MESSAGE_TEXT", Kind: varchar(128).nullable(), Get: func(r event) Value { return clientText(cut(r.Message, 128)) }, Doc: "The message that the statement ended with; NULL if there is none."},
	}, counterColumns(instr.Errors, instr.NoGoodIndexUsed), nestingColumns(statementHead), []Column[event]{
		{Name: "NESTING_EVENT_LEVEL", Kind: integer.nullable(), Get: func(r event) Value { return Int(int64(r.Level)) }, Doc: "How many statements this one is part of."},
		{Name: "STATEMENT_ID", Kind: bigintUnsigned.nullable(), Get: func(r event) Value { return uintOrNull(r.StatementID) }, Doc: "The statement's number in the server."},
	}, counterColumns(instr.CPUTime, instr.MaxTotalMemory), []Column[event]{
		{Name: "EXECUTION_ENGINE", Kind: engines.nullable(), Get: func(r event) Value { return Text(engines.Values[min(1, r.Counters[instr.CountSecondary])]) }, Doc: "Which engine carried the statement out: PRIMARY or SECONDARY."},
	})
}()

// digestText is DIGEST_TEXT.
func digestText(d *instr.Digest) Value {
	if d == nil {
		return Null
	}
	return clientText(d.Text())
}

// transactionEventColumns are the columns of events_transactions_current and its histories.
var transactionEventColumns = func() []Column[*instr.TransactionEvent] {
	type event = *instr.TransactionEvent
	return slices.Concat(headColumns(transactionHead), []Column[event]{
		{Name: "STATE", Kind: transactionStates.nullable(), Get: func(r event) Value { return Text(transactionStates.Values[r.State]) }, Doc: "ACTIVE while the transaction runs, then COMMITTED or ROLLED BACK."},
		{Name: "TRX_ID", Kind: bigintUnsigned.nullable(), Get: null[event], Doc: "Always NULL."},
		{Name: "GTID", Kind: varchar(90).nullable(), Get: func(event) Value { return Text("AUTOMATIC") }, Doc: "Always AUTOMATIC: no transaction has a global identifier."},
		{Name: "XID_FORMAT_ID", Kind: integer.nullable(), Get: null[event], Doc: "Always NULL: there are no XA transactions."},
		{Name: "XID_GTRID", Kind: varchar(130).nullable(), Get: null[event], Doc: "Always NULL: there are no XA transactions."},
		{Name: "XID_BQUAL", Kind: varchar(130).nullable(), Get: null[event], Doc: "Always NULL: there are no XA transactions."},
		{Name: "XA_STATE", Kind: varchar(64).nullable(), Get: null[event], Doc: "Always NULL: there are no XA transactions."},
	}, timeColumns(transactionHead), []Column[event]{
		{Name: "ACCESS_MODE", Kind: accessModes.nullable(), Get: func(r event) Value {
			if r.ReadOnly {
				return Text("READ ONLY")
			}
			return Text("READ WRITE")
		}, Doc: "READ ONLY or READ WRITE."},
		{Name: "ISOLATION_LEVEL", Kind: varchar(64).nullable(), Get: func(r event) Value { return textOrNull(cut(r.Isolation, 64)) }, Doc: "The isolation level, such as REPEATABLE READ; NULL if it is not known."},
		{Name: "AUTOCOMMIT", Kind: yesNo, Get: func(r event) Value { return yes(r.Autocommit) }, Doc: "Whether the transaction is that of a single statement."},
		{Name: "NUMBER_OF_SAVEPOINTS", Kind: bigintUnsigned.nullable(), Get: func(r event) Value { return Uint(r.Savepoints) }, Doc: "How many times SAVEPOINT was done."},
		{Name: "NUMBER_OF_ROLLBACK_TO_SAVEPOINT", Kind: bigintUnsigned.nullable(), Get: func(r event) Value { return Uint(r.RollbacksToSavepoint) }, Doc: "How many times ROLLBACK TO SAVEPOINT was done."},
		{Name: "NUMBER_OF_RELEASE_SAVEPOINT", Kind: bigintUnsigned.nullable(), Get: func(r event) Value { return Uint(r.ReleasedSavepoint) }, Doc: "How many times RELEASE SAVEPOINT was done."},
		{Name: "OBJECT_INSTANCE_BEGIN", Kind: bigintUnsigned.nullable(), Get: null[event], Doc: "Always NULL."},
	}, nestingColumns(transactionHead))
}()

// byThread, byAccount, byUser and byHost add to the columns of a summary, at the beginning, those
// that say whose work it is.
func byThread[I, S any](columns []Column[*workRow[I, S]]) []Column[*workRow[I, S]] {
	return append([]Column[*workRow[I, S]]{{Name: "THREAD_ID", Kind: bigintUnsigned, Get: func(r *workRow[I, S]) Value { return Uint(r.who.ThreadID) }, Doc: "The thread."}}, columns...)
}

func byAccount[I, S any](columns []Column[*workRow[I, S]]) []Column[*workRow[I, S]] {
	return append([]Column[*workRow[I, S]]{actorUser((*workRow[I, S]).user)}, byHost(columns)...)
}

func byUser[I, S any](columns []Column[*workRow[I, S]]) []Column[*workRow[I, S]] {
	return append([]Column[*workRow[I, S]]{actorUser((*workRow[I, S]).user)}, columns...)
}

func byHost[I, S any](columns []Column[*workRow[I, S]]) []Column[*workRow[I, S]] {
	return append([]Column[*workRow[I, S]]{actorHost((*workRow[I, S]).host)}, columns...)
}

// workStatColumns is statColumns of work.
func workStatColumns[R any](count, timer, what string, stat func(R) *instr.WorkStat) []Column[R] {
	return timesColumns(count, timer, what, func(r R) (uint64, times) { s := stat(r); return s.Count, s })
}

// workName is the column EVENT_NAME of the summaries of work.
func workName[S any](doc string) Column[*workRow[taxon, S]] {
	return eventTaxon(doc, func(r *workRow[taxon, S]) string { return r.what.name })
}

// stageStatColumns are EVENT_NAME and the statistics of a summary of stages; doc is the
// documentation of EVENT_NAME.
func stageStatColumns(doc string) []Column[*stageRow] {
	return append([]Column[*stageRow]{workName[instr.WorkStat](doc)}, workStatColumns("STAR", "WAIT", "stages", func(r *stageRow) *instr.WorkStat { return &r.stat })...)
}

// statementColumns are the statistics of statements.
func statementColumns[R any](stat func(R) *instr.StatementStat) []Column[R] {
	times := workStatColumns("STAR", "WAIT", "statements", func(r R) *instr.WorkStat { return &stat(r).WorkStat })
	return append(times, statementCounterColumns(stat)...)
}

// statementCounterColumns are the sums of the counters of statements.
func statementCounterColumns[R any](stat func(R) *instr.StatementStat) []Column[R] {
	var columns []Column[R]
	for i, c := range statementCounters {
		columns = append(columns, Column[R]{Name: c.name, Kind: bigintUnsigned, Get: func(r R) Value { return Uint(stat(r).Counters[i]) }, Doc: c.sum})
	}
	return columns
}

// statementSummary is EVENT_NAME and the statistics of a summary of statements.
var statementSummary = append([]Column[*statementRow]{workName[instr.StatementStat](instrumentDoc)}, statementColumns(func(r *statementRow) *instr.StatementStat { return &r.stat })...)

// transactionSummary is EVENT_NAME and the statistics of a summary of transactions.
var transactionSummary = slices.Concat(
	[]Column[*transactionRow]{workName[transactionStat](instrumentDoc)},
	workStatColumns("STAR", "WAIT", "transactions", func(r *transactionRow) *instr.WorkStat { return &r.stat.all }),
	workStatColumns("READ_WRITE", "READ_WRITE", "transactions that may write", func(r *transactionRow) *instr.WorkStat { return &r.stat.ReadWrite }),
	workStatColumns("READ_ONLY", "READ_ONLY", "transactions that only read", func(r *transactionRow) *instr.WorkStat { return &r.stat.ReadOnly }),
)

// memorySummary is EVENT_NAME and the statistics of a summary of memory.
var memorySummary = func() []Column[*memoryRow] {
	stat := func(name, doc string, get func(instr.MemoryStat) uint64) Column[*memoryRow] {
		return Column[*memoryRow]{Name: name, Kind: bigintUnsigned, Get: func(r *memoryRow) Value { return Uint(get(r.stat)) }, Doc: doc}
	}
	used := func(name, doc string, get func(instr.MemoryStat) int64) Column[*memoryRow] {
		return Column[*memoryRow]{Name: name, Kind: bigint, Get: func(r *memoryRow) Value { return Int(get(r.stat)) }, Doc: doc}
	}
	return []Column[*memoryRow]{
		workName[instr.MemoryStat](instrumentDoc),
		stat("COUNT_ALLOC", "How many times memory was allocated.", func(s instr.MemoryStat) uint64 { return s.Allocs }),
		stat("COUNT_FREE", "How many times memory was freed.", func(s instr.MemoryStat) uint64 { return s.Frees }),
		stat("SUM_NUMBER_OF_BYTES_ALLOC", "How much was allocated, bytes.", func(s instr.MemoryStat) uint64 { return s.AllocBytes }),
		stat("SUM_NUMBER_OF_BYTES_FREE", "How much was freed, bytes.", func(s instr.MemoryStat) uint64 { return s.FreeBytes }),
		used("LOW_COUNT_USED", "How many pieces were in use at the least.", instr.MemoryStat.LowCount),
		used("CURRENT_COUNT_USED", "How many pieces are in use.", instr.MemoryStat.Count),
		used("HIGH_COUNT_USED", "How many pieces were in use at the most.", instr.MemoryStat.HighCount),
		used("LOW_NUMBER_OF_BYTES_USED", "The least that was in use, bytes.", instr.MemoryStat.LowBytes),
		used("CURRENT_NUMBER_OF_BYTES_USED", "What is in use, bytes.", instr.MemoryStat.Bytes),
		used("HIGH_NUMBER_OF_BYTES_USED", "The most that was in use, bytes.", instr.MemoryStat.HighBytes),
	}
}()

// errorSummary is the columns of a summary of errors.
var errorSummary = []Column[*errorRow]{
	{Name: "ERROR_NUMBER", Kind: integer.nullable(), Get: func(r *errorRow) Value { return r.what.number() }, Doc: "The error's number; NULL for all that have no row of their own."},
	{Name: "ERROR_NAME", Kind: varchar(64).nullable(), Get: func(r *errorRow) Value { return textOrNull(cut(r.what.Name, 64)) }, Doc: "The error's name; NULL for all that have no row of their own."},
	{Name: "SQL_STATE", Kind: varchar(5).nullable(), Get: func(r *errorRow) Value { return textOrNull(cut(r.what.SQLState, 5)) }, Doc: "The error's SQLSTATE; NULL for all that have no row of their own."},
	{Name: "SUM_ERROR_RAISED", Kind: bigintUnsigned, Get: func(r *errorRow) Value { return Uint(r.stat.Raised) }, Doc: "How often the error was raised and not handled."},
	{Name: "SUM_ERROR_HANDLED", Kind: bigintUnsigned, Get: func(r *errorRow) Value { return Uint(r.stat.Handled) }, Doc: "How often the error was raised and a handler has taken care of it."},
	{Name: "FIRST_SEEN", Kind: timestamp(0).nullable(), Get: func(r *errorRow) Value { return secondOrNull(r.stat.First) }, Doc: "When the error was first raised; NULL if never."},
	{Name: "LAST_SEEN", Kind: timestamp(0).nullable(), Get: func(r *errorRow) Value { return secondOrNull(r.stat.Last) }, Doc: "When the error was last raised; NULL if never."},
}

// secondOrNull is a moment without the fraction of a second, or NULL for the zero time.
func secondOrNull(t time.Time) Value {
	if t.IsZero() {
		return Null
	}
	return Time(t.Truncate(time.Second))
}
