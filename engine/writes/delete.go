package writes

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/hash"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/executor"
	"pfsd/engine/planning"
	"pfsd/engine/usertables"
)

// remove deletes rows of several tables. Owned by one goroutine.
//
// go-mysql-server: counts the rows of the join, and cannot run triggers. MySQL: counts the rows that are deleted, each of which is deleted
// once, whatever rows of the other tables it is joined with.
type remove struct {
	source  sql.RowIter
	width   int // of the rows of the source
	targets []*target
	rows    uint64
	found   []sql.Row // deleted with the last row of the source, and not yet yielded
	closed  bool
}

// target is a table of which rows are deleted.
type target struct {
	deleter    sql.RowDeleter
	finder     usertables.Finder // nil if the table has none
	start, end int               // of its columns
	triggers   *running
	nulls      planning.NullRow
	gone       map[uint64]struct{} // the rows that are deleted; nil with a finder
}

// Delete builds the DELETE n, which names its tables. triggers has those of each table, nil if there is none.
func Delete(ctx *sql.Context, n *plan.DeleteFrom, triggers []*planning.Triggers, row sql.Row, build Build) (sql.RowIter, error) {
	schema := n.Child.Schema(ctx)
	d := &remove{width: len(schema)}
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
		t := &target{deleter: table.Deleter(ctx), nulls: planning.NullRowOf(ctx, n.Child, name)}
		if t.start, t.end, err = executor.ColumnsOf(schema, name); err != nil {
			return nil, err
		}
		t.finder, _ = t.deleter.(usertables.Finder)
		if keys, ok := t.deleter.(*plan.ForeignKeyHandler); ok {
			t.finder, _ = keys.Editor.Editor.(usertables.Finder)
		}
		if t.finder == nil {
			t.gone = map[uint64]struct{}{}
		}
		if i < len(triggers) {
			t.triggers = run(triggers[i], row, build)
		}
		d.targets = append(d.targets, t)
		editors = append(editors, t.deleter)
	}
	var err error
	if d.source, err = build(ctx, n.Child, row); err != nil {
		return nil, err
	}
	return &answering{plan.NewTableEditorIter(d, editors...), d.answer}, nil
}

// Next implements sql.RowIter: it yields each row that has been deleted.
func (d *remove) Next(ctx *sql.Context) (sql.Row, error) {
	for len(d.found) == 0 {
		row, err := d.source.Next(ctx)
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row = row[max(len(row)-d.width, 0):] // those of statements around this one come first
		for _, t := range d.targets {
			part := row[t.start:t.end]
			gone, err := t.delete(ctx, part)
			if err != nil {
				return nil, err
			}
			if gone {
				d.found = append(d.found, part)
			}
		}
	}
	row := d.found[0]
	d.found = d.found[1:]
	d.rows++
	return row, nil
}

// delete deletes a row of a table, and tells whether it was there.
//
// go-mysql-server: takes NULLs that an outer join has put in place of a row for a row of NULLs of the table. MySQL: leaves the table out.
func (t *target) delete(ctx *sql.Context, row sql.Row) (bool, error) {
	none := t.nulls != planning.OwnRow && missing(row)
	if none && t.nulls == planning.NoRow {
		return false, nil
	}
	if t.finder != nil {
		if there, err := t.finder.Find(ctx, row); err != nil || !there {
			return false, err
		}
		if none {
			return false, sql.ErrUnsupportedFeature.New("DELETE of a row of NULLs that an outer join may have made up")
		}
	} else {
		sum, err := hash.HashOf(ctx, nil, row)
		if err != nil {
			return false, err
		}
		if _, gone := t.gone[sum]; gone {
			return false, nil
		}
		t.gone[sum] = struct{}{}
	}
	if _, err := t.triggers.before(ctx, plan.DeleteTrigger, row); err != nil {
		return false, err
	}
	if err := t.deleter.Delete(ctx, row); err != nil {
		return false, err
	}
	return true, t.triggers.after(ctx, plan.DeleteTrigger, row)
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
		if e := t.deleter.Close(ctx); err == nil {
			err = e
		}
		if e := t.triggers.close(ctx); err == nil {
			err = e
		}
	}
	return err
}
