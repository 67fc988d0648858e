package connection

import (
	"iter"
	"maps"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/infoschema"
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
	// prepared are the texts whose syntax trees the session keeps for COM_STMT_EXECUTE.
	prepared map[string]struct{}
}

var _ processlist.Work = (*Work)(nil)

// OnlyUser implements processlist.Work.
func (w *Work) OnlyUser() (user string, only bool) { return w.Rights.OnlyUser() }

// Transaction implements processlist.Work.
func (w *Work) Transaction() (row infoschema.Transaction, open bool) { return w.trx.Row() }

// keepPrepared lets the session forget the texts whose statements are closed: text is new, live are the
// connection's statements.
func (c *Client) keepPrepared(text string, live *preparedStatements) {
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
			c.Session.UnprepareQuery(t)
			delete(c.prepared, t)
		}
	}
}

// forgetPrepared lets the session forget a text that has not been prepared after all; live are the connection's statements.
func (c *Client) forgetPrepared(text string, live *preparedStatements) {
	key := preparedKey(text)
	for _, all := range []iter.Seq[preparedStatement]{maps.Values(live.byID), maps.Values(live.byName)} {
		for p := range all {
			if preparedKey(p.text) == key {
				return
			}
		}
	}
	c.Session.UnprepareQuery(key)
}

// preparedKey is what the session knows a prepared text by.
func preparedKey(text string) string { return sql.RemoveSpaceAndDelimiter(text, ';') }
