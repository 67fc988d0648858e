package syntax

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// QualifyCalls returns the statement text, in which those of functions that are called without a database have the database db. functions
// has names in lower case. If that would change anything else, or if a call cannot be found, it returns text as it is.
func QualifyCalls(db, text string, functions map[string]bool) string {
	wanted, ok := qualified(db, text, functions)
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
		if r.Next(); calls && r.IsMark("(") && functions[name] {
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

// qualified returns the syntax tree of a statement as a text, after the calls of functions have the database db.
func qualified(db, text string, functions map[string]bool) (changed string, ok bool) {
	s, err := Default.ParseSimple(text)
	if err != nil {
		return "", false
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if f, ok := n.(*ast.FuncExpr); ok && f.Qualifier.IsEmpty() && functions[f.Name.Lowered()] {
			f.Qualifier = ast.NewTableIdent(db)
		}
		return true, nil
	}, s)
	return ast.String(s), true
}

// QuoteName returns a name in backquotes.
func QuoteName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }
