package engine

import (
	"context"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
)

// runningEvent is an event that is carried out: it is in the process list, as its definer's, and KILL ends it. What is not guarded by
// the list's lock does not change.
type runningEvent struct {
	id             uint32
	work           *work
	user, host, db string
	account        accounts.ID
	query          string
	since          time.Time
	cancel         context.CancelCauseFunc
}

// process is the event as the process list shows it.
func (e *runningEvent) process() sql.Process {
	return sql.Process{Connection: e.id, User: e.user, Host: e.host, Database: e.db, Command: eventCommand, Query: e.query, StartedAt: e.since}
}

// eventCommand is what an event carries out in the process list, as MySQL has it.
const eventCommand = "Connect"

// runs notes that an event is carried out, until done is called. It reports false if the server stops, or as many run as there may be.
func (l *clientList) runs(e *runningEvent, most int) (done func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending || len(l.events) >= most {
		return nil, false
	}
	l.events[e.id] = e
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.events, e.id)
	}, true
}
