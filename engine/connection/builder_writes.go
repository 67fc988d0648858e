package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/executor"
	"pfsd/engine/stages"
	"pfsd/engine/storage"
)

// buildPrograms has calls of stored programs built, and what is part of these.
func (b *Builder) buildPrograms() {
	onWork(b, b.call)
	onWork(b, b.trigger)
	onWork(b, b.buildTriggerStatement)
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.IfElseBlock, row sql.Row) (sql.RowIter, error) {
		if w.program != nil && w.program.body == nil {
			return b.buildIf(ctx, w, n, row)
		}
		return nil, nil
	})
	drops[*plan.DropProcedure](b)
	drops[*plan.DropTrigger](b)
	drops[*plan.DropDB](b)
}

// drops has a node built that drops something.
func drops[N sql.Node](b *Builder) {
	onWork(b, func(ctx *sql.Context, w *Work, n N, row sql.Row) (sql.RowIter, error) { return b.drop(ctx, w, n, row) })
}

// buildReads has the reading of tables built that others than virtual tables count.
func (b *Builder) buildReads() {
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.ResolvedTable, row sql.Row) (sql.RowIter, error) {
		return b.count(ctx, w, n, n.Table, row)
	})
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.IndexedTableAccess, row sql.Row) (sql.RowIter, error) {
		return b.count(ctx, w, n, n.Table, row)
	})
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.Values, row sql.Row) (sql.RowIter, error) {
		if len(n.ExpressionTuples) >= stages.LongRows {
			return b.load(ctx, w, n, row)
		}
		return nil, nil
	})
}

// buildWrites has statements built that write or define tables.
func (b *Builder) buildWrites() {
	onWork(b, b.insert)
	onWork(b, func(ctx *sql.Context, _ *Work, n *plan.UpdateSource, row sql.Row) (sql.RowIter, error) {
		stored, now, err := executor.StoreUpdate(ctx, n)
		if !now || err != nil {
			return nil, err
		}
		return b.Base.Build(ctx, stored, row)
	})
	onWork(b, func(ctx *sql.Context, _ *Work, n *executor.Stored, row sql.Row) (sql.RowIter, error) {
		child, err := b.Base.Build(ctx, n.Child, row)
		if err != nil {
			return nil, err
		}
		return n.Rows(child), nil
	})
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.Update, _ sql.Row) (sql.RowIter, error) {
		w.noteWriter(ctx, n)
		return nil, nil
	})
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.DeleteFrom, _ sql.Row) (sql.RowIter, error) {
		w.noteWriter(ctx, n)
		return nil, nil
	})
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.CreateTable, row sql.Row) (rows sql.RowIter, err error) {
		w.Current.changed.Note(ctx, n)
		if n.Temporary() {
			return nil, nil
		}
		err = storage.Whole(ctx, func() error {
			rows, err = b.Plain.Build(ctx, n, row)
			return err
		})
		return rows, err
	})
	changes[*plan.RenameTable](b)
	changes[*plan.CreateForeignKey](b)
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.DropTable, row sql.Row) (sql.RowIter, error) {
		w.Current.changed.Note(ctx, n)
		return b.drop(ctx, w, n, row)
	})
	alters[*plan.AddColumn](b)
	alters[*plan.ModifyColumn](b)
	alters[*plan.DropColumn](b)
	alters[*plan.AlterIndex](b)
	alters[*plan.AlterPK](b)
}

func (b *Builder) insert(ctx *sql.Context, w *Work, n *plan.InsertInto, row sql.Row) (sql.RowIter, error) {
	stored, now, err := executor.StoreInsert(ctx, n)
	if !now || err != nil {
		return nil, err
	}
	w.noteWriter(ctx, n)
	if t, err := plan.GetInsertable(n.Destination); err == nil {
		w.noteTable(ctx, t)
	}
	return b.Base.Build(ctx, stored, row)
}

// changes has a node noted that makes or renames tables.
func changes[N sql.Node](b *Builder) {
	onWork(b, func(ctx *sql.Context, w *Work, n N, _ sql.Row) (sql.RowIter, error) {
		w.Current.changed.Note(ctx, n)
		return nil, nil
	})
}

// alters has a node built that alters a table.
func alters[N sql.Node](b *Builder) {
	onWork(b, func(ctx *sql.Context, w *Work, n N, row sql.Row) (sql.RowIter, error) {
		if err := keyColumnDropped(ctx, n); err != nil {
			return nil, err
		}
		w.Current.changed.Note(ctx, n)
		copied, err := w.Current.stage.Copying(n)
		if err != nil {
			return nil, err
		}
		build := func() (sql.RowIter, error) { return b.Plain.Build(ctx, copied, row) }
		if m, ok := any(n).(*plan.ModifyColumn); ok {
			return executor.ModifyColumn(m, build)
		}
		return build()
	})
}

// load builds n, which yields many rows to be put into a table, and tells how far that is.
func (b *Builder) load(ctx *sql.Context, w *Work, n *plan.Values, row sql.Row) (sql.RowIter, error) {
	rows, err := b.Plain.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	many := uint64(len(n.ExpressionTuples))
	return w.Current.stage.Writing(rows, many), nil
}
