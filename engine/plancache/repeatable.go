package plancache

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/sysschema"
)

// repeatable reports whether statement s begins or ends a transaction, or reads only tables and
// things that are the same the next time: no variables, and only functions that depend on nothing
// but their arguments.
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

// repeatableParts tells whether the parts of a statement have the same results each time.
// parameters says whether it may have parameters.
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

// repeatableFunctions are the functions that a statement whose plan is kept may call. Their results
// depend only on their arguments.
var repeatableFunctions = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range []string{
		"count", "sum", "avg", "min", "max", "if", "ifnull", "nullif", "coalesce", "concat", "replace", "lower", "upper",
		"format_bytes", "format_pico_time", "round", "sys.format_bytes", "sys.format_time", "sys.format_path", "sys.format_statement",
		// Functions that the server itself adds to a statement.
		"sum exact", "avg exact", "text of", "number of", "as compared", " like ", "case of", sysschema.DeclaredName,
		"+", "-", "*", "/", " div ", "%", "-x",
		// Window functions.
		"row_number", "rank", "dense_rank",
	} {
		all[name] = true
	}
	return all
}()

// ofColumns tells whether a function is called with columns. Functions of sys look at more than
// their arguments when they are called; if no argument is a column, that could happen while the
// plan is made, which must not be.
func ofColumns(f *ast.FuncExpr) (found bool) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		_, column := n.(*ast.ColName)
		found = found || column
		return !found, nil
	}, f.Exprs)
	return found
}
