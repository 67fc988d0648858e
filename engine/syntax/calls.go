package syntax

import (
	"context"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// QualifyCalls returns the statement text, in which those of functions that are called without a database have the database db. functions
// has names in lower case. If that would change anything else, or if a call cannot be found, it returns text as it is. o are the options
// with which the statement is parsed.
func QualifyCalls(ctx context.Context, db, text string, functions map[string]bool, o ast.ParserOptions) string {
	wanted, ok := qualified(ctx, db, text, functions, o)
	if !ok {
		return text
	}
	var b strings.Builder
	end := 0 // the text before it has been copied
	r := Reader{Text: text, Mode: Mode{AnsiQuotes: o.AnsiQuotes}}
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
	if s, _, err := parse(ctx, changed, false, o); err != nil || ast.String(s) != wanted {
		return text
	}
	return changed
}

// qualified returns the syntax tree of a statement as a text, after the calls of functions have the database db.
func qualified(ctx context.Context, db, text string, functions map[string]bool, o ast.ParserOptions) (changed string, ok bool) {
	s, _, err := parse(ctx, text, false, o)
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
