package grammar

import (
	"errors"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/syntax"
)

// CreateSelect executes CREATE TABLE ... SELECT. build makes iterators of nodes, and a plans the
// INSERT. After an error the caller removes the table, unless it is a temporary one.
//
// go-mysql-server: inserts the rows of the query as if they had all columns of the table, in their
// order; leaves the table behind if that fails; inserts into a table that exists in spite of IF NOT
// EXISTS. MySQL: other columns get their defaults; without the rows there is no table.
func CreateSelect(ctx *sql.Context, a *analyzer.Analyzer, n *plan.TableCopier, create *plan.CreateTable, row sql.Row, build func(*sql.Context, sql.Node, sql.Row) (sql.RowIter, error)) (sql.RowIter, error) {
	db := n.Database()
	_, exists, err := db.GetTableInsensitive(ctx, create.Name())
	if err != nil {
		return nil, err
	}
	created, err := build(ctx, create, row)
	if err != nil || exists { // and so IF NOT EXISTS has a note about it
		return created, err
	}
	_, err = sql.RowIterToRows(ctx, created)
	if err != nil {
		return nil, err
	}
	rows, err := insertSelected(ctx, a, n, create, row, build)
	if err == nil {
		return sql.RowsToRowIter(rows...), nil
	}
	if !create.Temporary() { // the caller takes it back
		return nil, err
	}
	if d, ok := db.(sql.TableDropper); ok {
		if failed := d.DropTable(ctx, create.Name()); failed != nil {
			return nil, errors.Join(err, failed)
		}
	}
	return nil, err
}

func insertSelected(ctx *sql.Context, a *analyzer.Analyzer, n *plan.TableCopier, create *plan.CreateTable, row sql.Row, build func(*sql.Context, sql.Node, sql.Row) (sql.RowIter, error)) ([]sql.Row, error) {
	table, ok, err := n.Database().GetTableInsensitive(ctx, create.Name())
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, sql.ErrTableNotFound.New(create.Name())
	}
	var columns []string
	for _, c := range n.Source.Schema(ctx) {
		columns = append(columns, c.Name)
	}
	to := plan.NewInsertDestination(create.PkSchema().Schema, plan.NewResolvedTable(table, n.Database(), nil))
	insert := plan.NewInsertInto(n.Database(), to, &Planned{Node: n.Source}, false, columns, nil, false)
	checks, err := namedChecks(ctx, create.Checks(), table)
	if err != nil {
		return nil, err
	}
	planned, err := a.Analyze(ctx, insert.WithChecks(checks), nil, &sql.QueryFlags{})
	if err != nil {
		return nil, err
	}
	it, err := build(ctx, planned, row)
	if err != nil {
		return nil, err
	}
	return sql.RowIterToRows(ctx, it)
}

// namedChecks returns the CHECK constraints of a new table, with the names that those without a
// name have got.
func namedChecks(ctx *sql.Context, checks sql.CheckConstraints, of sql.Table) (sql.CheckConstraints, error) {
	t, ok := of.(sql.CheckTable)
	if !ok || len(checks) == 0 {
		return checks, nil
	}
	made, err := t.GetChecks(ctx)
	if err != nil || len(made) != len(checks) {
		return checks, err
	}
	named := make(sql.CheckConstraints, len(checks))
	for i, c := range checks {
		copied := *c
		copied.Name = made[i].Name
		named[i] = &copied
	}
	return named, nil
}

// Planned is a node with a finished plan: the analyzer does not plan it again.
type Planned struct{ sql.Node }

// Children implements sql.Node.
func (*Planned) Children() []sql.Node { return nil }

// WithChildren implements sql.Node.
func (p *Planned) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(p, len(children), 0)
	}
	return p, nil
}

// createSelect returns a CREATE TABLE ... SELECT that vitess parses, in place of text; "" if text
// is none, or needs no change.
//
// vitess: the query begins with SELECT. MySQL: it is any query: one in parentheses, one with WITH,
// VALUES.
func createSelect(text string) string {
	r := &syntax.Reader{Text: text}
	r.Next()
	if r.Word != "CREATE" {
		return ""
	}
	if r.Next(); r.Word == "TEMPORARY" {
		r.Next()
	}
	if r.Word != "TABLE" {
		return ""
	}
	depth, words := 0, 0
	for r.Next(); r.Kind != syntax.End && !r.IsMark(";"); r.Next() {
		if depth == 0 && r.Kind == syntax.Word && words > 0 && slices.Contains([]string{"AS", "WITH", "VALUES", "SELECT", "TABLE"}, r.Word) {
			return selecting(text, r.At)
		}
		switch {
		case r.IsMark("("):
			if depth == 0 && opensQuery(text[r.At:]) {
				return selecting(text, r.At)
			}
			depth++
		case r.IsMark(")"):
			depth--
		}
		words++
	}
	return ""
}

// opensQuery reports whether the parenthesis at the beginning of a text contains a query.
func opensQuery(text string) bool {
	r := &syntax.Reader{Text: text}
	for r.Next(); r.IsMark("("); {
		r.Next()
	}
	return r.Kind == syntax.Word && slices.Contains([]string{"SELECT", "WITH", "VALUES", "TABLE"}, r.Word)
}

// selecting returns a statement with its query, which begins at a place in it, inside a SELECT.
func selecting(text string, at int) string {
	r := &syntax.Reader{Text: text[at:]}
	if r.Next(); r.Kind == syntax.Word && r.Word == "AS" {
		r.Next()
	}
	from := at + r.At
	for r.Kind != syntax.End && !r.IsMark(";") {
		r.Next()
	}
	query := strings.TrimSpace(text[from : at+r.At])
	for inParentheses(query) {
		query = strings.TrimSpace(query[1 : len(query)-1])
	}
	if query == "" {
		return ""
	}
	// The query may end with a comment, which goes to the end of its line.
	return text[:at] + "AS SELECT * FROM (" + query + "\n) AS `query`"
}

// inParentheses reports whether the parenthesis at the beginning of a text closes at its end.
func inParentheses(text string) bool {
	r := &syntax.Reader{Text: text}
	depth := 0
	for r.Next(); r.Kind != syntax.End; r.Next() {
		switch {
		case r.IsMark("("):
			depth++
		case r.IsMark(")"):
			depth--
		}
		if depth == 0 {
			return r.IsMark(")") && r.End == len(text)
		}
	}
	return false
}
