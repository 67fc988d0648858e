package tables

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"pfsd/instr"
)

// cut returns the first n characters of s.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// textOrNull is s, or NULL if it is empty.
func textOrNull(s string) Value {
	if s == "" {
		return Null
	}
	return Text(s)
}

// clientText is a text that came from a client, whose bytes may be anything, as a value of a column of characters: each byte that
// belongs to no character is a question mark. It is NULL if it is empty.
func clientText(s string) Value {
	if utf8.ValidString(s) {
		return textOrNull(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			r = '?'
		}
		b.WriteRune(r)
	}
	return Text(b.String())
}

// uintOrNull is n, or NULL if it is 0.
func uintOrNull(n uint64) Value {
	if n == 0 {
		return Null
	}
	return Uint(n)
}

// null is the getter of a column that is always NULL.
func null[R any](R) Value { return Null }

// isYes reports whether a YES/NO column is set to YES.
func isYes(v Value) bool { return v.s == "YES" }

// eventName is the column EVENT_NAME, or NAME, of rows that belong to an instrument.
func eventName[R any](column string, class func(R) *instr.Class) Column[R] {
	return Column[R]{Name: column, Kind: varchar(128), Get: func(r R) Value { return Text(class(r).Name()) }, Doc: "The instrument's name."}
}

// actorUser is the column USER of accounts and of what belongs to them.
func actorUser[R any](user func(R) string) Column[R] {
	return Column[R]{Name: "USER", Kind: char(32).binary().nullable(), Get: func(r R) Value { return userName(user(r)) }, Doc: "The user; NULL in the background and before login."}
}

// actorHost is the column HOST of accounts and of what belongs to them.
func actorHost[R any](host func(R) string) Column[R] {
	return Column[R]{Name: "HOST", Kind: char(255).asciiText().nullable(), Get: func(r R) Value { return hostName(host(r)) }, Doc: "The client's host; NULL in the background and before login."}
}

// How many characters the names of an account have in the tables.
const (
	userNameLen = 32
	hostNameLen = 255
)

// userName and hostName are the names of an account as the tables show them.
func userName(s string) Value { return textOrNull(cut(s, userNameLen)) }
func hostName(s string) Value { return textOrNull(cut(s, hostNameLen)) }

// connectionColumns are the columns of accounts, users and hosts about their connections.
var connectionColumns = []Column[*instr.Actor]{
	{Name: "CURRENT_CONNECTIONS", Kind: bigint, Get: func(r *instr.Actor) Value { return Int(r.Current) }, Doc: "How many threads there are now."},
	{Name: "TOTAL_CONNECTIONS", Kind: bigint, Get: func(r *instr.Actor) Value { return Int(r.Total) }, Doc: "How many threads there have been, those there are now included."},
	{Name: "MAX_SESSION_CONTROLLED_MEMORY", Kind: bigintUnsigned, Get: func(r *instr.Actor) Value { return Uint(r.MaxControlledMemory) }, Doc: "The most memory that is limited that one thread has had in use, bytes."},
	{Name: "MAX_SESSION_TOTAL_MEMORY", Kind: bigintUnsigned, Get: func(r *instr.Actor) Value { return Uint(r.MaxTotalMemory) }, Doc: "The most memory that one thread has had in use, bytes."},
}

// threadID, statUser, statHost and statName are the columns of the summaries that say whose waits a
// row is about, and of which instrument.
var (
	threadID = Column[*statRow]{Name: "THREAD_ID", Kind: bigintUnsigned, Get: func(r *statRow) Value { return Uint(r.waiter.thread) }, Doc: "The thread that waited."}
	statUser = actorUser(func(r *statRow) string { return r.waiter.user })
	statHost = actorHost(func(r *statRow) string { return r.waiter.host })
	statName = taxonName(instrumentDoc)
)

// className, orderName, familyName and genusName are EVENT_NAME where a row is about several
// instruments.
var (
	className  = taxonName(classNameDoc)
	orderName  = taxonName(orderNameDoc)
	familyName = taxonName("The first three parts of the instruments' names, or a name that has no more.")
	genusName  = taxonName("The first four parts of the instruments' names, or a name that has no more.")
)

const (
	instrumentDoc = "The instrument's name."
	classNameDoc  = "The first part of the instruments' names."
	orderNameDoc  = "The first two parts of the instruments' names, or a name that has no more."
)

// taxonName is the column EVENT_NAME of a summary.
func taxonName(doc string) Column[*statRow] {
	return eventTaxon(doc, func(r *statRow) string { return r.name })
}

// eventTaxon is EVENT_NAME of a row that is about an instrument or several.
func eventTaxon[R any](doc string, name func(R) string) Column[R] {
	return Column[R]{Name: "EVENT_NAME", Kind: varchar(128), Get: func(r R) Value { return Text(name(r)) }, Doc: doc}
}

// waitStatColumns are the statistics of a summary of waits.
var waitStatColumns = statColumns("STAR", "WAIT", "waits", (*statRow).stat)

// holdStatColumns are how often and how long locks were held.
var holdStatColumns = statColumns("STAR", "HELD", "holds", (*statRow).stat)

// histogramColumns are the columns of a bucket of a histogram. what says which events it counts,
// bounds which times belong to a bucket.
func histogramColumns(what string, bounds func(bucket int) (low, high uint64)) []Column[*histogramRow] {
	return []Column[*histogramRow]{
		{Name: "BUCKET_NUMBER", Kind: intUnsigned, Get: func(r *histogramRow) Value { return Uint(uint64(r.bucket)) }, Doc: "The bucket's number, from 0."},
		{Name: "BUCKET_TIMER_LOW", Kind: bigintUnsigned, Get: func(r *histogramRow) Value {
			low, _ := bounds(r.bucket)
			return Uint(low)
		}, Doc: "The shortest time in the bucket, picoseconds."},
		{Name: "BUCKET_TIMER_HIGH", Kind: bigintUnsigned, Get: func(r *histogramRow) Value {
			_, high := bounds(r.bucket)
			return Uint(high)
		}, Doc: "The shortest time that is too long for the bucket, picoseconds."},
		{Name: "COUNT_BUCKET", Kind: bigintUnsigned, Get: func(r *histogramRow) Value { return Uint(r.count) }, Doc: "How many timed " + what + " are in the bucket."},
		{Name: "COUNT_BUCKET_AND_LOWER", Kind: bigintUnsigned, Get: func(r *histogramRow) Value { return Uint(r.lower) }, Doc: "How many timed " + what + " are in the bucket and those before it."},
		{Name: "BUCKET_QUANTILE", Kind: quantile, Get: (*histogramRow).quantile, Doc: "How many timed " + what + " are in the bucket and those before it, as a fraction of all: 0 to 1, and 0 if there are none."},
	}
}

// waitHistogramColumns, holdHistogramColumns and statementHistogramColumns are histogramColumns for the three
// kinds of histograms.
var (
	waitHistogramColumns      = histogramColumns("waits", instr.HistogramBounds)
	holdHistogramColumns      = histogramColumns("holds", instr.HistogramBounds)
	statementHistogramColumns = histogramColumns("statements", instr.StatementHistogramBounds)
)

// digestSchema and digestHash are the columns SCHEMA_NAME and DIGEST.
func digestSchema[R any](schema func(R) Value) Column[R] {
	return Column[R]{Name: "SCHEMA_NAME", Kind: varchar(64).nullable(), Get: schema, Doc: "The default database of the statements; NULL if there was none, and in the row of what has no row of its own."}
}

func digestHash[R any](hash func(R) Value) Column[R] {
	return Column[R]{Name: "DIGEST", Kind: varchar(64).nullable(), Get: hash, Doc: "The SHA-256 of the normalised statement, hexadecimal; NULL in the row of what has no row of its own."}
}

// digestValue is DIGEST.
func digestValue(d *instr.Digest) Value {
	if d == nil {
		return Null
	}
	return textOrNull(d.Hex())
}

// quantile is rounded to as many digits as its column has; as in MySQL, halves are rounded to even.
func (r *histogramRow) quantile() Value {
	if r.total == 0 {
		return Double(0)
	}
	return Double(math.RoundToEven(float64(r.lower)/float64(r.total)*1e6) / 1e6)
}

// objectInstance is the column OBJECT_INSTANCE_BEGIN.
func objectInstance[R any](id func(R) uint64) Column[R] {
	return Column[R]{Name: "OBJECT_INSTANCE_BEGIN", Kind: bigintUnsigned, Get: func(r R) Value { return Uint(id(r)) }, Doc: "The object's number: unique, looks like an address, never used again."}
}

// times are statistics of times, in picoseconds.
type times interface {
	SumPicoseconds() uint64
	MinPicoseconds() uint64
	AvgPicoseconds() uint64
	MaxPicoseconds() uint64
}

// statColumns are COUNT_STAR and SUM_, MIN_, AVG_ and MAX_TIMER_WAIT, or those of READ,
// WRITE and MISC; what says which events they count.
func statColumns[R any](count, timer, what string, stat func(R) *instr.Stat) []Column[R] {
	return timesColumns(count, timer, what, func(r R) (uint64, times) { s := stat(r); return s.Count, s })
}

// timesColumns is statColumns of statistics of any type.
func timesColumns[R any](count, timer, what string, stat func(R) (uint64, times)) []Column[R] {
	number := func(r R) Value { n, _ := stat(r); return Uint(n) }
	of := func(time func(times) uint64) func(R) Value {
		return func(r R) Value { _, t := stat(r); return Uint(time(t)) }
	}
	return []Column[R]{
		{Name: "COUNT_" + count, Kind: bigintUnsigned, Get: number, Doc: "How many " + what + ", timed or not."},
		{Name: "SUM_TIMER_" + timer, Kind: bigintUnsigned, Get: of(times.SumPicoseconds), Doc: "Total time of the timed " + what + ", picoseconds; stays at 2^64-1 rather than wrap."},
		{Name: "MIN_TIMER_" + timer, Kind: bigintUnsigned, Get: of(times.MinPicoseconds), Doc: "Shortest time of the timed " + what + ", picoseconds; 0 if there are none."},
		{Name: "AVG_TIMER_" + timer, Kind: bigintUnsigned, Get: of(times.AvgPicoseconds), Doc: "Average time of the timed " + what + ", picoseconds; 0 if there are none."},
		{Name: "MAX_TIMER_" + timer, Kind: bigintUnsigned, Get: of(times.MaxPicoseconds), Doc: "Longest time of the timed " + what + ", picoseconds; 0 if there are none."},
	}
}

// ioColumns are the statistics of files, whose bytes are signed numbers, and of sockets.
func ioColumns(bytes Kind) []Column[*ioRow] {
	columns := statColumns("STAR", "WAIT", "operations", func(r *ioRow) *instr.Stat { return &r.all })
	columns = append(columns, statColumns("READ", "READ", "reads", func(r *ioRow) *instr.Stat { return &r.Read })...)
	columns = append(columns, Column[*ioRow]{Name: "SUM_NUMBER_OF_BYTES_READ", Kind: bytes, Get: func(r *ioRow) Value { return Uint(r.ReadBytes) }, Doc: "Total of what was read, bytes."})
	columns = append(columns, statColumns("WRITE", "WRITE", "writes", func(r *ioRow) *instr.Stat { return &r.Write })...)
	columns = append(columns, Column[*ioRow]{Name: "SUM_NUMBER_OF_BYTES_WRITE", Kind: bytes, Get: func(r *ioRow) Value { return Uint(r.WriteBytes) }, Doc: "Total of what was written, bytes."})
	return append(columns, statColumns("MISC", "MISC", "operations that neither read nor write", func(r *ioRow) *instr.Stat { return &r.Misc })...)
}

// tableColumns are the columns that say which table a row is about.
var tableColumns = []Column[*tableRow]{
	{Name: "OBJECT_TYPE", Kind: varchar(64).nullable(), Get: func(r *tableRow) Value { return Text(r.table.Type()) }, Doc: "TABLE or TEMPORARY TABLE."},
	{Name: "OBJECT_SCHEMA", Kind: varchar(64).nullable(), Get: func(r *tableRow) Value { return tableSchema(r.table) }, Doc: "The schema that the table is in."},
	{Name: "OBJECT_NAME", Kind: varchar(64).nullable(), Get: func(r *tableRow) Value { return tableName(r.table) }, Doc: "The table's name."},
}

// tableSchema and tableName are a table's names as the tables show them.
func tableSchema(t *instr.Table) Value { return Text(cut(t.Schema(), objectNameLen)) }
func tableName(t *instr.Table) Value   { return Text(cut(t.Name(), objectNameLen)) }

// tableIOColumns are the statistics of operations on rows. An operation on n rows counts n times,
// each time with an equal part of its time.
var tableIOColumns = slices.Concat(
	statColumns("STAR", "WAIT", "rows read or written", func(r *tableRow) *instr.Stat { return &r.all }),
	statColumns("READ", "READ", "rows read", func(r *tableRow) *instr.Stat { return &r.Fetch }),
	statColumns("WRITE", "WRITE", "rows written", func(r *tableRow) *instr.Stat { return &r.write }),
	statColumns("FETCH", "FETCH", "rows read", func(r *tableRow) *instr.Stat { return &r.Fetch }),
	statColumns("INSERT", "INSERT", "rows inserted", func(r *tableRow) *instr.Stat { return &r.Insert }),
	statColumns("UPDATE", "UPDATE", "rows updated", func(r *tableRow) *instr.Stat { return &r.Update }),
	statColumns("DELETE", "DELETE", "rows deleted", func(r *tableRow) *instr.Stat { return &r.Delete }),
)

// tableLockColumns are the statistics of the kinds of locks.
func tableLockColumns() []Column[*tableRow] {
	columns := slices.Concat(
		statColumns("STAR", "WAIT", "locks", func(r *tableRow) *instr.Stat { return &r.all }),
		statColumns("READ", "READ", "locks for reading", func(r *tableRow) *instr.Stat { return &r.Fetch }),
		statColumns("WRITE", "WRITE", "locks for writing", func(r *tableRow) *instr.Stat { return &r.write }))
	for kind, name := range [instr.TableLockCount]string{
		instr.LockReadNormal: "READ_NORMAL", instr.LockReadWithSharedLocks: "READ_WITH_SHARED_LOCKS",
		instr.LockReadHighPriority: "READ_HIGH_PRIORITY", instr.LockReadNoInsert: "READ_NO_INSERT", instr.LockReadExternal: "READ_EXTERNAL",
		instr.LockWriteAllowWrite: "WRITE_ALLOW_WRITE", instr.LockWriteConcurrentInsert: "WRITE_CONCURRENT_INSERT",
		instr.LockWriteLowPriority: "WRITE_LOW_PRIORITY", instr.LockWriteNormal: "WRITE_NORMAL", instr.LockWriteExternal: "WRITE_EXTERNAL",
	} {
		what := "locks of the kind " + instr.TableLock(kind).String()
		columns = append(columns, statColumns(name, name, what, func(r *tableRow) *instr.Stat { return &r.locks[kind] })...)
	}
	return columns
}

// waitColumns are the columns of events_waits_current and its histories.
var waitColumns = slices.Concat(headColumns(waitRow.head), []Column[waitRow]{
	eventSource(waitRow.source),
}, timerColumns(waitRow.head), []Column[waitRow]{
	{Name: "SPINS", Kind: intUnsigned.nullable(), Get: waitRow.spins, Doc: "How often a wait for a mutex looked at the mutex again before it slept or had it; NULL for other waits, for those that still run, and for all that the program has not recorded by its runtime (pfsd build)."},
	{Name: "OBJECT_SCHEMA", Kind: varchar(64).nullable(), Get: waitRow.objectSchema, Doc: "The schema of the table that was waited for, or of what a metadata lock is on; NULL for anything else, and when the table is no more."},
	{Name: "OBJECT_NAME", Kind: varchar(512).nullable(), Get: waitRow.objectName, Doc: "The file's name, the socket's address and port, the table's name, or that of what a metadata lock is on; NULL for anything else, and when the object is no more."},
	{Name: "INDEX_NAME", Kind: varchar(64).nullable(), Get: waitRow.indexName, Doc: "The index that found the rows; NULL if none did, for anything but rows of a table, and when the table is no more."},
	{Name: "OBJECT_TYPE", Kind: varchar(64).nullable(), Get: waitRow.objectType, Doc: "FILE, SOCKET, TABLE or TEMPORARY TABLE, or what a metadata lock is on, such as SCHEMA; NULL for anything else."},
	objectInstance(func(r waitRow) uint64 { return r.Object }),
}, nestingColumns(waitRow.head), []Column[waitRow]{
	{Name: "OPERATION", Kind: varchar(32), Get: func(r waitRow) Value { return Text(r.Op.String()) }, Doc: "What was done: lock, read, send, fetch and so on."},
	{Name: "NUMBER_OF_BYTES", Kind: bigint.nullable(), Get: func(r waitRow) Value {
		if !r.HasBytes() {
			return Null
		}
		return Uint(r.Bytes)
	}, Doc: "How much was read or written, bytes, and of a table how many rows; 0 while the event runs; NULL for operations that do neither."},
	{Name: "FLAGS", Kind: intUnsigned.nullable(), Get: null[waitRow], Doc: "Always NULL."},
})
