package syntax

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// CallsIn returns the statement text, in which the functions that named reports, and that are called without a database, have the
// database db. If that would change anything else, or if a call cannot be found, it returns text as it is.
func CallsIn(db, text string, named func(function string) bool) string {
	called := map[string]bool{} // whether a function gets the database, by its name in lower case
	wanted, ok := qualify(text, db, func(name string) bool {
		if _, seen := called[name]; !seen {
			called[name] = named(name)
		}
		return called[name]
	})
	if !ok {
		return text
	}
	var b strings.Builder
	end := 0 // the text before it has been copied
	r := Reader{Text: text}
	dotted := false // a dot is before the token
	for r.Next(); r.Kind != End; {
		name, at, calls := strings.ToLower(r.Raw), r.At, r.Kind != Other && !dotted
		dotted = r.IsMark(".")
		if r.Next(); calls && r.IsMark("(") && called[name] {
			b.WriteString(text[end:at] + QuoteName(db) + ".")
			end = at
		}
	}
	if end == 0 {
		return text
	}
	changed := b.String() + text[end:]
	if s, err := Default.ParseSimple(changed); err != nil || ast.String(s) != wanted {
		return text
	}
	return changed
}

// qualify returns the syntax tree of a statement as a text, after it has given the database db to the functions that named reports.
func qualify(text, db string, named func(function string) bool) (changed string, ok bool) {
	s, err := Default.ParseSimple(text)
	if err != nil {
		return "", false
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if f, ok := n.(*ast.FuncExpr); ok && f.Qualifier.IsEmpty() && named(f.Name.Lowered()) {
			f.Qualifier = ast.NewTableIdent(db)
		}
		return true, nil
	}, s)
	return ast.String(s), true
}

// QuoteName returns a name in backquotes.
func QuoteName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }
