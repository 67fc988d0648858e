package connection

import (
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/usertables"
)

// widths are what the columns of a statement's views and derived tables cost while its plan is made.
//
// go-mysql-server by itself each of them goes through all of its columns for each column, and through those that it is made of again. So the work
// grows with the square of both the columns and the levels, and nothing can end it. MySQL: takes as long as there are columns.
type widths struct {
	levels int  // queries, one in the other or not, that have * or many columns
	most   int  // columns of the widest of them, or of the widest table
	tree   bool // the statement itself is among them
	// own is the statement of a program that is planned, nil if it is the client's.
	own ast.Statement
}

const (
	// wideText is how long a text with many columns in several queries is at least, bytes.
	wideText = 1 << 10
	// maxWidthWork is the most work that there may be: 7 levels of the 1,017 columns that a table of InnoDB can have, 79 levels of 100.
	maxWidthWork = 32 << 20
)

// mayBeWide tells whether a text, "" for an unknown one, can have a query with * or many columns.
func mayBeWide(text string) bool {
	return text == "" || len(text) >= 2*usertables.ManyColumns || strings.Contains(text, "*")
}

// add adds the queries of a statement or a view.
func (d *widths) add(s ast.SQLNode) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		query, ok := n.(*ast.Select)
		if !ok {
			return true, nil
		}
		wide := len(query.SelectExprs) >= usertables.ManyColumns
		for _, e := range query.SelectExprs {
			if _, ok := e.(*ast.StarExpr); ok || wide {
				d.levels++
				d.most = max(d.most, len(query.SelectExprs))
				break
			}
		}
		return true, nil
	}, s)
}

// checkWidths returns the error if there is too much work for a plan whose tables have as many columns as this, or whose views do.
func (w *Work) checkWidths(columns int) error {
	d := &w.Current.widths
	tree := d.own
	if tree == nil {
		tree = w.Current.tree
	}
	if !d.tree && tree != nil {
		d.tree = true
		if ddl, ok := tree.(*ast.DDL); ok && ddl.ViewSpec != nil {
			d.add(ddl.ViewSpec.ViewExpr)
		} else if ok && ddl.OptSelect != nil {
			d.add(ddl.OptSelect)
		} else if !ok {
			d.add(tree)
		}
	}
	if d.most = max(d.most, columns); d.most*d.most*d.levels*(d.levels+1)/2 > maxWidthWork {
		return mysql.NewSQLError(1117, "HY000", "Too many columns; %d in %d queries that are views, derived tables or unions of a statement", d.most, d.levels)
	}
	return nil
}

// FindsManyColumns implements usertables.Observer.
func (w *Work) FindsManyColumns(columns int) error {
	if w.Current.planned {
		return nil
	}
	return w.checkWidths(columns)
}
