package diagnostics

import (
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/storage"
)

// bytes is about how many bytes a condition takes.
func (c *condition) bytes() int64 {
	n := int64(unsafe.Sizeof(*c)) + int64(len(c.message))
	for name, text := range c.items {
		n += int64(len(name)+len(text)) + 64
	}
	return n
}

// bytes is about how many bytes the conditions of an area take.
func (d *Area) bytes() (n int64) {
	for i := range d.conditions {
		n += d.conditions[i].bytes()
	}
	return n
}

// settle charges what the area and those of handlers that run have, and no more.
func (d *Area) settle() error {
	if d.Hold == nil {
		return nil
	}
	bytes := d.bytes()
	for i := range d.stacked {
		bytes += d.stacked[i].bytes()
	}
	if used := d.Hold.Used(); used > bytes {
		d.Hold.Discharge(used - bytes)
	}
	return d.Hold.ChargeTo(bytes)
}

// unkept is how many conditions the session has not kept for Collect.
func (d *Area) unkept(ctx *sql.Context) uint64 {
	s, ok := ctx.Session.(interface{ Unkept() storage.Unkept })
	if !ok {
		return 0
	}
	n := s.Unkept()
	if n.Notes > 0 && !notes(ctx) {
		return n.Others
	}
	return n.Notes + n.Others
}

// notes reports whether notes count as conditions.
func notes(ctx *sql.Context) bool {
	v, err := ctx.GetSessionVariable(ctx, "sql_notes")
	return err != nil || v != int8(0)
}
