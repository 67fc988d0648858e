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

// CreateSelect executes the CREATE TABLE ... SELECT n, with create as the CREATE TABLE. build makes
// the iterator of a node, and a plans the INSERT. After an error, CreateSelect drops a temporary
// table, and the caller removes any other.
//
// go-mysql-server: inserts the rows of the query as if they had all columns of the table, in their
// order. If that fails, the table stays. With IF NOT EXISTS, it inserts into a table that exists.
// MySQL: columns that the query does not have get their defaults. If the rows cannot be inserted,
// there is no table. With IF NOT EXISTS, it leaves a table that exists alone.
func CreateSelect(ctx *sql.Context, a *analyzer.Analyzer, n *plan.TableCopier, create *plan.CreateTable, row sql.Row, build func(*sql.Context, sql.Node, sql.Row) (sql.RowIter, error)) (sql.RowIter, error) {
	db := n.Database()
	_, exists, err := db.GetTableInsensitive(ctx, create.Name())
	if err != nil {
		return nil, err
	}
	nullableColumns(ctx, create.PkSchema().Schema, n.Source)
	created, err := build(ctx, create, row)
	if err != nil || exists { // of a table that exists, create adds a note to the warnings
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
	if !create.Temporary() { // the caller removes the table
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

// namedChecks returns the CHECK constraints of the new table of. Those without a name in the
// statement have the name that the table gave them.
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

// createSelect returns a CREATE TABLE ... SELECT with the meaning of text that vitess parses. It
// returns "" if text is no CREATE TABLE with a query.
//
// vitess: the query must begin with SELECT. MySQL: it can be any query, such as one in parentheses,
// or one that begins with WITH or VALUES.
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

// opensQuery reports whether the parentheses at the beginning of text contain a query.
func opensQuery(text string) bool {
	r := &syntax.Reader{Text: text}
	for r.Next(); r.IsMark("("); {
		r.Next()
	}
	return r.Kind == syntax.Word && slices.Contains([]string{"SELECT", "WITH", "VALUES", "TABLE"}, r.Word)
}

// selecting returns the statement text with its query inside of a SELECT. The query begins at the
// offset at.
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
	// The line break ends a comment that the query may have at its end.
	return text[:at] + "AS SELECT * FROM (" + query + "\n) AS `query`"
}

// inParentheses reports whether text begins with a parenthesis that closes at its end.
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
