package connection

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/planning"
	"pfsd/engine/secrets"
	"pfsd/engine/usertables"
	"pfsd/engine/vtable"
)

// CarryOut executes the statements of text on behalf of the server. Statements about accounts need no session.
func (h *Handler) CarryOut(text string) error {
	for strings.TrimLeft(text, "; \t\r\n") != "" {
		st, err := accounts.Parse(text, false)
		if st == nil && err == nil {
			return h.bootstrap(text)
		}
		if err == nil {
			_, err = h.Accounts.Run(st, &accounts.Session{
				User: "boot", Forbidden: h.Provider.Forbidden, Note: func(int, string) {},
				Columns: func(db, table string) ([]string, bool) {
					if !vtable.Is(db) {
						return nil, true // there is no other table yet, or its columns are checked when they are used
					}
					return h.Provider.Columns(sql.NewEmptyContext(), db, table)
				},
			})
		}
		if err != nil {
			return fmt.Errorf("%w in: %.200s", err, firstLine(st, text))
		}
		text = strings.TrimLeft(text[st.End:], "; \t\r\n")
	}
	return nil
}

// firstLine is what a message shows of a statement.
func firstLine(st *accounts.Statement, text string) string {
	if st != nil {
		return st.Text
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return secrets.Hide(line)
}

// bootstrap executes statements on its own thread, in its own session.
func (h *Handler) bootstrap(text string) error {
	done := make(chan error)
	go func() {
		thread := h.reg.Attach("sql/bootstrap")
		defer thread.Detach()
		w := newWork(h.Instruments, thread, usertables.Bootstrap)
		defer w.account.Close()
		defer w.locks.Close()
		defer w.opened.Close()
		session := h.session("boot", "", 0, usertables.Bootstrap)
		defer sql.SessionEnd(session)
		var err error
		for rest := text; err == nil && strings.TrimLeft(rest, "; \t\r\n") != ""; {
			rest, err = h.bootstrapOne(session, w, rest)
		}
		done <- err
	}()
	return <-done
}

// bootstrapOne executes the first statement of text, and returns the others.
func (h *Handler) bootstrapOne(session sql.Session, w *Work, text string) (rest string, err error) {
	ctx := sql.NewContext(context.Background(), sql.WithSession(session), sql.WithQuery(text), sql.WithProcessList(h.processList(w)))
	w.begin(ctx, commandQuery, text)
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w in: %.200s", w.noteError(ctx, err), firstLine(nil, text))
		}
		w.end(ctx)
	}()
	err = h.guard(text, func() (err error) {
		rest, err = h.carryOut(ctx, w, text, func(sql.Schema, sql.Row) error { return nil })
		return err
	})
	return rest, err
}

// carryOut executes the first statement of text in the session of ctx, which has begun, and returns the others. It calls each for the
// rows.
func (h *Handler) carryOut(ctx *sql.Context, w *Work, text string, each func(sql.Schema, sql.Row) error) (rest string, err error) {
	s, one, rest, err := h.Engine.Parser.Parse(ctx, text, true)
	if errors.Is(err, ast.ErrEmpty) {
		return rest, nil
	}
	s = w.noteParsed(ctx, s, one, err)
	if err != nil {
		return rest, err
	}
	if err := w.beforeStatement(ctx, w.Current.tree); err != nil {
		return rest, err
	}
	schema, rows, _, err := planning.Query(ctx, h.Engine, one, s, nil, &sql.QueryFlags{}, w.Rights.AuthorizeColumns)
	if err != nil {
		return rest, err
	}
	for err == nil {
		var row sql.Row
		if row, err = rows.Next(ctx); err == nil {
			err = each(schema, row)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return rest, errors.Join(err, rows.Close(ctx))
}
