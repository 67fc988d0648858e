package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/parsing"
)

// maxViewTables is how many tables the views of a statement may have, those of a view each time that it is named.
const maxViewTables = 1024

// noteView notes that the definition s of a view takes the place of its name in the statement that is being planned. It is
// an error if that makes too many tables: views that name another twice would double them at each level.
func (w *Work) noteView(s ast.Statement) error {
	view, ok := s.(*ast.DDL)
	if !ok || view.ViewSpec == nil || w.Current.planned {
		return nil
	}
	w.Current.viewTables++
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if _, ok := n.(*ast.AliasedTableExpr); ok {
			w.Current.viewTables++
		}
		return true, nil
	}, view.ViewSpec.ViewExpr)
	if w.Current.viewTables > maxViewTables {
		return mysql.NewSQLError(1116, "HY000", "Too many tables; the views of a statement can only use %d tables, each time that they are named", maxViewTables)
	}
	return nil
}

var _ parsing.Session = (*processes)(nil)

// ReadsView implements ParserSession.
func (p *processes) ReadsView(s ast.Statement) error {
	if p.work == nil {
		return nil
	}
	p.work.readsView(s)
	return p.work.noteView(s)
}

// Run implements ParserSession.
func (p *processes) Run(ctx *sql.Context, s ast.Statement) (sql.RowIter, error) {
	_, rows, _, err := runner{p.work.Runner, p.work}.QueryWithBindings(ctx, "", s, nil, nil)
	return rows, err
}

// ShutDown implements ParserSession.
func (p *processes) ShutDown() {
	if c := p.work.Client; c != nil {
		c.Wire.LastCommand.Store(true)
		p.work.Shutdown(c.Listed.User())
	}
}
