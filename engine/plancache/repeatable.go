package plancache

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/sysschema"
)

// repeatable reports whether statement s begins or ends a transaction, or reads tables and nothing that may be another the next time: no
// variable, no function but some that depend on their arguments alone.
func repeatable(s ast.Statement) bool {
	switch s := s.(type) {
	case *ast.Begin, *ast.Commit, *ast.Rollback:
		return true
	case *ast.Show:
		return strings.EqualFold(s.Type, "processlist")
	}
	sel, ok := s.(*ast.Select)
	if !ok || sel.Into != nil || sel.Lock != nil && sel.Lock.Type != "" || sel.QueryOpts.SQLCalcFoundRows {
		return false
	}
	return repeatableParts(s, false)
}

// repeatableParts tells whether the parts of a statement say the same each time, parameters if they may have any.
func repeatableParts(s ast.Statement, parameters bool) bool {
	ok := true
	err := ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Select:
			ok = ok && n.Into == nil && (parameters || n.Lock == nil || n.Lock.Type == "")
		case *ast.ColName:
			ok = ok && !strings.HasPrefix(n.Name.String(), "@") && !strings.HasPrefix(n.Qualifier.Name.String(), "@")
		case *ast.FuncExpr:
			name := n.Name.Lowered()
			if n.Qualifier.String() != "" {
				name = strings.ToLower(n.Qualifier.String()) + "." + name
			}
			ok = ok && repeatableFunctions[name] && (!strings.HasPrefix(name, "sys.") || ofColumns(n))
		case *ast.SQLVal:
			ok = ok && (parameters || n.Type != ast.ValArg)
		case *ast.AndExpr, *ast.OrExpr, *ast.NotExpr, *ast.ParenExpr, *ast.ComparisonExpr, *ast.RangeCond, *ast.IsExpr, *ast.NullVal, ast.BoolVal,
			ast.ValTuple, *ast.Subquery, *ast.BinaryExpr, *ast.UnaryExpr, *ast.CaseExpr:
		case ast.Expr:
			ok = false
		case *ast.With:
			ok = ok && n == nil
		case *ast.JSONTableExpr, *ast.ValuesStatement, *ast.SetOp:
			ok = false
		}
		return ok, nil
	}, s)
	return ok && err == nil
}

// repeatableFunctions are those that a statement may call whose plan is kept. The arguments alone decide what each of them says.
var repeatableFunctions = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range []string{
		"count", "sum", "avg", "min", "max", "if", "ifnull", "nullif", "coalesce", "concat", "replace", "lower", "upper",
		"format_bytes", "format_pico_time", "round", "sys.format_bytes", "sys.format_time", "sys.format_path", "sys.format_statement",
		// What the engine itself puts into a statement.
		"sum exact", "avg exact", "text of", "number of", "as compared", " like ", "case of", sysschema.DeclaredName,
		"+", "-", "*", "/", " div ", "%", "-x",
		// With a window.
		"row_number", "rank", "dense_rank",
	} {
		all[name] = true
	}
	return all
}()

// ofColumns tells whether a function is called with columns: those of sys look at more than their arguments when they are called, which must not be when a plan is made.
func ofColumns(f *ast.FuncExpr) (found bool) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		_, column := n.(*ast.ColName)
		found = found || column
		return !found, nil
	}, f.Exprs)
	return found
}
