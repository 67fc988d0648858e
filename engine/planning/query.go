package planning

import (
	"fmt"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/alldigits"
	"pfsd/engine/settypes"
)

// Query plans a statement and begins to execute it. It calls bound with the plan before it is optimised, when it still has all columns
// that the statement names, and ends with the error of bound. Everything else is as in QueryWithBindings of go-mysql-server, which has no
// place for that: its rules for simple statements are not those of the analyzer, and the plan comes to no other function.
func Query(ctx *sql.Context, runner sql.StatementRunner, query string, parsed ast.Statement, bindings map[string]ast.Expr, flags *sql.QueryFlags,
	bound func(*sql.Context, sql.Node) error,
) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	query = sql.RemoveSpaceAndDelimiter(query, ';')
	e, ok := runner.(*sqle.Engine)
	prepared, isPrepared := ctx.Session.GetPreparedQuery(query)
	if isPrepared {
		parsed = prepared
	}
	switch parsed.(type) {
	case nil, *ast.Prepare, *ast.Execute, *ast.Deallocate: // which are about other statements
		ok = false
	}
	if !ok || !isPrepared && len(bindings) > 0 {
		return runner.QueryWithBindings(ctx, query, parsed, bindings, flags)
	}
	b := planbuilder.New(ctx, e.Analyzer.Catalog, e.EventScheduler)
	if isPrepared {
		b.SetBindings(bindings)
	}
	sql.IncrementStatusVariable(ctx, "Questions", 1)
	n, flags, err := optimised(ctx, e, b, query, parsed, flags, bound)
	if err != nil {
		return nil, nil, nil, err
	}
	if plan.NodeRepresentsSelect(ctx, n) {
		sql.IncrementStatusVariable(ctx, "Com_select", 1)
	}
	return e.PrepQueryPlanForExecution(ctx, query, n, flags)
}

// optimised returns the plan of a statement as it is executed.
func optimised(ctx *sql.Context, e *sqle.Engine, b *planbuilder.Builder, query string, parsed ast.Statement, flags *sql.QueryFlags,
	bound func(*sql.Context, sql.Node) error,
) (sql.Node, *sql.QueryFlags, error) {
	if err := ctx.Session.ValidateSession(ctx); err != nil {
		return nil, nil, err
	}
	if s, ok := ctx.Session.(sql.TransactionSession); ok && ctx.GetTransaction() == nil {
		tx, err := s.StartTransaction(ctx, sql.ReadWrite)
		if err != nil {
			return nil, nil, err
		}
		ctx.SetTransaction(tx)
	}
	clear := ctx.ClearWarnings
	if s, ok := ctx.Session.(interface{ WarningsBefore() (clear func()) }); ok {
		clear = s.WarningsBefore()
	}
	n, flags, err := b.BindOnly(parsed, query, flags)
	if err != nil {
		return nil, nil, err
	}
	if err := bound(ctx, n); err != nil {
		return nil, nil, err
	}
	clearWarnings(ctx, n, clear)
	if n, err = settypes.Mended(ctx, n); err != nil {
		return nil, nil, err
	}
	if n, err = alldigits.WithAllDigits(ctx, n); err != nil {
		return nil, nil, err
	}
	if n, err = e.Analyzer.Analyze(ctx, n, nil, flags); err != nil {
		return nil, nil, err
	}
	if c := b.BindCtx(); c != nil {
		if unused := c.UnusedBindings(); len(unused) > 0 {
			return nil, nil, fmt.Errorf("invalid arguments. expected: %d, found: %d", len(c.Bindings)-len(unused), len(c.Bindings))
		}
	}
	return n, flags, nil
}

// clearWarnings has clear called, which clears the warnings of the statement before, unless the statement with plan n is about them.
func clearWarnings(ctx *sql.Context, n sql.Node, clear func()) {
	switch n := n.(type) {
	case *plan.Offset, *plan.Limit:
		clearWarnings(ctx, n.Children()[0], clear)
	case *plan.Set:
	case plan.ShowWarnings:
		ctx.ClearWarningCount()
	default:
		clear()
	}
}
