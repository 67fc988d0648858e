package connection

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sqlvalue"
	"pfsd/tables"
)

// metricTime is how long a reading of a metric takes at most; one whose period is shorter has no more than that.
const metricTime = 10 * time.Second

// CheckMetric returns why a metric is not accepted: its text is one SELECT that writes nothing and locks nothing, and the account that makes it
// exists.
func (h *Handler) CheckMetric(m tables.UserMetric) error {
	id := accounts.ParseID(m.By)
	if !h.Everybody && h.Accounts.Account(h.Accounts.Definer(id)) == nil {
		return tables.Refusal("No metric is made: it needs an account with whose rights it can be read")
	}
	ctx, w := h.Unconnected(id)
	defer w.Close()
	s, _, rest, err := h.Engine.Parser.Parse(ctx, m.Text, true)
	if err != nil {
		return tables.Refusal("No metric is made: its text cannot be parsed: " + mysqlerr.Of(ctx, err).Message)
	}
	if strings.TrimLeft(rest, "; \t\r\n") != "" || !readsOnly(s) {
		return tables.Refusal("No metric is made: its text must be one SELECT without INTO and without locks")
	}
	return nil
}

// readsOnly reports whether s is a SELECT that neither writes nor locks.
func readsOnly(s ast.Statement) bool {
	switch s.(type) {
	case *ast.Select, *ast.SetOp, *ast.ParenSelect:
	default:
		return false
	}
	only := true
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Select:
			only = only && n.Into == nil && !locks(n.Lock)
		case *ast.SetOp:
			only = only && n.Into == nil && !locks(n.Lock)
		}
		return only, nil
	}, s)
	return only
}

// locks reports whether a SELECT has FOR UPDATE or the like.
func locks(l *ast.Lock) bool { return l != nil && l.Type != "" }

// The errors of a SELECT that gives no number.
var (
	errNoRow     = mysql.NewSQLError(1329, "02000", "No data - zero rows fetched, selected, or processed")
	errManyRows  = mysql.NewSQLError(1172, "42000", "Result consisted of more than one row")
	errColumns   = mysql.NewSQLError(1241, "21000", "Operand should contain 1 column(s)")
	errNoNumber  = mysql.NewSQLError(1367, "22007", "The SELECT of a metric must give a number")
	errNullValue = mysql.NewSQLError(1048, "23000", "The SELECT of a metric must give a number, and gives NULL")
)

// ReadMetric carries out the SELECT of a metric with the present rights of its account, in a transaction that writes nothing, and returns
// its number. The calling goroutine becomes a thread for that.
func (h *Handler) ReadMetric(ctx context.Context, m tables.UserMetric) (value float64, err error) {
	failed := h.scheduled(ctx, accounts.ParseID(m.By), "", m.Text, func(sc *sql.Context, w *Work) error {
		w.Rights.Query = m.Text
		timer := time.AfterFunc(min(time.Duration(m.Period)*time.Second, metricTime), func() { w.cancel(mysqlerr.QueryTimeout) })
		defer timer.Stop()
		if _, err := h.carryOut(sc, w, "START TRANSACTION READ ONLY", func(sql.Schema, sql.Row) error { return nil }); err != nil {
			return err
		}
		value, err = h.readNumber(sc, w, m.Text)
		return err
	})
	if failed != nil {
		return 0, errors.New(failed.Message)
	}
	return value, nil
}

// readNumber returns the number that a SELECT gives.
func (h *Handler) readNumber(ctx *sql.Context, w *Work, text string) (value float64, err error) {
	found := false
	_, err = h.carryOut(ctx, w, text, func(schema sql.Schema, row sql.Row) error {
		switch {
		case len(schema) != 1:
			return errColumns
		case found:
			return errManyRows
		case row[0] == nil:
			return errNullValue
		case !types.IsNumber(schema[0].Type):
			return errNoNumber
		}
		found = true
		value, err = sqlvalue.DoubleOf(ctx, schema[0].Type, row[0])
		if err == nil && (math.IsNaN(value) || math.IsInf(value, 0)) {
			err = errNoNumber
		}
		return err
	})
	if err == nil && !found {
		err = errNoRow
	}
	return value, err
}
