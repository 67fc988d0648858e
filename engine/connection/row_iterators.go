package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
)

// edited are rows, each of which edit has changed.
func edited(rows sql.RowIter, edit func(sql.Row)) sql.RowIter { return &editedRows{rows, edit} }

// editedRows implements sql.RowIter. Owned by one goroutine.
type editedRows struct {
	sql.RowIter
	edit func(sql.Row)
}

// Next implements sql.RowIter.
func (e *editedRows) Next(ctx *sql.Context) (sql.Row, error) {
	r, err := e.RowIter.Next(ctx)
	if err == nil {
		e.edit(r)
	}
	return r, err
}

// text is a value that is a text.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// counting counts the rows that come through it. Owned by one goroutine.
type counting struct {
	sql.RowIter
	rows *uint64
}

// Next implements sql.RowIter.
func (c *counting) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := c.RowIter.Next(ctx)
	if err == nil {
		*c.rows++
	}
	return row, err
}

// Passes implements charge.Passer.
func (c *counting) Passes() sql.RowIter { return c.RowIter }
