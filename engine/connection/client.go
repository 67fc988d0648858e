package connection

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/charge"
	"pfsd/engine/processlist"
	"pfsd/engine/wire"
	"pfsd/instr"
)

// Client is one connection. Owned by the connection's goroutine.
type Client struct {
	Listed  processlist.Client // as others see it
	Wire    *wire.Conn
	thread  *instr.Thread
	work    *Work
	Session sql.Session
	counted bool // among the connections whose clients have signed in
	// context makes the contexts of its statements, in contextSession.
	context        []sql.ContextOption
	caches         charge.Caches
	contextSession sql.Session
}
