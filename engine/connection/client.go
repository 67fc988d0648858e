package connection

import (
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
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
	// rest are the statements that are left of a command with several, and goesOn tells that the statement that runs is one of them.
	rest    string
	goesOn  bool
	entered bool // among the clients of the account entry
	entry   accounts.ID
	// context makes the contexts of its statements, in contextSession.
	context        []sql.ContextOption
	caches         charge.Caches
	contextSession sql.Session
}

// isRest tells whether text is what was left of the command whose statement has run last: the very same memory. Another command may have
// the same text.
func (c *Client) isRest(text string) bool {
	return c.rest != "" && len(c.rest) == len(text) && unsafe.StringData(c.rest) == unsafe.StringData(text)
}
