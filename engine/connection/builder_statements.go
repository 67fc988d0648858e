package connection

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/infoschema"
	"pfsd/engine/mends"
	"pfsd/engine/nodes"
	"pfsd/engine/rights"
	"pfsd/engine/serverfiles"
	"pfsd/engine/vtable"
	"pfsd/tables"
)

// buildShows registers SHOW statements whose rows depend on the rights of the session, or on the server.
func (b *Builder) buildShows() {
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.DescribeQuery, _ sql.Row) (sql.RowIter, error) {
		return b.explain(ctx, n)
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.AnalyzeTable, row sql.Row) (sql.RowIter, error) {
		rows, err := b.Plain.Build(ctx, n, row)
		if err != nil {
			return nil, err
		}
		db := ctx.GetCurrentDatabase() // the one that the statement names, if it does
		return edited(rows, func(r sql.Row) { r[0] = db + "." + text(r[0]) }), nil
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.ShowCreateEvent, row sql.Row) (sql.RowIter, error) {
		rows, err := b.Plain.Build(ctx, n, row)
		if err != nil {
			return nil, err
		}
		return edited(rows, func(r sql.Row) {
			const mode, create, client, connection = 1, 3, 4, 5
			r[client], r[connection] = vtable.Collation.CharacterSet().Name(), vtable.Collation.Name() // of the connection that made it
			r[mode], r[create] = infoschema.ModeText(text(r[mode])), strings.Replace(text(r[create]), "CREATE DEFINER = ", "CREATE DEFINER=", 1)
		}), nil
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.ShowDatabases, row sql.Row) (sql.RowIter, error) {
		rows, err := b.Plain.Build(ctx, n, row)
		if err != nil {
			return nil, err
		}
		return rights.Shown(infoschema.ShowDatabases(rows), rights.DatabaseRow), nil
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.ShowTables, row sql.Row) (sql.RowIter, error) {
		rows, err := b.Plain.Build(ctx, n, row)
		if err != nil {
			return nil, err
		}
		return rights.Shown(rows, rights.TableRow(n.Database())), nil
	})
	nodes.On(&b.builds, func(ctx *sql.Context, _ *plan.ShowProcessList, _ sql.Row) (sql.RowIter, error) {
		return b.Processlist.Rows(ctx)
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.ShowStatus, _ sql.Row) (sql.RowIter, error) {
		return b.showStatus(ctx, n)
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.ShowVariables, _ sql.Row) (sql.RowIter, error) {
		return b.Variables.Show(ctx, n, databaseCollation(ctx, b.Provider))
	})
}

// buildStatements registers statements about the session: its transaction, its locks, its variables, and files of its client.
func (b *Builder) buildStatements() {
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.Kill, _ sql.Row) (sql.RowIter, error) {
		if err := b.Clients.KillBy(ctx, b.Accounts, n.ConnID, n.Kt == plan.KillType_Connection); err != nil {
			return nil, err
		}
		return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), nil
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.Into, row sql.Row) (sql.RowIter, error) {
		return serverfiles.Into(ctx, b.Variables, b.Base, n, row)
	})
	nodes.On(&b.builds, func(ctx *sql.Context, n *plan.LoadData, row sql.Row) (sql.RowIter, error) {
		rows, err := serverfiles.Load(ctx, b.Variables, b.Plain, n, row)
		return workOf(ctx).pace(rows), err
	})
	nodes.On(&b.builds, b.setSession)
	transacts[*plan.StartTransaction](b)
	transacts[*plan.Commit](b)
	transacts[*plan.Rollback](b)
	transacts[*plan.CreateSavepoint](b)
	transacts[*plan.RollbackSavepoint](b)
	transacts[*plan.ReleaseSavepoint](b)
	onWork(b, func(ctx *sql.Context, w *Work, _ *plan.LockTables, _ sql.Row) (sql.RowIter, error) {
		if s, ok := w.Current.tree.(*ast.LockTables); ok {
			return sql.RowsToRowIter(), w.locks.LockTables(ctx, s)
		}
		return nil, nil
	})
	onWork(b, func(_ *sql.Context, w *Work, _ *plan.UnlockTables, _ sql.Row) (sql.RowIter, error) {
		w.locks.UnlockTables()
		return sql.RowsToRowIter(), nil
	})
	onWork(b, func(_ *sql.Context, w *Work, n *plan.DeallocateQuery, _ sql.Row) (sql.RowIter, error) {
		w.Preparations.DropNamed(n.Name)
		return nil, nil
	})
}

// setSession builds SET. What has been cached of the session's variables is read again afterwards.
func (b *Builder) setSession(ctx *sql.Context, n *plan.Set, row sql.Row) (sql.RowIter, error) {
	if w := workOf(ctx); w != nil {
		w.slow.unknown = true
		w.profiles.Ask()
		n = w.vars.ChargedSet(n)
	}
	return b.set(ctx, n, row)
}

// transacts registers a node that begins or ends a transaction, or is about a savepoint.
func transacts[N sql.Node](b *Builder) {
	onWork(b, func(ctx *sql.Context, w *Work, n N, row sql.Row) (sql.RowIter, error) {
		return w.buildTransaction(ctx, n, func() (sql.RowIter, error) { return b.Plain.Build(ctx, n, row) })
	})
}

// showStatus builds SHOW STATUS.
//
// go-mysql-server: most status variables have no value; all servers of a process share them, and some of MySQL's are missing. MySQL:
// calculates the values when SHOW STATUS reads them.
func (b *Builder) showStatus(ctx *sql.Context, n *plan.ShowStatus) (sql.RowIter, error) {
	if !mends.StatusValues.On() {
		return nil, nil
	}
	var t tables.Thread
	if w := workOf(ctx); w != nil && w.Thread != nil {
		t = w.Thread
	}
	var rows []sql.Row
	for _, v := range tables.ShowStatus(tables.Of(b.Reg), t, *n == *plan.NewShowStatus(true)) {
		rows = append(rows, sql.Row{v.Name, v.Value})
	}
	return sql.RowsToRowIter(rows...), nil
}
