package writes

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/mysqlerr"
	"pfsd/engine/planning"
)

// running are triggers of a table while a statement runs. Owned by one goroutine. A nil *running has no triggers.
type running struct {
	all   []*one
	build Build
	outer sql.Row // of the trigger that the statement is part of; those of DELETE know it
}

// one is a trigger, built when it runs for the first time.
type one struct {
	*plan.TriggerExecutor
	row  *planning.Row
	rows sql.RowIter
}

// run returns what runs the triggers for each row, nil if there is none.
func run(t *planning.Triggers, outer sql.Row, build Build) *running {
	if t == nil {
		return nil
	}
	r := &running{build: build, outer: outer}
	for _, e := range t.All {
		r.all = append(r.all, &one{TriggerExecutor: e, row: &planning.Row{Database: t.Database}})
	}
	return r
}

// before runs the triggers BEFORE an event for a row; for UPDATE the row has the old values before the new ones. It returns the row as
// the triggers leave it.
func (r *running) before(ctx *sql.Context, event plan.TriggerEvent, row sql.Row) (sql.Row, error) {
	return r.fire(ctx, event, plan.BeforeTrigger, row)
}

// after runs the triggers AFTER an event, as before does.
func (r *running) after(ctx *sql.Context, event plan.TriggerEvent, row sql.Row) error {
	_, err := r.fire(ctx, event, plan.AfterTrigger, row)
	return err
}

func (r *running) fire(ctx *sql.Context, event plan.TriggerEvent, time plan.TriggerTime, row sql.Row) (sql.Row, error) {
	if r == nil {
		return row, nil
	}
	if event == plan.DeleteTrigger && len(r.outer) > 0 {
		row = append(append(make(sql.Row, 0, len(r.outer)+len(row)), r.outer...), row...)
	}
	for _, t := range r.all {
		if t.TriggerEvent != event || t.TriggerTime != time {
			continue
		}
		if t.rows == nil {
			rows, err := r.build(ctx, plan.NewTriggerExecutor(t.row, t.Right(), event, time, t.TriggerDefinition), nil)
			if err != nil {
				return nil, failed(ctx, err)
			}
			t.rows = rows
		}
		t.row.Value = row
		left, err := t.rows.Next(ctx)
		if err != nil {
			return nil, failed(ctx, err)
		}
		if time == plan.BeforeTrigger {
			row = left
		}
	}
	return row, nil
}

// failed returns the error of a trigger. It is none about the row of the statement: REPLACE does not delete another row because of it, and
// IGNORE does not ignore it.
func failed(ctx *sql.Context, err error) error {
	if existing(err) != nil {
		return mysqlerr.Of(ctx, err)
	}
	for _, kind := range plan.IgnorableErrors {
		if kind.Is(err) {
			return mysqlerr.Of(ctx, err)
		}
	}
	return err
}

// close closes the triggers.
func (r *running) close(ctx *sql.Context) (err error) {
	if r == nil {
		return nil
	}
	for _, t := range r.all {
		if t.rows != nil {
			if e := t.rows.Close(ctx); err == nil {
				err = e
			}
		}
	}
	return err
}

// RowOf yields the row of n, each time.
func RowOf(n *planning.Row) sql.RowIter { return rowOf{n} }

type rowOf struct{ *planning.Row }

// Next implements sql.RowIter.
func (r rowOf) Next(*sql.Context) (sql.Row, error) {
	if r.Value == nil {
		return nil, io.EOF
	}
	return r.Value, nil
}

// Close implements sql.RowIter.
func (rowOf) Close(*sql.Context) error { return nil }
