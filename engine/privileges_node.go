package engine

import (
	"reflect"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/infoschema"
	"pfsd/engine/privilege"
	"pfsd/engine/session"
)

// knownNode tells whether a node of a plan is one of those that package privilege says can be carried out for an account
// that may do less than everything. What the statement needs has been asked for before.
func knownNode(n sql.Node) bool {
	t := reflect.TypeOf(n)
	if known, ok := nodeTypes.Load(t); ok {
		return known.(bool)
	}
	if t.Kind() == reflect.Pointer {
		known := privilege.NodeRuns(t.Elem().String())
		nodeTypes.Store(t, known)
		return known
	}
	known := privilege.NodeRuns(t.String())
	nodeTypes.Store(t, known)
	return known
}

// nodeTypes are those that have been asked about, and the answers.
var nodeTypes sync.Map

// shown filters what SHOW DATABASES and its sisters list: names tells the database and the
// table that a row is about, from the row.
func shown(rows sql.RowIter, names func(sql.Row) (db, table string)) sql.RowIter {
	return &shownRows{rows, names}
}

// shownRows leaves out what the session may not see. Owned by one goroutine.
type shownRows struct {
	sql.RowIter
	names func(sql.Row) (db, table string)
}

// Next implements sql.RowIter.
func (s *shownRows) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := s.RowIter.Next(ctx)
		if err != nil {
			return nil, err
		}
		if db, table := s.names(row); access.Visible(ctx, db, table) {
			return row, nil
		}
	}
}

// seenColumns leaves out of SHOW COLUMNS of a table of users' the columns on which the session has no privilege.
func seenColumns(ctx *sql.Context, n sql.Node, rows sql.RowIter) sql.RowIter {
	show, ok := n.(*plan.ShowColumns)
	w := workOf(ctx)
	if !ok || w == nil || w.rights.access().Unrestricted() {
		return rows
	}
	t, ok := show.Child.(*plan.ResolvedTable)
	if !ok || t.SqlDatabase == nil || w.locks.Hides(ctx, session.TableKey(t.SqlDatabase.Name(), t.Name())) {
		return rows
	}
	return &seenColumnRows{rows, t.SqlDatabase.Name(), t.Name()}
}

// seenColumnRows are the rows of SHOW COLUMNS about columns that the session may see. Owned by one goroutine.
type seenColumnRows struct {
	sql.RowIter
	db, table string
}

// Next implements sql.RowIter.
func (s *seenColumnRows) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := s.RowIter.Next(ctx)
		if err != nil || infoschema.ColumnPrivileges(ctx, s.db, s.table, text(row[0])) != "" {
			return row, err
		}
	}
}

// databaseRow is a row that is about the database with the name in its first column.
func databaseRow(r sql.Row) (db, table string) { return text(r[0]), "" }

// tableRow is a row that is about the table of db with the name in its first column.
func tableRow(db sql.Database) func(sql.Row) (db, table string) {
	return func(r sql.Row) (string, string) { return db.Name(), text(r[0]) }
}

// showSelected is the query of information_schema that a SHOW stands for, nil if go-mysql-server carries it out itself.
func (p parser) showSelected(ctx *sql.Context, s *ast.Show) (ast.Statement, error) {
	if w := workOf(ctx); w != nil && infoschema.IsQuery(s) {
		// What it is made into no longer says what it is about.
		if err := w.authorizeStatement(ctx, s, ""); err != nil {
			return nil, err
		}
	}
	return infoschema.QueryOfShow(ctx, s, p.provider)
}
