package diagnostics

import (
	"errors"
	"reflect"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/mysqlerr"
	"pfsd/engine/secrets"
	"pfsd/instr"
)

// Errors counts the errors of a connection. An error counts once, however many stored programs it goes through. Owned by the connection's
// goroutine.
type Errors struct {
	Thread *instr.Thread
	cause  error // of the error that was counted last, nil for none
	last   *mysql.SQLError
}

// Of is the error that the client gets for err, counted as one that a program handles or not.
func (e *Errors) Of(ctx *sql.Context, err error, handled bool) *mysql.SQLError {
	cause := comparableError(err)
	shown := mysqlerr.Of(ctx, err)
	// A statement that has to end says so, whatever it has failed with before.
	if e.cause != nil && errors.Is(cause, e.cause) && (ctx.Err() == nil || shown.Num == e.last.Num) {
		return e.last
	}
	if text := secrets.HideIn(shown.Message, ctx.Query()); text != shown.Message {
		shown = mysql.NewSQLError(shown.Num, shown.State, "%s", text)
	}
	e.cause, e.last = cause, shown
	e.Thread.RaiseError(shown.Num, handled)
	return shown
}

// GoesOn notes that the error goes on as the one that a client gets.
func (e *Errors) GoesOn(as *mysql.SQLError) { e.cause = as }

// Forget notes that the next error is another one.
func (e *Errors) Forget() { e.cause = nil }

// comparableError is err, or what it wraps, nil if neither can be compared: errors.Is panics for those. Some errors of go-mysql-server hold a value
// of any type.
func comparableError(err error) error {
	for _, e := range []error{err, sql.UnwrapError(err)} {
		if reflect.ValueOf(e).Comparable() {
			return e
		}
	}
	return nil
}
