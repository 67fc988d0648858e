package connection

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/executor"
	"pfsd/engine/programs"
	"pfsd/engine/stages"
	"pfsd/engine/storage"
)

// programs returns what builds the nodes that are about stored programs.
func (b *Builder) programs() programs.Builder {
	return programs.Builder{Base: b.Base, Plain: b.Plain, Catalog: b.Catalog}
}

// buildReads registers nodes that read tables of users or of information_schema, and counts their rows.
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

// buildWrites registers statements that write or define tables.
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
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.CreateTable, row sql.Row) (sql.RowIter, error) {
		w.Current.changed.Note(ctx, n)
		if n.Temporary() {
			return nil, nil
		}
		return whole(ctx, func() (sql.RowIter, error) { return b.Plain.Build(ctx, n, row) })
	})
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.RenameTable, row sql.Row) (sql.RowIter, error) {
		w.Current.changed.Note(ctx, n)
		return whole(ctx, func() (sql.RowIter, error) { return b.Plain.Build(ctx, n, row) })
	})
	changes[*plan.CreateForeignKey](b)
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.DropTable, row sql.Row) (sql.RowIter, error) {
		w.Current.changed.Note(ctx, n)
		drop := func() (sql.RowIter, error) { return b.programs().Drop(ctx, n, row) }
		if onlyTemporary(n.Tables) {
			return drop()
		}
		return whole(ctx, drop)
	})
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.Block, row sql.Row) (sql.RowIter, error) {
		// ALTER TABLE with several clauses, each of which comes here by itself as well.
		if n.Pref != nil || w.Current.altering || !slices.ContainsFunc(n.Children(), altersTable) {
			return nil, nil
		}
		w.Current.altering = true
		defer func() { w.Current.altering = false }()
		return whole(ctx, func() (sql.RowIter, error) { return b.Base.Build(ctx, n, row) })
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

// changes has a node noted that changes tables.
func changes[N sql.Node](b *Builder) {
	onWork(b, func(ctx *sql.Context, w *Work, n N, _ sql.Row) (sql.RowIter, error) {
		w.Current.changed.Note(ctx, n)
		return nil, nil
	})
}

// alters registers a node that alters a table.
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
		return whole(ctx, func() (sql.RowIter, error) {
			if m, ok := any(n).(*plan.ModifyColumn); ok {
				return executor.ModifyColumn(m, build)
			}
			return build()
		})
	})
}

// whole has what build makes read to its end, and all that it does to users' tables be one change.
func whole(ctx *sql.Context, build func() (sql.RowIter, error)) (sql.RowIter, error) {
	var rows []sql.Row
	err := storage.Whole(ctx, func() error {
		it, err := build()
		if err == nil && it != nil {
			rows, err = sql.RowIterToRows(ctx, it)
		}
		return err
	})
	return sql.RowsToRowIter(rows...), err
}

// altersTable tells whether a node is a clause of ALTER TABLE.
func altersTable(n sql.Node) bool {
	switch n.(type) {
	case *plan.AddColumn, *plan.ModifyColumn, *plan.DropColumn, *plan.RenameColumn, *plan.AlterIndex, *plan.AlterPK, *plan.AlterDefaultSet, *plan.AlterDefaultDrop,
		*plan.CreateForeignKey, *plan.DropForeignKey, *plan.CreateCheck, *plan.DropCheck, *plan.DropConstraint, *plan.RenameTable, *plan.RenameForeignKey,
		*plan.AlterTableCollation, *plan.AlterTableComment, *plan.AlterAutoIncrement:
		return true
	}
	return false
}

// onlyTemporary tells whether DROP TABLE has temporary tables alone, which needs no commit.
func onlyTemporary(tables []sql.Node) bool {
	return !slices.ContainsFunc(tables, func(n sql.Node) bool {
		t, ok := n.(sql.TableNode)
		if !ok {
			return true
		}
		temporary, ok := sql.GetUnderlyingTable(t.UnderlyingTable()).(sql.TemporaryTable)
		return !ok || !temporary.IsTemporary()
	})
}

// load builds n, whose many rows are inserted into a table, and reports the progress.
func (b *Builder) load(ctx *sql.Context, w *Work, n *plan.Values, row sql.Row) (sql.RowIter, error) {
	rows, err := b.Plain.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	many := uint64(len(n.ExpressionTuples))
	return w.Current.stage.Writing(rows, many), nil
}
