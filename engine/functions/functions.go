package functions

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"pfsd/instr"
	"pfsd/instr/digest"
)

// Session is what functions ask of the session of a statement. The ProcessList of its context implements it.
type Session interface {
	// Thread is the connection's, and Registry what it belongs to.
	Thread() *instr.Thread
	Registry() *instr.Registry
	// Sleep does what waits, in the stage of SLEEP.
	Sleep(do func() (any, error)) (any, error)
}

// sessionOf is the session of ctx, nil if it is nobody's.
func sessionOf(ctx *sql.Context) Session {
	s, _ := ctx.ProcessList.(Session)
	return s
}

// All are the functions, by name.
var All = map[string]sql.Function{
	"statement_digest":      digestFunction("statement_digest", types.MustCreateString(sqltypes.VarChar, 2*digest.Size, collation), digestHex),
	"statement_digest_text": digestFunction("statement_digest_text", types.LongText, digestText),
	"ps_current_thread_id":  sql.Function0{Name: "ps_current_thread_id", Fn: func(*sql.Context) sql.Expression { return currentThread{} }},
	"ps_thread_id":          native("ps_thread_id", types.Uint64, types.Uint64, ThreadOf),
	"format_bytes":          native("format_bytes", formatted, types.Float64, func(_ *sql.Context, n any) any { return FormatBytes(n.(float64)) }),
	"format_pico_time":      native("format_pico_time", formatted, types.Float64, func(_ *sql.Context, n any) any { return FormatPicoTime(n.(float64)) }),
	"sleep":                 sql.Function1{Name: "sleep", Fn: newSleep},
	"user":                  sessionFunction("user", Client),
	"session_user":          sessionFunction("session_user", Client),
	"system_user":           sessionFunction("system_user", Client),
	"current_user":          sessionFunction("current_user", Account),
	"current_role":          sessionFunction("current_role", roleNames),
}

// collation is that of the texts that functions make.
const collation = sql.Collation_utf8mb4_0900_ai_ci
