package sqltree

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/syntax"
)

// Qualify returns the statement text with the database db before each table, and before each call
// of one of functions, that the text names without a database. functions has names in lower case.
// Common tables and aliases stay as they are, and so do the headings of columns. o are the options
// with which the statement is parsed.
//
// go-mysql-server by itself resolves the names in a view whenever somebody reads it, in the database of the
// view. MySQL: resolves them once, in the database that is current when the view is created.
func Qualify(ctx context.Context, db, text string, functions map[string]bool, o ast.ParserOptions) (string, error) {
	original, err := parsed(ctx, text, o)
	if err != nil {
		return "", err
	}
	tables := map[string]bool{}
	for _, n := range bareTables(original) {
		tables[strings.ToLower(n.Expr.(ast.TableName).Name.String())] = true
	}
	changed := text
	if len(tables) > 0 {
		if changed, err = qualifyTables(ctx, db, text, tables, o); err != nil {
			return "", err
		}
	}
	if len(functions) > 0 {
		changed = syntax.QualifyCalls(ctx, db, changed, functions, o)
	}
	if changed == text {
		return text, nil
	}
	return keepHeadings(ctx, original, changed, o)
}

// Body returns the text of the query in a CREATE VIEW.
func Body(ctx context.Context, text string, o ast.ParserOptions) (string, error) {
	s, err := parsed(ctx, text, o)
	if err != nil {
		return "", err
	}
	SubStatement(s, sql.RemoveSpaceAndDelimiter(text, ';'))
	ddl, ok := s.(*ast.DDL)
	if !ok || ddl.SubStatementStr == "" {
		return "", errUnresolved("of the view")
	}
	return ddl.SubStatementStr, nil
}

// errUnresolved is the error for a statement in which a name cannot be found.
func errUnresolved(name string) error {
	return mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support 'the name %s without its database in this view'", name)
}

// parsed returns the syntax tree of a statement, in which common tables are marked.
func parsed(ctx context.Context, text string, o ast.ParserOptions) (ast.Statement, error) {
	s, _, _, err := syntax.Default.ParseWithOptions(ctx, text, ';', false, o)
	if err == nil {
		CommonTables(text, s)
	}
	return s, err
}

// bareTables returns the tables in s that have no database and are no common tables.
func bareTables(s ast.Statement) (all []*ast.AliasedTableExpr) {
	tablesAndQueries.Walk(reflect.ValueOf(s), func(v reflect.Value) {
		n, ok := v.Interface().(*ast.AliasedTableExpr)
		if !ok || n == nil || n.Auth.AuthType == ast.AuthType_IGNORE {
			return
		}
		if t, ok := n.Expr.(ast.TableName); ok && t.DbQualifier.IsEmpty() && !t.Name.IsEmpty() && !strings.EqualFold(t.Name.String(), "dual") {
			all = append(all, n)
		}
	})
	return all
}

// place is a name in a text.
type place struct {
	at, end int
	name    string
}

// tableMark begins the names of tableMarks.
const tableMark = "name of a table "

// qualifyTables returns text with the database db before the tables with these names, in lower
// case. A parser does not say where in the text a table stands. So qualifyTables gives each name
// that may be a table a number, and looks for the numbers in the syntax tree.
func qualifyTables(ctx context.Context, db, text string, names map[string]bool, o ast.ParserOptions) (string, error) {
	places := tablePlaces(text, names, o)
	var marked strings.Builder
	end := 0
	for i, p := range places {
		fmt.Fprintf(&marked, "%s`%s%d`", text[end:p.at], tableMark, i)
		end = p.end
	}
	marked.WriteString(text[end:])
	s, _, _, err := syntax.Default.ParseWithOptions(ctx, marked.String(), ';', false, o)
	if err != nil || strings.Contains(text, tableMark) {
		return "", errUnresolved(places[0].name)
	}
	at := map[*ast.AliasedTableExpr]int{}
	tablesAndQueries.Walk(reflect.ValueOf(s), func(v reflect.Value) {
		n, ok := v.Interface().(*ast.AliasedTableExpr)
		if !ok || n == nil {
			return
		}
		t, ok := n.Expr.(ast.TableName)
		if i := marker(t.Name.String()); ok && i >= 0 && i < len(places) {
			at[n] = i
			t.Name = ast.NewTableIdent(places[i].name)
			n.Expr = t
		}
		for i, name := range n.Auth.TargetNames {
			if m := marker(name); m >= 0 && m < len(places) {
				n.Auth.TargetNames[i] = places[m].name
			}
		}
	})
	CommonTables(text, s)
	var found []int
	for _, n := range bareTables(s) {
		i, ok := at[n]
		if !ok {
			return "", errUnresolved(n.Expr.(ast.TableName).Name.String())
		}
		found = append(found, places[i].at)
	}
	slices.Sort(found)
	return insert(text, slices.Compact(found), func(int) string { return syntax.QuoteName(db) + "." }), nil
}

// marker returns the number of the table that a name was replaced for, -1 for another name.
func marker(name string) int {
	number, ok := strings.CutPrefix(name, tableMark)
	i := -1
	if ok {
		if _, err := fmt.Sscanf(number, "%d", &i); err != nil {
			return -1
		}
	}
	return i
}

// insert returns text with what is inserted at each of these positions, which are sorted.
func insert(text string, at []int, what func(i int) string) string {
	var b strings.Builder
	end := 0
	for i, a := range at {
		b.WriteString(text[end:a])
		b.WriteString(what(i))
		end = a
	}
	return b.String() + text[end:]
}

// tablePlaces returns where a text has one of these names, in lower case, such that it may name a
// table.
func tablePlaces(text string, names map[string]bool, o ast.ParserOptions) (all []place) {
	r := syntax.Reader{Text: text, Mode: syntax.Mode{AnsiQuotes: o.AnsiQuotes}}
	before := false // what stands before allows a table
	for r.Next(); r.Kind != syntax.End; {
		p := place{r.At, r.End, r.Raw}
		named := before && (r.Kind == syntax.Word || r.Kind == syntax.Name) && names[strings.ToLower(r.Raw)]
		before = r.IsMark(",") || r.IsMark("(") || r.Kind == syntax.Word && beforeTables[r.Word]
		if r.Next(); !named || r.IsMark(".") || r.IsMark("(") || r.IsMark("'") || r.IsMark(`"`) || r.Kind == syntax.Word && r.Word == "FROM" {
			continue
		}
		all = append(all, p)
		before = false
	}
	return all
}

// beforeTables are the words that stand before a table.
var beforeTables = map[string]bool{"FROM": true, "JOIN": true, "STRAIGHT_JOIN": true, "TABLE": true, "OJ": true}

var selectedColumns = syntax.NewWalker(func(t reflect.Type) bool { return t == reflect.TypeFor[*ast.AliasedExpr]() })

// headings returns the columns of the queries in s that have no alias, and all columns.
func headings(s ast.Statement) (all []*ast.AliasedExpr) {
	selectedColumns.Walk(reflect.ValueOf(s), func(v reflect.Value) {
		if n, ok := v.Interface().(*ast.AliasedExpr); ok && n != nil {
			all = append(all, n)
		}
	})
	return all
}

// keepHeadings returns the statement text with an alias for each column whose heading is not what
// it was in original.
func keepHeadings(ctx context.Context, original ast.Statement, text string, o ast.ParserOptions) (string, error) {
	changed, err := parsed(ctx, text, o)
	if err != nil {
		return "", err
	}
	was, is := headings(original), headings(changed)
	if len(was) != len(is) {
		return "", errUnresolved("of a table")
	}
	type alias struct {
		at   int
		name string
	}
	var aliases []alias
	for i, n := range is {
		if n.As.IsEmpty() && n.InputExpression != was[i].InputExpression {
			aliases = append(aliases, alias{n.EndParsePos, was[i].InputExpression})
		}
	}
	if len(aliases) == 0 {
		return text, nil
	}
	slices.SortStableFunc(aliases, func(a, b alias) int { return a.at - b.at })
	at := make([]int, len(aliases))
	for i, a := range aliases {
		at[i] = len(strings.TrimRight(sql.RemoveSpaceAndDelimiter(text, ';')[:a.at], " \t\r\n"))
	}
	text = insert(text, at, func(i int) string { return " AS " + syntax.QuoteName(aliases[i].name) })
	if changed, err = parsed(ctx, text, o); err != nil {
		return "", err
	}
	for i, n := range headings(changed) {
		if name := n.As.String(); name == "" && n.InputExpression != was[i].InputExpression || was[i].As.IsEmpty() && name != "" && name != was[i].InputExpression {
			return "", errUnresolved("of a table")
		}
	}
	return text, nil
}

// Unqualify returns the text of a query as somebody writes it in the database db: without the
// database before tables, if [Qualify] makes the same text of it again.
func Unqualify(ctx context.Context, db, text string, o ast.ParserOptions) string {
	r := syntax.Reader{Text: text, Mode: syntax.Mode{AnsiQuotes: o.AnsiQuotes}}
	var b strings.Builder
	end, before := 0, false
	for r.Next(); r.Kind != syntax.End; {
		named := before && (r.Kind == syntax.Word || r.Kind == syntax.Name) && r.Raw == db
		before = r.IsMark(",") || r.IsMark("(") || r.Kind == syntax.Word && beforeTables[r.Word]
		at := r.At
		if r.Next(); !named || !r.IsMark(".") {
			continue
		}
		r.Next()
		name := r.At
		if r.Next(); r.IsMark("(") || r.IsMark(".") {
			continue
		}
		b.WriteString(text[end:at])
		end = name
	}
	if end == 0 {
		return text
	}
	b.WriteString(text[end:])
	if again, err := Qualify(ctx, db, b.String(), nil, o); err != nil || again != text {
		return text
	}
	return b.String()
}
