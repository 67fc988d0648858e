package writes

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/executor"
	"pfsd/engine/planning"
)

// remove deletes rows of several tables. Owned by one goroutine.
//
// go-mysql-server: counts the rows of the join, and cannot run triggers. MySQL: counts the rows that are deleted, each of which is deleted
// once, whatever rows of the other tables it is joined with.
type remove struct {
	source  sql.RowIter
	width   int       // of the rows of the source
	targets []*target // as their columns are in the rows
	rows    uint64
	ended   bool // the source has no more rows
	closed  bool
}

// target is a table of which rows are deleted.
type target struct {
	*joined
	deleter   sql.RowDeleter
	generated *executor.Generated
	later     []sql.Row // the rows that are deleted when the join has been read
}

// Delete builds the DELETE n, which names its tables. triggers has those of each table, nil if there is none.
func Delete(ctx *sql.Context, n *plan.DeleteFrom, triggers []*planning.Triggers, row sql.Row, build Build) (sql.RowIter, error) {
	d := &remove{width: len(n.Child.Schema(ctx))}
	var editors []sql.EditOpenerCloser
	for i, node := range n.GetDeleteTargets() {
		table, err := plan.GetDeletable(node)
		if err != nil {
			return nil, err
		}
		name := table.Name()
		transform.InspectWithOpaque(ctx, node, func(_ *sql.Context, n sql.Node) bool {
			alias, ok := n.(*plan.TableAlias)
			if ok {
				name = alias.Name()
			}
			return !ok
		})
		t := &target{deleter: table.Deleter(ctx)}
		if t.joined, err = newJoined(ctx, n.Child, name, table.Schema(ctx), t.deleter); err != nil {
			return nil, err
		}
		if t.generated, err = executor.NewGenerated(ctx, n.Child.Schema(ctx)[t.start:t.end]); err != nil {
			return nil, err
		}
		if i < len(triggers) {
			t.triggers = run(triggers[i], row, build)
		}
		d.targets = append(d.targets, t)
		editors = append(editors, t.deleter)
	}
	byPlace(d.targets, func(t *target) *joined { return t.joined })
	var err error
	if d.source, err = build(ctx, n.Child, row); err != nil {
		return nil, err
	}
	return &answering{plan.NewTableEditorIter(d, editors...), d.answer}, nil
}

// Next implements sql.RowIter: it yields each row that has been deleted.
func (d *remove) Next(ctx *sql.Context) (sql.Row, error) {
	for !d.ended {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row, err := d.source.Next(ctx)
		if err == io.EOF {
			d.ended = true
			break
		}
		if err != nil {
			return nil, err
		}
		row = row[max(len(row)-d.width, 0):] // those of statements around this one come first
		gone, err := d.found(ctx, row)
		if gone != nil || err != nil {
			return gone, err
		}
	}
	for _, t := range d.targets[1:] {
		for len(t.later) > 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			row := t.later[0]
			t.later = t.later[1:]
			if gone, err := d.delete(ctx, t, row); gone != nil || err != nil {
				return gone, err
			}
		}
	}
	return nil, io.EOF
}

// found deletes the row of the first table in a row of the join, and keeps those of the others for later. It returns the row that is deleted.
func (d *remove) found(ctx *sql.Context, row sql.Row) (gone sql.Row, err error) {
	for i, t := range d.targets {
		own, err := t.take(ctx, row)
		switch {
		case err != nil:
			return nil, err
		case own == nil:
		case i == 0:
			if gone, err = d.delete(ctx, t, own); err != nil {
				return nil, err
			}
		default:
			if own, err = t.keep(own); err != nil {
				return nil, err
			}
			t.later = append(t.later, own)
		}
	}
	return gone, nil
}

// delete deletes a row of a table, and returns it as it was then, nil if it was not there any more.
func (d *remove) delete(ctx *sql.Context, t *target, row sql.Row) (sql.Row, error) {
	now, err := t.find(ctx, row)
	if now == nil || err != nil {
		return nil, err
	}
	if err := t.generated.Fill(ctx, now, 0, true); err != nil {
		return nil, err
	}
	if _, err := t.triggers.before(ctx, plan.DeleteTrigger, now); err != nil {
		return nil, err
	}
	if err := t.deleter.Delete(ctx, now); err != nil {
		return nil, err
	}
	d.rows++
	return now, t.triggers.after(ctx, plan.DeleteTrigger, now)
}

// answer is the answer OK.
func (d *remove) answer(*sql.Context) types.OkResult { return types.OkResult{RowsAffected: d.rows} }

// Close implements sql.RowIter.
func (d *remove) Close(ctx *sql.Context) error {
	if d.closed {
		return nil
	}
	d.closed = true
	err := d.source.Close(ctx)
	for _, t := range d.targets {
		if e := t.close(ctx, t.deleter); err == nil {
			err = e
		}
	}
	return err
}
