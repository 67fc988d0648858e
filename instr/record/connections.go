package record

import "strings"

// Connection is an open connection of a pool of database/sql, or of net/http to a host.
type Connection struct {
	Kind   Kind   // Pool or HostPool
	Pool   uint64 // tells pools apart, as the Object of those who wait for it
	Name   string // of the pool
	Number uint64 // in the pool; 0 of one that Thread is opening
	Opened uint64 // as Event.Start

	// Who has taken it; 0 if nobody has, and then the others are, too. Taken tells apart how often it was.
	Thread uint64
	Taken  uint64
	Since  uint64 // as Event.Start
	Place  uint32 // the class of the code
	Text   string // what it was last used for since
	// Body is true of net/http if the response is there, and its body is neither read to its end nor closed.
	Body bool
}

// Connections returns the open connections of pools.
func (r *Recording) Connections() (list []Connection) {
	c := r.clock()
	r.stable(recAtConns, recConnSize, int(min(r.head().conns, recMaxConns)), true, func(_ int, b []byte) {
		row := decode[recConn](b)
		if row.conn == 0 || row.kind != recPool && row.kind != recHostPool {
			return
		}
		x := Connection{Kind: Kind(row.kind), Pool: row.pool, Name: plain(row.name[:min(row.nameLen, recConnName)]), Number: row.number, Opened: c.since(row.opened)}
		if row.goid != 0 && row.state != 0 {
			x.Thread, x.Taken, x.Since, x.Place, x.Text, x.Body = row.goid, row.taken, c.since(row.since), row.place, plain(row.text[:min(row.textLen, recConnText)]), row.state == recConnBody
		}
		list = append(list, x)
	})
	return list
}

// plain is a text of a row, which may have been cut, or be anything.
func plain(b []byte) string {
	return strings.ToValidUTF8(strings.ReplaceAll(string(b), "\x00", ""), "")
}
