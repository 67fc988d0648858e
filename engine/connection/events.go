package connection

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/accounts"
	"pfsd/engine/errorlog"
	"pfsd/engine/mdl"
	"pfsd/engine/processlist"
	"pfsd/engine/processor"
	"pfsd/engine/scheduler"
	"pfsd/engine/secrets"
	"pfsd/instr"
)

// RunEvent executes an event on its own thread, in its own session.
func (h *Handler) RunEvent(ctx context.Context, e scheduler.Event) {
	by := accounts.ParseID(e.Definer)
	err := h.scheduled(ctx, by, e.DB.Name(), e.EventBody, func(sc *sql.Context, w *Work) error { return h.runEventBody(sc, w, &e) })
	if err != nil {
		h.Log.Write(errorlog.EventFailed, fmt.Sprintf("[%s][%s.%s] %s", by, e.DB.Name(), e.Name, err.Message))
	}
	if e.Dropped {
		h.reg.DropProgram(instr.ObjectEvent, e.DB.Name(), e.Name)
	}
}

// errTooMany is the error of what the scheduler cannot carry out because as much runs already as may run.
var errTooMany = mysql.NewSQLError(mysql.ERUnknownError, mysql.SSUnknownSQLState, "Too many events run")

// scheduled calls do, which carries out statements with the rights of an account, in a session of its own with db as the current database.
// The calling goroutine becomes a thread for that. text is what others see of it.
func (h *Handler) scheduled(ctx context.Context, by accounts.ID, db, text string, do func(*sql.Context, *Work) error) (failed *mysql.SQLError) {
	id := math.MaxUint32 - h.lastEvent.Add(1) // those of connections begin with 1
	thread := h.reg.AttachConnection("sql/event_worker", uint64(id))
	defer thread.Detach()
	w := newWork(h.Instruments, thread, uint64(id))
	defer w.Close()
	defer w.locks.Close()
	defer w.opened.Close()
	w.limits = &h.Variables.NewSession().Memory
	w.Rights = h.rightsOf(by)
	ctx, w.cancel = context.WithCancelCause(ctx)
	defer w.cancel(nil)
	shown := secrets.HideParsed(text)
	done, ok := h.Clients.Run(&processlist.Event{
		ID: id, Work: w, Thread: thread, User: by.User, Host: by.Host, DB: db, Account: w.Rights.Account, Query: shown, Since: time.Now(), Cancel: w.cancel,
	}, int(h.Variables.Integer("max_connections")))
	if !ok {
		return errTooMany
	}
	defer done()
	session := h.session(by.User, by.Host, 0, id)
	defer sql.SessionEnd(session)
	w.boundWarnings(session)
	session.SetCurrentDatabase(db)
	sc := sql.NewContext(ctx, sql.WithSession(session), sql.WithQuery(text), sql.WithProcessList(h.processList(w)))
	thread.SetAccount(by.User, by.Host)
	thread.SetDB(db)
	thread.SetCommand(processlist.EventCommand)
	thread.SetInfo(shown)
	w.beginScheduled(sc, shown)
	err := h.guard(text, func() error {
		if err := w.Processor.Begin(sc, processor.Account(w.Rights.Account), false); err != nil {
			return err
		}
		return do(sc, w)
	})
	defer w.Processor.End()
	if err != nil {
		failed = w.noteError(sc, err)
	}
	thread.StartStage(w.Stages.Cleaning)
	w.trx.End(err == nil)
	w.end(sc)
	return failed
}

// runEventBody carries out the body of an event.
func (h *Handler) runEventBody(ctx *sql.Context, w *Work, e *scheduler.Event) error {
	// The transaction of the statement that has created the event may not have ended yet.
	made, err := w.locks.Lock(ctx, mdl.Key{Namespace: mdl.Event, Schema: strings.ToLower(e.DB.Name()), Name: strings.ToLower(e.Name)}, mdl.Shared, mdl.Statement)
	if err != nil {
		return err
	}
	w.locks.Release(made)
	if err := ctx.SetSessionVariable(ctx, "sql_mode", e.SqlMode); err != nil {
		return err
	}
	return w.programs.RunEvent(ctx, h.Engine, e.DB.Name(), e.Name, e.CreateEventStatement())
}
