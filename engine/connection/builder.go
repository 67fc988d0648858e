package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/catalog"
	"pfsd/engine/executor"
	"pfsd/engine/infoschema"
	"pfsd/engine/metering"
	"pfsd/engine/nodes"
	"pfsd/engine/processlist"
	"pfsd/engine/rights"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
	"pfsd/engine/sysvar"
	"pfsd/engine/tableuse"
	"pfsd/engine/usertables"
	"pfsd/engine/vtable"
	"pfsd/engine/wire"
	"pfsd/instr"
)

// Builder makes iterators of the nodes of a plan that the server executes itself. go-mysql-server's executor makes those of all other
// nodes. Safe for concurrent use.
type Builder struct {
	Base     *rowexec.BaseBuilder // asks the builder about each node
	Plain    *rowexec.BaseBuilder // does not
	Analyzer *analyzer.Analyzer
	// Catalog is what the statements are about.
	Catalog     sql.Catalog
	Clients     *processlist.List
	Accounts    *accounts.Store
	Variables   *sysvar.Server
	Processlist processlist.Show
	Info        *infoschema.Database
	Schema      *catalog.PerformanceSchema
	Provider    *catalog.Provider
	Reg         *instr.Registry
	// observed build nodes of statements that have a Work. builds build the others, and what observed return nil for.
	observed, builds nodes.Builders
}

// NewBuilder returns b with the functions that build each node.
func NewBuilder(b *Builder) *Builder {
	b.buildScans()
	b.buildMends()
	b.buildShows()
	b.buildStatements()
	b.programs().Register(&b.observed)
	b.buildWrites()
	b.buildDefinitions()
	b.buildReads()
	b.Provider.Info.Build(&b.builds, b.Plain, b.Info, rights.SeenColumns)
	return b
}

// onWork registers build for nodes of statements that have a Work. It returns nil if others are to build the node.
func onWork[N sql.Node](b *Builder, build func(ctx *sql.Context, w *Work, n N, row sql.Row) (sql.RowIter, error)) {
	nodes.On(&b.observed, func(ctx *sql.Context, n N, row sql.Row) (sql.RowIter, error) { return build(ctx, workOf(ctx), n, row) })
}

// measured tells whether each node is built by itself, so that EXPLAIN ANALYZE can measure it.
func measured(ctx *sql.Context) bool {
	w := workOf(ctx)
	return w != nil && w.analysis != nil
}

// Build implements sql.NodeExecBuilder; nil means that the executor builds n.
func (b *Builder) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if w := workOf(ctx); w != nil {
		return w.meter.Build(ctx, b, n, row)
	}
	return b.BuildNode(ctx, n, row)
}

var _ metering.Builder = (*Builder)(nil)

// Executor implements metering.Builder.
func (b *Builder) Executor() nodes.Executor { return b.Base }

// BuildNode implements metering.Builder.
func (b *Builder) BuildNode(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if u, ok := n.(*plan.Update); ok {
		if changed, err := usertables.UpdateByBytes(ctx, u); changed != nil || err != nil {
			if err != nil {
				return nil, err
			}
			return b.Base.Build(ctx, changed, row)
		}
	}
	w := workOf(ctx)
	if w != nil {
		if !w.Current.planned {
			if err := w.locks.Refused; err != nil {
				return nil, err
			}
			if err := sqlvalue.Ended(ctx); err != nil { // while it was planned
				return nil, err
			}
			w.notePlan(ctx, n)
			if w.Rights.Partial() { // the check of columns comes first, however a plan was made
				return nil, access.ErrNeeds(accounts.Super)
			}
		}
		if !w.Rights.Access().Unrestricted() && !rights.KnownNode(n) {
			return nil, access.ErrNeeds(accounts.Super)
		}
		if w.analysis != nil { // each node is built by itself, so that it can be measured
			if rows, ours, err := w.analysis.Build(ctx, b.Base, n, row); ours {
				return rows, err
			}
		}
		if err := w.vars.Note(n); err != nil {
			return nil, err
		}
	}
	if calculates(n) {
		if rows, err := b.buildMended(ctx, n, row); rows != nil || err != nil {
			return rows, err
		}
	}
	if w != nil {
		if rows, err := b.observed.Build(ctx, n, row); rows != nil || err != nil {
			return rows, err
		}
	}
	return b.builds.Build(ctx, n, row)
}

// calculates tells whether n is of a kind whose expressions are mended before it is built. Others mend theirs where they are built.
func calculates(n sql.Node) bool {
	switch n.(type) {
	case *plan.GroupBy, *plan.Window, *plan.Sort, *plan.TopN, *plan.Values, *plan.UpdateSource, *plan.Update, *plan.Set, *plan.Having, *plan.ValueDerivedTable:
		return true
	}
	return false
}

// dualRow is the row that SELECT reads without FROM. To read it from go-mysql-server's table takes a tenth of the statement's time.
var dualRow = sql.Row{"x"}

// count builds n, which reads a table, and counts its rows. It returns nil for a table that counts them itself.
func (b *Builder) count(ctx *sql.Context, w *Work, n sql.Node, t sql.Table, row sql.Row) (sql.RowIter, error) {
	if t.Name() == plan.DualTableName {
		if w.analysis != nil {
			return nil, nil
		}
		return sql.RowsToRowIter(dualRow), nil
	}
	if _, ours := sql.GetUnderlyingTable(t).(*vtable.Table); ours {
		return nil, nil
	}
	w.noteTable(ctx, t)
	u := w.opened.Reads(ctx, n, t, w.Current.used)
	read, err := executor.DecimalColumns(ctx, n, t)
	if err != nil {
		return nil, err
	}
	rows, err := b.readTable(ctx, read, row)
	if err != nil {
		return nil, err
	}
	if u != nil {
		rows = w.opened.Fetch(u, rows, &w.Current.Examined)
	} else {
		rows = &counting{rows, &w.Current.Examined}
	}
	rows = tableuse.Requesting(ctx, n, rows, w.Processor, &w.Current.Counts)
	if many, ok := w.Current.scans.Long(n); ok {
		return w.Current.stage.Reading(rows, many), nil
	}
	return rows, nil
}

// readTable builds n, which reads a table.
func (b *Builder) readTable(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	access, ok := n.(*plan.IndexedTableAccess)
	if !ok {
		return b.Plain.Build(ctx, n, row)
	}
	return executor.LookUp(ctx, access, row, func() (sql.RowIter, error) {
		if rows, ok, err := usertables.LookUp(ctx, access, row); ok {
			return rows, err
		}
		return b.Plain.Build(ctx, n, row)
	}, func() (sql.RowIter, error) { return b.Plain.Build(ctx, access.TableNode, nil) })
}

// buildMended builds n if its expressions need to be mended; nil if they do not.
func (b *Builder) buildMended(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	m, same, err := sqlexpr.MendExpressions(ctx, n)
	if err != nil || same {
		return nil, err
	}
	return b.Base.Build(ctx, m, row)
}

// filter builds n. A table of performance_schema tests the parts of the condition that it can test.
func (b *Builder) filter(ctx *sql.Context, n *plan.Filter, row sql.Row) (sql.RowIter, error) {
	if w := workOf(ctx); w == nil || w.analysis == nil {
		if s := b.scanOf(ctx, n.Child, row); s != nil && s.Filter(ctx, n.Expression) {
			return s, nil
		}
	}
	child, err := b.Base.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return plan.NewFilterIter(n.Expression, child), nil
}

// scanOf returns the scan of a table of performance_schema that does all that n does; nil if n does more than to filter, sort and select
// columns of one such table.
func (b *Builder) scanOf(ctx *sql.Context, n sql.Node, row sql.Row) *vtable.Scan {
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
			rows, err := vtable.LookUp(ctx, t, n, tableuse.RequestsOf(ctx, n), row)
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
			s.Requests = tableuse.RequestsOfLookup(ctx, n, l)
			return s
		}
	case *plan.TableAlias:
		return b.scanOf(ctx, n.Child, row)
	case *plan.Filter:
		s := b.scanOf(ctx, n.Child, row)
		if s == nil {
			return nil
		}
		mended, _, err := sqlexpr.MendExpressions(ctx, n)
		if err != nil || !s.Filter(ctx, b.Info.Narrow(ctx, mended.(*plan.Filter)).Expression) {
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
		if s := b.scanOf(ctx, n.Child, row); s != nil && s.SortBy(ctx, n.SortFields, wire.NoLimit) {
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

// keyColumnDropped returns an error if n drops a column of the primary key: go-mysql-server panics then.
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

// pace charges each row of an iterator as work, if processor time is limited.
func (w *Work) pace(rows sql.RowIter) sql.RowIter {
	if w == nil {
		return rows
	}
	return metering.Pace(rows, w.Processor)
}
