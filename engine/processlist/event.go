package processlist

import (
	"context"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
	"pfsd/instr"
)

// Event is an event of the scheduler that is carried out: it is in the process list, as its definer's, and KILL ends it. What is not guarded by
// the list's lock does not change.
type Event struct {
	ID             uint32
	Work           Work
	Thread         *instr.Thread
	User, Host, DB string
	Account        accounts.ID
	Query          string
	Since          time.Time
	Cancel         context.CancelCauseFunc
}

// process is the event as the process list shows it.
func (e *Event) process() sql.Process {
	return sql.Process{Connection: e.ID, User: e.User, Host: e.Host, Database: e.DB, Command: EventCommand, Query: e.Query, StartedAt: e.Since}
}

// EventCommand is what an event carries out in the process list, as MySQL has it.
const EventCommand = "Connect"

// Run notes that an event is carried out, until done is called. It reports false if the server stops, or as many run as there may be: of an
// account half of most, and most of all accounts together. But an account of which none runs can have one whatever others run.
func (l *List) Run(e *Event, most int) (done func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := 0
	for _, other := range l.events {
		if other.User == e.User && other.Host == e.Host {
			own++
		}
	}
	if l.ending || own > 0 && (len(l.events) >= most || own >= most/2) {
		return nil, false
	}
	l.events[e.ID] = e
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.events, e.ID)
	}, true
}
