package charge

import "github.com/dolthub/go-mysql-server/sql"

// Caches is where a connection's statements enter the rows that they keep to read again. go-mysql-server takes them out when a statement
// has read all of its rows, and not those of a join that fails. Used by one goroutine at a time.
type Caches struct{ entered *sql.MemoryManager }

// Next returns the entries for the next statement. What the last one has left in its own is collected with it.
func (c *Caches) Next() *sql.MemoryManager {
	if c.entered == nil || c.entered.NumCaches() > 0 {
		c.entered = sql.NewMemoryManager(sql.ProcessMemory)
	}
	return c.entered
}
