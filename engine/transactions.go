package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"pfsd/engine/infoschema"
	"pfsd/instr"
)

// openTransactions are the transactions of all connections and running events, the latest first.
func (l *clientList) openTransactions() (all []infoschema.Transaction) {
	add := func(row infoschema.Transaction, thread *instr.Thread, since time.Time) {
		if row.Started.IsZero() {
			row.Started = since
		}
		if info, ok := thread.Snapshot(); ok {
			row.State = info.State
		}
		all = append(all, row)
	}
	l.mu.Lock()
	for id, c := range l.clients {
		if c.work == nil {
			continue
		}
		row, open := c.work.trx.Row()
		if !open {
			continue
		}
		row.Connection, row.Query, row.User, row.Host = id, c.query, c.user, c.host
		row.UniqueChecks, row.ForeignKeys = true, true
		if v := c.variables.Load(); v != nil {
			row.UniqueChecks, row.ForeignKeys = isOn(v.Get("unique_checks")), isOn(v.Get("foreign_key_checks"))
		}
		add(row, c.thread, c.since)
	}
	for id, e := range l.events {
		if row, open := e.work.trx.Row(); open {
			row.Connection, row.Query, row.User, row.Host = id, e.query, e.user, e.host
			row.UniqueChecks, row.ForeignKeys = true, true
			add(row, e.work.thread, e.since)
		}
	}
	l.mu.Unlock()
	slices.SortFunc(all, func(a, b infoschema.Transaction) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.Connection, a.Connection))
	})
	return all
}

// isOn tells whether a variable of two values is on.
func isOn(v any) bool {
	switch v := v.(type) {
	case int8:
		return v != 0
	case bool:
		return v
	case string:
		return strings.EqualFold(v, "ON") || v == "1"
	}
	return true
}
