package rights

import (
	"reflect"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/access"
	"pfsd/engine/infoschema"
	"pfsd/engine/privilege"
	"pfsd/engine/session"
)

// KnownNode reports whether package privilege allows a node of a plan for an account that may not
// do everything. The privileges of the statement have been checked before.
func KnownNode(n sql.Node) bool {
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

// nodeTypes caches the results of KnownNode.
var nodeTypes sync.Map

// Shown filters the rows of SHOW DATABASES and similar statements. names returns the database and
// the table of a row.
func Shown(rows sql.RowIter, names func(sql.Row) (db, table string)) sql.RowIter {
	return &shownRows{rows, names}
}

// shownRows leaves out the rows that the session may not see. Owned by one goroutine.
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

// SeenColumns removes from the rows of SHOW COLUMNS for a user's table the columns on which the
// session has no privilege.
func SeenColumns(ctx *sql.Context, n sql.Node, rows sql.RowIter) sql.RowIter {
	show, ok := n.(*plan.ShowColumns)
	if !ok || Of(ctx).Access().Unrestricted() {
		return rows
	}
	t, ok := show.Child.(*plan.ResolvedTable)
	if !ok || t.SqlDatabase == nil || hides(ctx, session.TableKey(t.SqlDatabase.Name(), t.Name())) {
		return rows
	}
	return &seenColumnRows{rows, t.SqlDatabase.Name(), t.Name()}
}

// seenColumnRows are the rows of SHOW COLUMNS about columns that the session may see. Owned by one
// goroutine.
type seenColumnRows struct {
	sql.RowIter
	db, table string
}

// Next implements sql.RowIter.
func (s *seenColumnRows) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := s.RowIter.Next(ctx)
		if err != nil || infoschema.ColumnPrivileges(ctx, s.db, s.table, nameIn(row)) != "" {
			return row, err
		}
	}
}

// nameIn returns the name in the first column of a row.
func nameIn(r sql.Row) string {
	s, _ := r[0].(string)
	return s
}

// DatabaseRow returns the database in the first column of a row.
func DatabaseRow(r sql.Row) (db, table string) { return nameIn(r), "" }

// TableRow returns a function that returns db and the table in the first column of a row.
func TableRow(db sql.Database) func(sql.Row) (db, table string) {
	return func(r sql.Row) (string, string) { return db.Name(), nameIn(r) }
}
