package engine

import (
	"iter"
	"maps"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/infoschema"
	"pfsd/engine/processlist"
	"pfsd/engine/wire"
	"pfsd/instr"
)

// client is one connection. Owned by the connection's goroutine.
type client struct {
	listed  processlist.Client // as others see it
	wire    *wire.Conn
	thread  *instr.Thread
	work    *work
	session sql.Session
	counted bool // among the connections whose clients have signed in
	// prepared are the texts whose syntax trees the session keeps for COM_STMT_EXECUTE.
	prepared map[string]struct{}
}

var _ processlist.Work = (*work)(nil)

// OnlyUser implements processlist.Work.
func (w *work) OnlyUser() (user string, only bool) { return w.rights.OnlyUser() }

// Transaction implements processlist.Work.
func (w *work) Transaction() (row infoschema.Transaction, open bool) { return w.trx.Row() }

// keepPrepared lets the session forget the texts whose statements are closed: text is new, live are the
// connection's statements.
func (c *client) keepPrepared(text string, live *preparedStatements) {
	if c.prepared == nil {
		c.prepared = map[string]struct{}{}
	}
	c.prepared[preparedKey(text)] = struct{}{}
	if len(c.prepared) <= 2*(len(live.byID)+len(live.byName))+16 {
		return
	}
	open := map[string]struct{}{}
	for _, p := range live.byID {
		open[preparedKey(p.text)] = struct{}{}
	}
	for _, p := range live.byName {
		open[preparedKey(p.text)] = struct{}{}
	}
	for t := range c.prepared {
		if _, ok := open[t]; !ok {
			c.session.UnprepareQuery(t)
			delete(c.prepared, t)
		}
	}
}

// forgetPrepared lets the session forget a text that has not been prepared after all; live are the connection's statements.
func (c *client) forgetPrepared(text string, live *preparedStatements) {
	key := preparedKey(text)
	for _, all := range []iter.Seq[preparedStatement]{maps.Values(live.byID), maps.Values(live.byName)} {
		for p := range all {
			if preparedKey(p.text) == key {
				return
			}
		}
	}
	c.session.UnprepareQuery(key)
}

// preparedKey is what the session knows a prepared text by.
func preparedKey(text string) string { return sql.RemoveSpaceAndDelimiter(text, ';') }
