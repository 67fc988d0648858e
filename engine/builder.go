package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/charge"
	"pfsd/engine/compat"
	"pfsd/engine/infoschema"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sysvar"
	"pfsd/engine/vtable"
	"pfsd/instr"
	"pfsd/tables"
)

// builder turns the nodes of a plan that the engine wants for itself into iterators; the
// rest it leaves to the executor. Safe for concurrent use.
type builder struct {
	base     *rowexec.BaseBuilder // asks the builder about each node
	plain    *rowexec.BaseBuilder // does not
	analyzer *analyzer.Analyzer
	// catalog is what the statements are about.
	catalog   sql.Catalog
	kill      func(ctx *sql.Context, id uint32, connection bool) error
	variables *sysvar.Server
	// processlist is the table, nil if the server does not have it.
	processlist tables.Table
	info        *compat.InfoSchema
	schema      *database
	provider    *provider
	reg         *instr.Registry
}

// Build implements sql.NodeExecBuilder; nil means that the executor builds n.
func (b *builder) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if w := workOf(ctx); w != nil {
		return b.metered(ctx, w, n, row)
	}
	return b.build(ctx, n, row)
}

// build is Build of rows that nobody keeps, as far as it knows.
func (b *builder) build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if u, ok := n.(*plan.Update); ok {
		if changed, err := updatesBytes(ctx, u); changed != nil || err != nil {
			if err != nil {
				return nil, err
			}
			return b.base.Build(ctx, changed, row)
		}
	}
	measured := false // each node is built by itself, so that it can be measured
	if w := workOf(ctx); w != nil {
		measured = w.analysis != nil
		if !w.statement.planned {
			if err := w.statement.refused; err != nil {
				return nil, err
			}
			if err := compat.Ended(ctx); err != nil { // while it was planned
				return nil, err
			}
			w.plan(ctx, n)
			if w.rights.columns {
				if err := b.columns(ctx, w); err != nil {
					return nil, err
				}
			}
		}
		if !w.rights.access().Unrestricted() && !knownNode(n) {
			return nil, access.ErrNeeds(accounts.Super)
		}
		if measured {
			if rows, ours, err := w.analysis.Build(ctx, b.base, n, row); ours {
				return rows, err
			}
		}
		if rows, err := b.observe(ctx, w, n, row); rows != nil || err != nil {
			return rows, err
		}
	}
	switch n := n.(type) {
	case *plan.GroupBy:
		if s := b.scanOf(ctx, n.Child, row); s != nil && !measured {
			if a := vtable.NewAggregate(ctx, n, s); a != nil {
				return a, nil
			}
		}
		child, err := b.base.Build(ctx, n.Child, row)
		if err != nil {
			return nil, err
		}
		return compat.NewGroupBy(ctx, n, workOf(ctx).pace(child)), nil
	case *plan.Kill:
		if err := b.kill(ctx, n.ConnID, n.Kt == plan.KillType_Connection); err != nil {
			return nil, err
		}
		return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), nil
	case *plan.SubqueryAlias:
		return compat.NewDerived(ctx, n, row, b.base)
	case *plan.Window:
		child, err := b.base.Build(ctx, n.Child, row)
		if err != nil {
			return nil, err
		}
		return compat.NewWindow(ctx, n, workOf(ctx).pace(child)), nil
	case *plan.TableCopier:
		if create, ok := n.Destination.(*plan.CreateTable); ok {
			return compat.CreateSelect(ctx, b.analyzer, n, create, row, b.base.Build)
		}
	case *compat.Planned:
		return b.base.Build(ctx, n.Node, row)
	case *plan.RecursiveCte:
		return compat.NewRecursion(ctx, n, row, b.base.Build)
	case *plan.DescribeQuery:
		return b.explain(ctx, n)
	case *plan.ShowColumns, *plan.ShowTableStatus, *plan.ShowIndexes:
		if rows, ok, err := infoschema.Described(ctx, n, b.info); ok || err != nil {
			return rows, err
		}
		rows, err := b.plain.Build(ctx, n, row)
		if err != nil {
			return nil, err
		}
		return compat.Show(ctx, n, seenColumns(ctx, n, rows), func(schema, table, column string) string {
			if show, ok := mysqlerr.TreeOf(ctx).(*ast.Show); ok && schema == "" {
				schema = keyOf(ctx, show.Table).Schema
			}
			return infoschema.ColumnPrivileges(ctx, schema, table, column)
		}), nil
	case *plan.ShowCreateTable, *plan.ShowCreateProcedure, *plan.ShowCreateTrigger:
		if rows, ok, err := b.provider.info.ShowCreate(ctx, n); ok || err != nil {
			return rows, err
		}
	case *plan.ShowCreateEvent:
		rows, err := b.plain.Build(ctx, n, row)
		if err != nil {
			return nil, err
		}
		return edited(rows, func(r sql.Row) {
			const mode, create, client, connection = 1, 3, 4, 5
			r[client], r[connection] = vtable.Collation.CharacterSet().Name(), vtable.Collation.Name() // of the connection that made it
			r[mode], r[create] = infoschema.ModeText(text(r[mode])), strings.Replace(text(r[create]), "CREATE DEFINER = ", "CREATE DEFINER=", 1)
		}), nil
	case *plan.AnalyzeTable:
		rows, err := b.plain.Build(ctx, n, row)
		if err != nil {
			return nil, err
		}
		db := ctx.GetCurrentDatabase() // the one that the statement names, if it does
		return edited(rows, func(r sql.Row) { r[0] = db + "." + text(r[0]) }), nil
	case *plan.ShowTriggers:
		return b.provider.info.ShowTriggers(ctx, n.Database().Name())
	case *plan.ShowDatabases:
		rows, err := b.plain.Build(ctx, n, row)
		if err != nil {
			return nil, err
		}
		return shown(compat.ShowDatabases(rows), databaseRow), nil
	case *plan.ShowTables:
		rows, err := b.plain.Build(ctx, n, row)
		if err != nil {
			return nil, err
		}
		return shown(rows, tableRow(n.Database())), nil
	case *plan.Into:
		return b.into(ctx, n, row)
	case *plan.LoadData:
		return b.loadData(ctx, n, row)
	case *plan.Set:
		if w := workOf(ctx); w != nil {
			w.slow.unknown, w.profiles.unknown = true, true
			if w.answers != nil {
				w.answers.unknown = true
			}
		}
		if w := workOf(ctx); w != nil {
			n = w.chargedSet(n)
		}
		return b.set(ctx, n, row)
	case *plan.ShowProcessList:
		return b.processes(ctx)
	case *plan.ShowStatus:
		return b.showStatus(ctx, n)
	case *plan.ShowVariables:
		return b.variables.Show(ctx, n, databaseCollation(ctx, b.provider))
	case *plan.Filter:
		mended, _, err := compat.MendExpressions(ctx, n)
		if err != nil {
			return nil, err
		}
		return b.filter(ctx, b.info.Narrow(ctx, mended.(*plan.Filter)), row)
	case *plan.SetOp:
		if sorted := compat.SortSetOp(ctx, n); sorted != nil {
			return b.base.Build(ctx, sorted, row)
		}
		if n.SetOpType == plan.UnionType && !n.Distinct && !compat.TextsInDecimals(ctx, n) {
			return nil, nil
		}
		left, err := b.base.Build(ctx, n.Left(), row)
		if err != nil {
			return nil, err
		}
		left = workOf(ctx).pace(left)
		return compat.NewSetOp(ctx, n, left, func() (sql.RowIter, error) { return b.base.Build(ctx, n.Right(), row) }), nil
	case *plan.Distinct:
		child, err := b.base.Build(ctx, n.Child, row)
		if err != nil {
			return nil, err
		}
		return compat.NewDistinct(ctx, n, workOf(ctx).pace(child)), nil
	case *plan.HashLookup:
		if compat.HashesSubquery(ctx, n) {
			return b.base.Build(ctx, n.Child, row)
		}
		compat.WeighKeys(ctx, n)
	case *plan.IndexedTableAccess:
		if t, ok := sql.GetUnderlyingTable(n.Table).(*vtable.Table); ok && len(n.Expressions()) > 0 {
			return vtable.LookUp(ctx, t, n, asksOf(ctx, n), row)
		}
		if s := b.scanOf(ctx, n, row); s != nil {
			return s, nil
		}
	case *plan.ResolvedTable, *plan.TableAlias:
		if _, alias := n.(*plan.TableAlias); alias && measured {
			return nil, nil
		}
		if s := b.scanOf(ctx, n, row); s != nil {
			return s, nil
		}
	case *plan.Project:
		if s := b.scanOf(ctx, n, row); s != nil && !measured {
			return s, nil
		}
		if p := charge.Columns(ctx, n); p != n {
			return b.base.Build(ctx, p, row)
		}
		return b.mended(ctx, n, row)
	case *plan.Values:
		if v := charge.Values(ctx, n); v != n {
			return b.base.Build(ctx, v, row)
		}
	case *plan.JoinNode, *plan.Having:
		return b.mended(ctx, n, row)
	case *plan.ValueDerivedTable:
		return compat.ValueTable(ctx, n, row)
	}
	return nil, nil
}

// columns tells why the session may not use the columns that its statement does.
func (b *builder) columns(ctx *sql.Context, w *work) error {
	query := ctx.Query()
	if w.program == nil {
		query = w.rights.query
	}
	err := authorizeColumns(ctx, b.catalog, query)
	w.rights.columns = false
	return err
}

// observe builds what is to be observed while it runs, of work w; nil is anything else.
func (b *builder) observe(ctx *sql.Context, w *work, n sql.Node, row sql.Row) (sql.RowIter, error) {
	w.assign(n)
	switch n := n.(type) {
	case *plan.Call:
		return b.call(ctx, w, n, row)
	case *plan.TriggerExecutor:
		return b.trigger(ctx, w, n, row)
	case *triggerNode:
		return b.triggered(ctx, w, n, row)
	case *plan.IfElseBlock:
		if w.program != nil && w.program.body == nil {
			return b.branch(ctx, w, n, row)
		}
	case *plan.DropTable:
		w.changes(ctx, n)
		return b.drop(ctx, w, n, row)
	case *plan.DropProcedure, *plan.DropTrigger, *plan.DropDB:
		return b.drop(ctx, w, n, row)
	case *plan.StartTransaction, *plan.Commit, *plan.Rollback,
		*plan.CreateSavepoint, *plan.RollbackSavepoint, *plan.ReleaseSavepoint:
		return w.transact(ctx, n, func() (sql.RowIter, error) { return b.plain.Build(ctx, n, row) })
	case *plan.LockTables:
		if s, ok := w.statement.tree.(*ast.LockTables); ok {
			return sql.RowsToRowIter(), w.lockStatement(ctx, s)
		}
	case *plan.UnlockTables:
		w.unlockTables()
		return sql.RowsToRowIter(), nil
	case *plan.DeallocateQuery:
		w.preparations.dropNamed(n.Name)
	case *plan.InsertInto:
		stored, now, err := compat.StoreInsert(ctx, n)
		if !now || err != nil {
			return nil, err
		}
		w.writes(ctx, n)
		if t, err := plan.GetInsertable(n.Destination); err == nil {
			w.use(ctx, t)
		}
		return b.base.Build(ctx, stored, row)
	case *plan.UpdateSource:
		stored, now, err := compat.StoreUpdate(ctx, n)
		if !now || err != nil {
			return nil, err
		}
		return b.base.Build(ctx, stored, row)
	case *compat.Stored:
		child, err := b.base.Build(ctx, n.Child, row)
		if err != nil {
			return nil, err
		}
		return n.Rows(child), nil
	case *plan.Update, *plan.DeleteFrom:
		w.writes(ctx, n)
	case *plan.CreateTable, *plan.RenameTable, *plan.CreateForeignKey:
		w.changes(ctx, n)
	case *plan.AddColumn, *plan.ModifyColumn, *plan.DropColumn, *plan.AlterIndex, *plan.AlterPK:
		if err := keyColumnDropped(ctx, n); err != nil {
			return nil, err
		}
		w.changes(ctx, n)
		copied, err := w.copies(n)
		if err != nil {
			return nil, err
		}
		build := func() (sql.RowIter, error) { return b.plain.Build(ctx, copied, row) }
		if m, ok := n.(*plan.ModifyColumn); ok {
			return compat.ModifyColumn(m, build)
		}
		return build()
	case *plan.JSONTable:
		return compat.NewJSONTable(ctx, compat.JSONTable(n), row)
	case *plan.Values:
		if len(n.ExpressionTuples) >= longRows {
			return b.load(ctx, w, n, row)
		}
	case *plan.ResolvedTable:
		return b.count(ctx, w, n, n.Table, row)
	case *plan.IndexedTableAccess:
		return b.count(ctx, w, n, n.Table, row)
	case *plan.Sort:
		if s := b.scanOf(ctx, n, row); s != nil && w.analysis == nil {
			return s, nil
		}
		child, err := b.base.Build(ctx, n.Child, row)
		if err != nil {
			return nil, err
		}
		return &sorting{RowIter: iters.NewSortIter(compat.SortFields(ctx, n.SortFields), &counting{w.pace(child), &w.statement.Sorted}), work: w}, nil
	case *plan.TopN:
		if s := b.scanOf(ctx, n, row); s != nil && w.analysis == nil {
			return s, nil
		}
		limit, err := iters.GetInt64Value(ctx, n.Limit)
		if err != nil {
			return nil, err
		}
		child, err := b.base.Build(ctx, n.Child, row)
		if err != nil {
			return nil, err
		}
		fields := compat.SortFields(ctx, n.Fields)
		top := compat.NewTop(ctx, n, fields, limit, w.pace(child))
		return &counting{&sorting{RowIter: top, work: w}, &w.statement.Sorted}, nil
	}
	return nil, nil
}

// count builds n, which reads a table, and counts its rows; nil if it is one of those that
// count their rows themselves.
func (b *builder) count(ctx *sql.Context, w *work, n sql.Node, t sql.Table, row sql.Row) (sql.RowIter, error) {
	if _, ours := sql.GetUnderlyingTable(t).(*vtable.Table); ours || t.Name() == plan.DualTableName {
		return nil, nil
	}
	w.use(ctx, t)
	u := w.usesTable(ctx, n, t)
	read, err := compat.DecimalColumns(ctx, n, t)
	if err != nil {
		return nil, err
	}
	rows, err := b.plain.Build(ctx, read, row)
	if err != nil {
		return nil, err
	}
	if u != nil {
		rows = u.fetch(w, rows)
	} else {
		rows = &counting{rows, &w.statement.Examined}
	}
	rows = &asking{RowIter: rows, work: w, Requests: asksOf(ctx, n)}
	if s, ok := w.statement.scans.longScanOf(n); ok {
		return &progressing{RowIter: rows, work: w, stage: w.statement.long, from: longRows, estimate: s.rows}, nil
	}
	return rows, nil
}

// mended builds n if its expressions need to be mended; nil if they do not.
func (b *builder) mended(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	m, same, err := compat.MendExpressions(ctx, n)
	if err != nil || same {
		return nil, err
	}
	return b.base.Build(ctx, m, row)
}

// filter builds n; what a table can do of the condition, it does.
func (b *builder) filter(ctx *sql.Context, n *plan.Filter, row sql.Row) (sql.RowIter, error) {
	if w := workOf(ctx); w == nil || w.analysis == nil {
		if s := b.scanOf(ctx, n.Child, row); s != nil && s.Where(ctx, n.Expression) {
			return s, nil
		}
	}
	child, err := b.base.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return plan.NewFilterIter(n.Expression, child), nil
}

// scanOf returns the scan that n amounts to, or nil if it is more than columns of one
// virtual table under conditions, sorted or not.
func (b *builder) scanOf(ctx *sql.Context, n sql.Node, row sql.Row) *vtable.Scan {
	switch n := n.(type) {
	case *plan.ResolvedTable:
		if t, ok := sql.GetUnderlyingTable(n.Table).(*vtable.Table); ok {
			return vtable.NewScan(t, nil)
		}
	case *plan.IndexedTableAccess:
		t, ok := sql.GetUnderlyingTable(n.Table).(*vtable.Table)
		if !ok {
			return nil
		}
		if len(n.Expressions()) > 0 {
			rows, err := vtable.LookUp(ctx, t, n, asksOf(ctx, n), row)
			if s, ok := rows.(*vtable.Scan); ok && err == nil {
				return s
			}
			return nil
		}
		l, inRange, err := n.GetLookup(ctx, row)
		if err != nil || !inRange {
			return nil
		}
		if keys, ok := t.Keys(l); ok && len(keys) == 1 {
			s := vtable.NewScan(t, keys[0])
			s.Requests = lookupAsks(ctx, n, l)
			return s
		}
	case *plan.TableAlias:
		return b.scanOf(ctx, n.Child, row)
	case *plan.Filter:
		s := b.scanOf(ctx, n.Child, row)
		if s == nil {
			return nil
		}
		mended, _, err := compat.MendExpressions(ctx, n)
		if err != nil || !s.Where(ctx, b.info.Narrow(ctx, mended.(*plan.Filter)).Expression) {
			return nil
		}
		return s
	case *plan.TopN:
		if n.CalcFoundRows {
			return nil
		}
		limit, err := iters.GetInt64Value(ctx, n.Limit)
		if err != nil || limit < 0 {
			return nil
		}
		if s := b.scanOf(ctx, n.Child, row); s != nil && s.SortBy(ctx, n.Fields, limit) {
			return s
		}
	case *plan.Sort:
		if s := b.scanOf(ctx, n.Child, row); s != nil && s.SortBy(ctx, n.SortFields, noLimit) {
			return s
		}
	case *plan.Project:
		s := b.scanOf(ctx, n.Child, row)
		if s == nil {
			return nil
		}
		cols := make([]int, len(n.Projections))
		for i, e := range n.Projections {
			if a, ok := e.(*expression.Alias); ok {
				e = a.Child
			}
			f, ok := e.(*expression.GetField)
			if !ok || f.Index() >= len(s.Cols) {
				return nil
			}
			cols[i] = s.Cols[f.Index()]
		}
		s.Cols = cols
		return s
	}
	return nil
}

// keyColumnDropped is why a column may not be dropped: the SQL engine loses the place of those of the primary key, and panics; nil if it may.
func keyColumnDropped(ctx *sql.Context, n sql.Node) error {
	d, ok := n.(*plan.DropColumn)
	if !ok {
		return nil
	}
	schema := d.Table.Schema(ctx)
	if i := schema.IndexOfColName(d.Column); i >= 0 && schema[i].PrimaryKey {
		return mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support 'DROP COLUMN of a primary key'")
	}
	return nil
}
