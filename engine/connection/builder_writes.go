package connection

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/executor"
	"pfsd/engine/mends"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/nodes"
	"pfsd/engine/planning"
	"pfsd/engine/programs"
	"pfsd/engine/session"
	"pfsd/engine/stages"
	"pfsd/engine/storage"
	"pfsd/engine/writes"
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

// buildWrites registers statements that write rows.
func (b *Builder) buildWrites() {
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.InsertInto, row sql.Row) (sql.RowIter, error) {
		return b.insert(ctx, w, n, nil, row)
	})
	onWork(b, b.triggered)
	nodes.On(&b.observed, func(_ *sql.Context, n *planning.Row, _ sql.Row) (sql.RowIter, error) { return writes.RowOf(n), nil })
	onWork(b, func(ctx *sql.Context, _ *Work, n *plan.UpdateSource, row sql.Row) (sql.RowIter, error) {
		stored, now, err := executor.StoreUpdate(ctx, n, false)
		if err != nil || !now {
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
	onWork(b, func(ctx *sql.Context, _ *Work, n *executor.Regenerated, row sql.Row) (sql.RowIter, error) {
		child, err := b.Base.Build(ctx, n.Child, row)
		if err != nil {
			return nil, err
		}
		return n.Rows(child), nil
	})
	onWork(b, b.update)
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.DeleteFrom, row sql.Row) (sql.RowIter, error) {
		w.noteWriter(ctx, n)
		if n.HasExplicitTargets() && mends.WrittenRows.On() {
			return writes.Delete(ctx, n, nil, row, b.Base.Build)
		}
		return nil, nil
	})
}

// buildDefinitions registers statements that define tables.
func (b *Builder) buildDefinitions() {
	onWork(b, func(ctx *sql.Context, w *Work, n *plan.CreateTable, row sql.Row) (sql.RowIter, error) {
		w.Current.changed.Note(ctx, n)
		if n.Temporary() {
			return nil, nil
		}
		return whole(ctx, func() (sql.RowIter, error) {
			rows, err := b.Plain.Build(ctx, n, row)
			if like, ok := w.Current.tree.(*ast.DDL); err == nil && ok && like.OptLike != nil {
				err = b.copyChecks(ctx, n, like.OptLike.LikeTables)
			}
			return rows, err
		})
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
	onWork(b, func(ctx *sql.Context, _ *Work, n *plan.Truncate, row sql.Row) (sql.RowIter, error) {
		rows, err := b.Plain.Build(ctx, n, row)
		if d, ok := mysqlerr.TreeOf(ctx).(*ast.DDL); err == nil && ok && d.Action == ast.TruncateStr { // not DELETE without WHERE
			return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), rows.Close(ctx)
		}
		return rows, err
	})
	alters[*plan.AddColumn](b)
	alters[*plan.ModifyColumn](b)
	alters[*plan.DropColumn](b)
	alters[*plan.AlterIndex](b)
	alters[*plan.AlterPK](b)
}

// insert builds n, whose table has triggers that do not stand in the plan, nil for none.
func (b *Builder) insert(ctx *sql.Context, w *Work, n *plan.InsertInto, triggers *planning.Triggers, row sql.Row) (sql.RowIter, error) {
	stored, now, err := executor.StoreInsert(ctx, n, triggers.Before(plan.UpdateTrigger))
	if err != nil {
		return nil, err
	}
	own := mends.WrittenRows.On() && mends.StoredRows.On() && len(n.Returning) == 0
	if !now {
		if !own {
			return nil, nil
		}
		stored = n
	}
	w.noteWriter(ctx, n)
	if t, err := plan.GetInsertable(n.Destination); err == nil {
		w.noteTable(ctx, t)
	}
	if !own {
		return b.Base.Build(ctx, stored, row)
	}
	checks, err := writes.MissingChecks(ctx, b.Catalog, mysqlerr.WrittenTable(n), n.Destination.Schema(ctx), 0)
	if err != nil {
		return nil, err
	}
	return writes.Insert(ctx, stored, triggers, checks, row, b.Base.Build)
}

// triggered builds n, whose triggers run for each row.
func (b *Builder) triggered(ctx *sql.Context, w *Work, n *planning.Triggered, row sql.Row) (sql.RowIter, error) {
	w.setSavepoint(ctx)
	switch s := n.Child.(type) {
	case *plan.InsertInto:
		return b.insert(ctx, w, s, n.Tables[0], row)
	case *plan.DeleteFrom:
		w.noteWriter(ctx, s)
		return writes.Delete(ctx, s, n.Tables, row, b.Base.Build)
	case *plan.Update:
		w.noteWriter(ctx, s)
		return writes.Update(ctx, b.Catalog, s, n.Tables, row, b.Base.Build)
	}
	return b.Base.Build(ctx, n.Child, row)
}

// update builds n, if it is of a join, or with the CHECK constraints that it lacks; nil if it lacks none.
func (b *Builder) update(ctx *sql.Context, w *Work, n *plan.Update, row sql.Row) (sql.RowIter, error) {
	w.noteWriter(ctx, n)
	if n == w.Current.checked {
		return nil, nil
	}
	if mends.WrittenRows.On() && writes.JoinOf(n) != nil {
		return writes.Update(ctx, b.Catalog, n, nil, row, b.Base.Build)
	}
	missing, err := writes.UpdateChecks(ctx, b.Catalog, n)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	w.Current.checked = n.WithChecks(append(missing, n.Checks()...)).(*plan.Update)
	return b.Base.Build(ctx, w.Current.checked, row)
}

// copyChecks gives the table that n has made LIKE others the CHECK constraints that go-mysql-server forgets.
func (b *Builder) copyChecks(ctx *sql.Context, n *plan.CreateTable, like []ast.TableName) error {
	to, ok, err := n.Database().GetTableInsensitive(ctx, n.Name())
	if err != nil || !ok {
		return err
	}
	var from []sql.Table
	for _, t := range like {
		db, err := b.Catalog.Database(ctx, session.OrCurrent(ctx, t.DbQualifier.String()))
		if err != nil {
			return err
		}
		if table, ok, err := db.GetTableInsensitive(ctx, t.Name.String()); err != nil {
			return err
		} else if ok {
			from = append(from, table)
		}
	}
	return writes.CopyChecks(ctx, to, from)
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
