package budget

import "pfsd/instr"

// maxChunk bounds what a connection reserves from the server in advance, bytes: an idle connection must not
// hold back memory that others need.
const maxChunk = 256 << 10

// Connection is the account of a connection: its own memory, such as user variables, and that of its
// statement. Owned by one goroutine. The zero Connection counts nothing and has no limit.
type Connection struct {
	server    *Server
	thread    *instr.Thread
	limit     int64 // bytes
	chunk     int64 // reserved from the server at a time, bytes
	used      int64 // bytes
	taken     int64 // reserved from the server, bytes; never less than used
	statement Statement
	holds     list // of the connection itself
}

// NewConnection returns the account of a connection. Its memory is counted for thread as well, which may be nil.
func (s *Server) NewConnection(thread *instr.Thread) *Connection {
	c := &Connection{server: s, thread: thread, limit: NoLimit}
	c.statement.connection = c
	return c
}

// SetLimit sets the limit, and how much is reserved from the server at a time, both in bytes.
func (c *Connection) SetLimit(limit, chunk int64) {
	c.limit, c.chunk = limit, max(0, min(chunk, maxChunk))
}

// Used returns how many bytes the connection and its statement use.
func (c *Connection) Used() int64 { return c.used }

// NewHold returns a hold for a buffer of the connection itself; class is its instrument, which may be nil.
func (c *Connection) NewHold(class *instr.MemoryClass) *Hold {
	h := &Hold{connection: c, class: class}
	c.holds.add(h)
	return h
}

// Close frees everything.
func (c *Connection) Close() {
	c.statement.End()
	c.holds.drop()
	if c.server != nil {
		c.server.give(c.taken)
	}
	c.taken = 0
}

// allows reports whether a charge of n bytes is within the limits of s, which may be nil, and of the connection.
func (c *Connection) allows(s *Statement, n int64) bool {
	if c.server == nil || s != nil && n > s.limit-s.used || n > c.limit-c.used {
		return false
	}
	need := c.used + n - c.taken
	return need <= 0 || c.server.used.Load()+need <= c.server.limit.Load()
}

// charge adds n bytes, or returns the error of the limit that they exceed.
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

// release subtracts n bytes. The connection keeps no more than a chunk reserved.
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
