package wire

import (
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/mysqlerr"
)

// How long a connection may wait for its client is up to the variables of its session. No
// deadlines are set for that: the connection says what it waits for, in one word, and the
// watcher of connections, which looks at it now and then, sets one when the time is over.

// A waiting is what a connection waits for.
type waiting uint32

const (
	waitsNot     waiting = iota
	waitsCommand         // wait_timeout
	waitsRest            // of a command; net_read_timeout
	waitsWrite           // net_write_timeout
	waitingKinds
)

// timeoutVariables say how long a waiting may be, seconds.
var timeoutVariables = [waitingKinds]string{waitsCommand: "wait_timeout", waitsRest: "net_read_timeout", waitsWrite: "net_write_timeout"}

// clientWaits is what a connection waits for, and how often it has begun to, so that two looks tell
// whether it is still the same. The connection's goroutine writes it, anybody reads it.
type clientWaits struct {
	word    atomic.Uint32
	expired atomic.Uint32 // the word of the waiting whose time is over
}

// begin notes that the connection waits; end, that it no longer does.
func (w *clientWaits) begin(what waiting) {
	w.word.Store(w.word.Load()/uint32(waitingKinds)*uint32(waitingKinds) + uint32(waitingKinds+what))
}

func (w *clientWaits) end() {
	w.word.Store(w.word.Load() / uint32(waitingKinds) * uint32(waitingKinds))
}

// waitingOf is what a word says.
func waitingOf(word uint32) waiting { return waiting(word % uint32(waitingKinds)) }

// Writing tells whether the connection waits for its client to read. Safe for concurrent use.
func (w *Conn) Writing() bool { return waitingOf(w.waits.word.Load()) == waitsWrite }

// timedOut tells whether err is that the time of the present waiting is over. If it is that of an
// earlier one, the deadline is taken back.
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

// watched is a waiting as the watcher saw it last, and since when at least. The watcher's own.
type watched struct {
	word  uint32
	since time.Time
}

// Expire ends what the connection waits for, if that has taken longer than a variable of its session allows; now is the time,
// and seconds a variable's value, false if there is none. One goroutine at a time may call it.
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

// inactive tells the client that it has been away for too long.
func (w *Conn) inactive() {
	w.session.Inactive()
	w.lose(errInactive, nil)
	_ = w.socket.SetDeadline(time.Now().Add(farewellTime))
	_ = writeError(w.Conn, 1, errInactive) // the number of the answer to a command that has not come
}

// farewellTime bounds how long the last packet to a client may take.
const farewellTime = time.Second

// Errors that end a connection whose client takes too long.
var (
	errInactive       = mysql.NewSQLError(4031, "HY000", "The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior.")
	errReadTooLong    = mysqlerr.ClientGone
	errWritingTooLong = mysql.NewSQLError(1161, "08S01", "Got timeout writing communication packets")
)
