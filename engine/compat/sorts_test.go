package compat

import (
	"context"
	"errors"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// stopping is a key to sort by whose statement is killed when it has been asked for so often.
type stopping struct {
	expression.UnaryExpressionStub
	kill  context.CancelCauseFunc
	asked int
}

const stoppingAfter = 10_000

var errStopped = errors.New("stopped")

func (s *stopping) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if s.asked++; s.asked == stoppingAfter {
		s.kill(errStopped)
	}
	return s.Child.Eval(ctx, row)
}

func (s *stopping) Type(*sql.Context) sql.Type { return types.Int64 }

func (s *stopping) String() string { return "k" }

func (s *stopping) WithChildren(*sql.Context, ...sql.Expression) (sql.Expression, error) {
	return s, nil
}

// A sort ends soon after its statement is killed.
func TestSortsCanBeStopped(t *testing.T) {
	var rows []sql.Row
	for i := range 50_000 {
		rows = append(rows, sql.Row{int64(i * 7919 % 50_000)})
	}
	for name, sorted := range map[string]func(*sql.Context, sql.SortFields) error{
		"ORDER BY": func(ctx *sql.Context, fields sql.SortFields) error {
			_, err := iters.NewSortIter(SortFields(ctx, fields), sql.RowsToRowIter(rows...)).Next(ctx)
			return err
		},
		"OVER": func(ctx *sql.Context, fields sql.SortFields) error {
			_, err := (&partitions{order: SortFields(ctx, fields)}).sorted(ctx, rows)
			return err
		},
		"GROUP_CONCAT": func(ctx *sql.Context, fields sql.SortFields) error {
			_, err := (&concatBuffer{order: fields, keys: rows, rows: make([]string, len(rows))}).Eval(ctx)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			parent, kill := context.WithCancelCause(context.Background())
			defer kill(nil)
			key := &stopping{expression.UnaryExpressionStub{Child: expression.NewGetField(0, types.Int64, "k", false)}, kill, 0}
			err := sorted(sql.NewContext(parent), sql.SortFields{{Column: key, Order: sql.Ascending}})
			if err == nil {
				t.Error("the sort has gone on to its end")
			}
			if key.asked > stoppingAfter+pacedKeys {
				t.Errorf("the key was asked for %d times after that", key.asked-stoppingAfter)
			}
		})
	}
}
