package engine

import (
	"strings"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// creations are the times when users' tables and views were made, which the storage does not keep. The zero value has none. Safe for
// concurrent use.
type creations struct{ times sync.Map }

func creationKey(db, name string) string { return strings.ToLower(db) + "." + strings.ToLower(name) }

// note says that a table or a view is made now.
func (c *creations) note(ctx *sql.Context, db, name string) {
	c.times.Store(creationKey(db, name), ctx.QueryTime())
}

// rename says that a table has another name.
func (c *creations) rename(db, from, to string) {
	if t, ok := c.times.LoadAndDelete(creationKey(db, from)); ok {
		c.times.Store(creationKey(db, to), t)
	}
}

// at is when a table or a view was made, otherwise if nobody has noted that.
func (c *creations) at(db, name string, otherwise time.Time) time.Time {
	if t, ok := c.times.Load(creationKey(db, name)); ok {
		return t.(time.Time)
	}
	return otherwise
}
