package processlist

import (
	"cmp"
	"slices"
	"time"

	"pfsd/engine/infoschema"
	"pfsd/engine/sysvar"
	"pfsd/instr"
)

// OpenTransactions are the transactions of all connections and running events, the latest first.
func (l *List) OpenTransactions() (all []infoschema.Transaction) {
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
		if c.Work == nil {
			continue
		}
		row, open := c.Work.Transaction()
		if !open {
			continue
		}
		row.Connection, row.Query, row.User, row.Host = id, c.query, c.user, c.host
		row.UniqueChecks, row.ForeignKeys = true, true
		if v := c.Variables.Load(); v != nil {
			row.UniqueChecks, row.ForeignKeys = sysvar.IsOn(v.Get("unique_checks")), sysvar.IsOn(v.Get("foreign_key_checks"))
		}
		add(row, c.Thread, c.since)
	}
	for id, e := range l.events {
		if row, open := e.Work.Transaction(); open {
			row.Connection, row.Query, row.User, row.Host = id, e.Query, e.User, e.Host
			row.UniqueChecks, row.ForeignKeys = true, true
			add(row, e.Thread, e.Since)
		}
	}
	l.mu.Unlock()
	slices.SortFunc(all, func(a, b infoschema.Transaction) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.Connection, a.Connection))
	})
	return all
}
