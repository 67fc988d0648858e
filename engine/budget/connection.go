package budget

import "pfsd/instr"

// maxChunk bounds what a connection takes from the server in advance, bytes: one that nobody needs must
// not keep others from working.
const maxChunk = 256 << 10

// Connection is the account of a connection: what itself keeps, such as user variables, and what its
// statement does. Owned by one goroutine. The zero Connection counts nothing and has no limit.
type Connection struct {
	server    *Server
	thread    *instr.Thread
	limit     int64 // bytes
	chunk     int64 // taken from the server at a time, bytes
	used      int64 // bytes
	taken     int64 // from the server, bytes; never less than used
	statement Statement
	holds     list // of the connection itself
}

// NewConnection returns the account of a connection, whose memory counts for thread, too, which may be nil.
func (s *Server) NewConnection(thread *instr.Thread) *Connection {
	c := &Connection{server: s, thread: thread, limit: NoLimit}
	c.statement.connection = c
	return c
}

// SetLimit changes the limit, and how much is taken from the server at a time, both bytes.
func (c *Connection) SetLimit(limit, chunk int64) {
	c.limit, c.chunk = limit, max(0, min(chunk, maxChunk))
}

// Used is how many bytes the connection and its statement keep.
func (c *Connection) Used() int64 { return c.used }

// NewHold returns what a buffer of the connection itself keeps, that of an instrument, which may be nil.
func (c *Connection) NewHold(class *instr.MemoryClass) *Hold {
	h := &Hold{connection: c, class: class}
	c.holds.add(h)
	return h
}

// Close gives everything back.
func (c *Connection) Close() {
	c.statement.End()
	for c.holds.first != nil {
		c.holds.first.Drop()
	}
	if c.server != nil {
		c.server.give(c.taken)
	}
	c.taken = 0
}

// allows tells whether a charge of n bytes is within the limits of s, which may be nil, and of the connection.
func (c *Connection) allows(s *Statement, n int64) bool {
	if c.server == nil || s != nil && n > s.limit-s.used || n > c.limit-c.used {
		return false
	}
	need := c.used + n - c.taken
	return need <= 0 || c.server.used.Load()+need <= c.server.limit.Load()
}

// charge takes n bytes; the error is that a limit does not allow it.
func (c *Connection) charge(n int64) error {
	if c.server == nil {
		return nil
	}
	if n > c.limit-c.used {
		return c.server.refuse(ConnectionLimit, c.limit, c.used, n)
	}
	if need := c.used + n - c.taken; need > 0 {
		ahead := max(need, c.chunk)
		if !c.server.take(ahead) {
			if ahead = need; !c.server.take(ahead) {
				return c.server.refuse(ServerLimit, c.server.limit.Load(), c.server.used.Load(), n)
			}
		}
		c.taken += ahead
	}
	c.used += n
	return nil
}

// release gives n bytes back. No more than a chunk stays with the connection.
func (c *Connection) release(n int64) {
	if c.server == nil {
		return
	}
	c.used -= n
	if spare := c.taken - c.used - c.chunk; spare > 0 {
		c.server.give(spare)
		c.taken -= spare
	}
}
