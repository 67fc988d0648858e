package engine

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"pfsd/engine/errorlog"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sysvar"

	"github.com/dolthub/vitess/go/mysql"
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

// timedOut tells whether err is that the time of the present waiting is over. If it is that of an
// earlier one, the deadline is taken back.
func (w *wire) timedOut(err error) (over, again bool) {
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

// expire ends the waits that take longer than the sessions' variables allow; now is the time.
func (l *clientList) expire(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.clients {
		word := c.wire.waits.word.Load()
		if word != c.waits {
			c.waits, c.waitsFrom = word, now
			continue
		}
		what := waitingOf(word)
		waited := now.Sub(c.waitsFrom)
		if what == waitsNot || waited < time.Second || c.variables.Load() == nil {
			continue
		}
		if limit, ok := c.variables.Load().Get(timeoutVariables[what]).(uint64); ok && waited >= time.Duration(limit)*time.Second {
			c.wire.waits.expired.Store(word)
			_ = c.wire.socket.SetDeadline(longPast)
		}
	}
}

// inactive tells the client that it has been away for too long, and the log.
func (w *wire) inactive() {
	cl := clientOf(w.conn)
	if limit, ok := cl.work.variables.Get("wait_timeout").(uint64); ok {
		w.log.Write(errorlog.IdleTimeout, limit, "`"+cl.user+"`@`"+cl.from+"`")
	}
	w.lose(errInactive, nil)
	_ = w.socket.SetDeadline(time.Now().Add(farewellTime))
	_ = writeError(w.Conn, 1, errInactive) // the number of the answer to a command that has not come
}

// farewellTime bounds how long the last packet to a client may take.
const farewellTime = time.Second

// clientInteractive is what a client says at whose other end there is somebody.
const clientInteractive = 1 << 10

// interactive gives the session of a client that says it is interactive interactive_timeout for its
// wait_timeout.
func (h *handler) interactive(cl *client) {
	if cl.wire.capabilities&clientInteractive == 0 {
		return
	}
	ctx := h.newContext(context.Background(), cl, "")
	_ = sysvar.SetSession(ctx, "wait_timeout", h.variables.Global("interactive_timeout"))
}

// Errors that end a connection whose client takes too long.
var (
	errInactive       = mysql.NewSQLError(4031, "HY000", "The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior.")
	errReadTooLong    = mysqlerr.ClientGone
	errWritingTooLong = mysql.NewSQLError(1161, "08S01", "Got timeout writing communication packets")
)
