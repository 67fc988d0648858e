package functions

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"pfsd/instr"
	"pfsd/instr/digest"
)

// Session is the session of a statement, as functions need it. The ProcessList of the context implements it.
type Session interface {
	// Thread returns the thread of the connection, Registry its registry.
	Thread() *instr.Thread
	Registry() *instr.Registry
	// Sleep runs do in the stage of SLEEP, with a context that ends with ctx, or when the SLEEP alone is interrupted. Then it reports true.
	Sleep(ctx *sql.Context, do func(*sql.Context) (any, error)) (value any, interrupted bool, err error)
}

// sessionOf returns the session of ctx, nil if the context has none.
func sessionOf(ctx *sql.Context) Session {
	s, _ := ctx.ProcessList.(Session)
	return s
}

// All are the functions, by name.
var All = map[string]sql.Function{
	"statement_digest":      digestFunction("statement_digest", types.MustCreateString(sqltypes.VarChar, 2*digest.Size, collation), digestHex),
	"statement_digest_text": digestFunction("statement_digest_text", types.LongText, digestText),
	"ps_current_thread_id":  sql.Function0{Name: "ps_current_thread_id", Fn: func(*sql.Context) sql.Expression { return currentThreadID{} }},
	"ps_thread_id":          native("ps_thread_id", types.Uint64, types.Uint64, ThreadOf),
	"format_bytes":          native("format_bytes", formattedType, types.Float64, func(_ *sql.Context, n any) any { return FormatBytes(n.(float64)) }),
	"format_pico_time":      native("format_pico_time", formattedType, types.Float64, func(_ *sql.Context, n any) any { return FormatPicoTime(n.(float64)) }),
	"sleep":                 sql.Function1{Name: "sleep", Fn: newSleep},
	"user":                  sessionFunction("user", Client),
	"session_user":          sessionFunction("session_user", Client),
	"system_user":           sessionFunction("system_user", Client),
	CurrentUser:             sessionFunction(CurrentUser, Account),
	"current_role":          sessionFunction("current_role", roleNames),
}

// collation is the collation of texts that functions return.
const collation = sql.Collation_utf8mb4_0900_ai_ci
