package recorded

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
)

// PoolConnections returns the open connections of pools, by the names of these.
func (m *Model) PoolConnections() []instr.PoolConnection {
	conns := slices.DeleteFunc(m.rec.Connections(), func(c record.Connection) bool { return c.Number == 0 })
	slices.SortStableFunc(conns, func(a, b record.Connection) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Number, b.Number))
	})
	at := func(moment uint64) time.Time { return m.rec.Info().Started.Add(time.Duration(min(moment, 1<<62))) }
	list := make([]instr.PoolConnection, len(conns))
	for i, c := range conns {
		x := instr.PoolConnection{Pool: c.Name, ID: c.Number, Opened: at(c.Opened)}
		if c.Thread != 0 {
			x.Taken, x.ThreadID, x.GoroutineID, x.Since, x.Source = true, c.Thread, c.Thread, at(c.Since), m.source(c.Place)
			x.Held, x.Statement, x.Body = max(m.since(c.Since), 1), c.Text, c.Body
		}
		list[i] = x
	}
	return list
}

// forConnections adds the waits for a connection of a pool for each goroutine that has one. None is certainly in the way: any one who gives one
// back ends the wait, and another goroutine can do that for the one that has taken it.
func (l *lockWaits) forConnections(all []tables.LockWait, w tables.LockWait) []tables.LockWait {
	conns := l.conns[w.Object]
	w.Any = true
	w.Waiter.Mode = tables.LockModeConnection
	for i, c := range conns {
		if i == mostBlockers {
			break
		}
		w.On = &instr.MetadataObject{Type: "POOL", Name: c.Name}
		w.Doubt = "another goroutine may give it back"
		mode := tables.LockModeConnection
		switch {
		case c.Body:
			mode = tables.LockModeBody
			w.Doubt = "the body of its response is neither read to its end nor closed; another goroutine may do that"
		case c.Number == 0:
			w.Doubt = "it opens the connection, which another goroutine may get"
		}
		if len(conns) > 1 {
			w.Doubt += fmt.Sprintf("; any of %d connections would do", len(conns))
		}
		w.Blocker = tables.LockParty{
			Thread: c.Thread, Goroutine: c.Thread, Number: c.Taken, Mode: mode, Source: l.model.source(c.Place), Since: l.model.since(c.Since), Timed: true, Statement: c.Text,
		}
		all = append(all, w)
	}
	if len(conns) == 0 {
		all = append(all, w)
	}
	return all
}
