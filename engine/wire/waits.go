package wire

import (
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/mysqlerr"
)

// The variables of a session limit how long its connection may wait for the client. The connection
// sets no deadlines for that: it only stores, in one word, what it waits for. Another goroutine
// calls Expire now and then, which sets a deadline when the time is over.

// A waiting is what a connection waits for.
type waiting uint32

const (
	waitsNot     waiting = iota
	waitsCommand         // for the next command; wait_timeout
	waitsRest            // for the rest of a command; net_read_timeout
	waitsWrite           // for the client to read; net_write_timeout
	waitingKinds
)

// timeoutVariables are the variables that limit each kind of waiting, in seconds.
var timeoutVariables = [waitingKinds]string{waitsCommand: "wait_timeout", waitsRest: "net_read_timeout", waitsWrite: "net_write_timeout"}

// clientWaits has what a connection waits for, and how often it has begun to wait, so that Expire
// can see whether it is still the same wait. The connection's goroutine writes it, any goroutine
// reads it.
type clientWaits struct {
	word    atomic.Uint32
	expired atomic.Uint32 // the word of the wait whose time is over
}

// begin notes that the connection waits.
func (w *clientWaits) begin(what waiting) {
	w.word.Store(w.word.Load()/uint32(waitingKinds)*uint32(waitingKinds) + uint32(waitingKinds+what))
}

// end notes that the connection does not wait.
func (w *clientWaits) end() {
	w.word.Store(w.word.Load() / uint32(waitingKinds) * uint32(waitingKinds))
}

// waitingOf returns what a word says that the connection waits for.
func waitingOf(word uint32) waiting { return waiting(word % uint32(waitingKinds)) }

// Writing reports whether the connection waits for its client to read. Safe for concurrent use.
func (w *Conn) Writing() bool { return waitingOf(w.waits.word.Load()) == waitsWrite }

// timedOut reports with over whether err means that the time of the current wait is over. If err is
// of an earlier wait, timedOut removes the deadline, and reports with again that the call can be
// repeated.
func (w *Conn) timedOut(err error) (over, again bool) {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false, false
	}
	if w.waits.expired.Load() == w.waits.word.Load() {
		return true, false
	}
	return false, w.socket.SetDeadline(time.Time{}) == nil
}

// longPast is a deadline that is over.
var longPast = time.Unix(1, 0)

// watched is the wait that Expire last saw, and when Expire first saw it. Owned by Expire.
type watched struct {
	word  uint32
	since time.Time
}

// Expire ends the connection's wait if it takes longer than a variable of the session allows. now
// is the time. seconds returns a variable's value, or false if there is none. One goroutine at a
// time may call Expire.
func (w *Conn) Expire(now time.Time, seconds func(variable string) (n uint64, ok bool)) {
	word := w.waits.word.Load()
	if word != w.watched.word {
		w.watched = watched{word, now}
		return
	}
	what := waitingOf(word)
	waited := now.Sub(w.watched.since)
	if what == waitsNot || waited < time.Second {
		return
	}
	if limit, ok := seconds(timeoutVariables[what]); ok && waited >= time.Duration(limit)*time.Second {
		w.waits.expired.Store(word)
		_ = w.socket.SetDeadline(longPast)
	}
}

// inactive tells the client that it was idle for too long.
func (w *Conn) inactive() {
	w.session.Inactive()
	w.setLost(errInactive, nil)
	_ = w.socket.SetDeadline(time.Now().Add(farewellTime))
	_ = writeError(w.Conn, 1, errInactive) // the number of the answer to the command that did not come
}

// farewellTime limits how long the last packet to a client may take.
const farewellTime = time.Second

// Errors that end a connection whose client takes too long.
var (
	errInactive       = mysql.NewSQLError(4031, "HY000", "The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior.")
	errReadTooLong    = mysqlerr.ClientGone
	errWritingTooLong = mysql.NewSQLError(1161, "08S01", "Got timeout writing communication packets")
)
