package tables

import (
	"time"

	"pfsd/instr"
)

// The connections that pools of the program have open, such as those of its databases, and who has taken them. A recording has those of
// database/sql, and those of HTTP/1 to other hosts that net/http has used; of HTTP/2, one connection is of many requests at a time.
//
// MySQL: none.
var _ = register(Def[*instr.PoolConnection]{
	Name:     "pool_connections",
	Doc:      "The connections that pools of the program have open, such as those of its databases, and who has taken them.",
	Recorded: OfProgram,
	Columns: []Column[*instr.PoolConnection]{
		{Name: "POOL_NAME", Kind: varchar(128), Get: func(r *instr.PoolConnection) Value { return Text(r.Pool) }, Doc: "The pool, such as a database by the name that the program gave it."},
		{Name: "CONNECTION_ID", Kind: bigintUnsigned, Get: func(r *instr.PoolConnection) Value { return Uint(r.ID) }, Doc: "The number of the connection in its pool, from 1."},
		{Name: "OPENED", Kind: timestamp(6), Get: func(r *instr.PoolConnection) Value { return Time(r.Opened) }, Doc: "When it was opened."},
		{Name: "TAKEN", Kind: yesNo, Get: func(r *instr.PoolConnection) Value { return yes(r.Taken) }, Doc: "YES if somebody has it; the columns below are NULL if not."},
		{Name: "TAKEN_SINCE", Kind: timestamp(6).nullable(), Get: ofTaken(func(r *instr.PoolConnection) Value { return Time(r.Since) }), Doc: "Since when."},
		{Name: "THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *instr.PoolConnection) Value { return uintOrNull(r.ThreadID) }, Doc: "The thread that has taken it; NULL if that was a goroutine that is no thread. It may have ended."},
		{Name: "GOROUTINE_ID", Kind: bigintUnsigned.nullable(), Get: func(r *instr.PoolConnection) Value { return uintOrNull(r.GoroutineID) }, Doc: "The goroutine that has taken it, as in stack traces."},
		{Name: "SOURCE", Kind: varchar(64).nullable(), Get: ofTaken(func(r *instr.PoolConnection) Value { return textOrNull(r.Source) }), Doc: "The file and line that took it."},
		{Name: "TIMER_TAKEN", Kind: bigintUnsigned.nullable(), Get: ofTaken(func(r *instr.PoolConnection) Value {
			if r.Held != 0 {
				return Uint(r.Held)
			}
			return Uint(uint64(max(time.Since(r.Since), 0)) * 1000)
		}), Doc: "For how long it is taken, picoseconds; in a recording of a program that has ended, until its end."},
		{Name: "STATEMENT", Kind: longtext.nullable(), Get: ofTaken(func(r *instr.PoolConnection) Value { return textOrNull(r.Statement) }), Doc: "What it was last used for since it was taken, of a recording: the first 96 bytes of a query, or of the method and URL of a request; NULL if it was not used, or that is not known."},
		{Name: "BODY_OPEN", Kind: yesNo.nullable(), Get: ofTaken(func(r *instr.PoolConnection) Value { return yes(r.Body) }), Doc: "YES if the response to its request is there, and keeps it because the body is neither read to its end nor closed."},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*instr.PoolConnection] {
		return mapped(list(model.PoolConnections()), func(r *instr.PoolConnection, c instr.PoolConnection) bool {
			*r = c
			return true
		})
	},
})

// ofTaken returns get for a connection that is taken, else NULL.
func ofTaken(get func(*instr.PoolConnection) Value) func(*instr.PoolConnection) Value {
	return func(r *instr.PoolConnection) Value {
		if !r.Taken {
			return Null
		}
		return get(r)
	}
}
