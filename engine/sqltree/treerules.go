package sqltree

import (
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/builtins"
	"pfsd/engine/executor"
	"pfsd/engine/mends"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/syntax"
)

// Operators replaces expressions in s, the syntax tree of query, by calls of the functions that
// [Functions] returns: operators on numbers, SUM and AVG, texts of ENUM and SET columns, literals
// that are compared with columns, and others.
func Operators(query string, s ast.Statement) {
	if s != nil && mayCalculate(query) {
		replace := replacement
		if mends.Refusals.On() {
			replace = refusingIntervals(query, s, refusingDefaults(query, s, replace))
		}
		rewrite(s, replace)
	}
}

// mayCalculate reports whether a statement may have anything that Operators replaces.
func mayCalculate(query string) bool {
	if strings.ContainsAny(query, "+-*/%~&|^(<>=") || strings.Contains(query, "``") {
		return true
	}
	for i := 2; i < len(query); i++ {
		switch a, b, c := query[i-2]|0x20, query[i-1]|0x20, query[i]|0x20; {
		case a == 'd' && b == 'e' && c == 'f', a == 't' && b == 'r' && c == 'i', // DEFAULT, TRIM
			a == 'd' && b == 'i' && c == 'v', a == 'm' && b == 'o' && c == 'd', // operators
			a == 'l' && b == 'i' && c == 'k', a == 'e' && b == 'x' && c == 'p', a == 'r' && b == 'l' && c == 'i', // LIKE, REGEXP, RLIKE
			a == 'r' && b == 'v' && c == 'a',                                                                     // INTERVAL
			a == 'c' && b == 'a' && c == 's', a == 'b' && b == 'e' && c == 't', a == 'o' && b == 'l' && c == 'l': // CASE, BETWEEN, COLLATE
			return true
		}
	}
	return false
}

// replacement returns the expression that replaces e, or e itself if nothing replaces it.
func replacement(e ast.Expr) ast.Expr {
	if mends.Refusals.On() {
		if refused := builtins.RefusedExpr(e); refused != nil {
			return refused
		}
	}
	if f, ok := e.(*ast.FuncExpr); ok {
		windowOrAggregate(f)
	}
	if !mends.GeneralFunctions.On() {
	} else if builtins.General.Call != nil {
		if call := builtins.General.Call(e); call != nil {
			return call
		}
	} else if call := builtins.PlainInterval(e); call != nil {
		return call
	}
	for _, r := range callRules {
		if r.mend.On() {
			if call := r.call(e); call != nil {
				return call
			}
		}
	}
	if s, ok := e.(*ast.SubstrExpr); ok && mends.MemberTexts.On() {
		return builtins.Substring(s)
	}
	if g, ok := e.(*ast.GroupConcatExpr); ok && mends.GroupConcats.On() {
		return executor.GroupConcatCall(g)
	}
	if mends.ComparedRows.On() {
		if plain := comparedRows(e, replacement); plain != nil {
			return plain
		}
	}
	if mends.ComparedLiterals.On() {
		sqlexpr.CompareExactly(e)
	}
	if mends.MemberTexts.On() {
		builtins.ReplaceMembers(e)
	}
	switch c := e.(type) {
	case *ast.ConvertExpr:
		if mends.Casts.On() {
			return builtins.CastCall(c)
		}
	case *ast.ConvertUsingExpr:
		if mends.Conversions.On() {
			return &ast.FuncExpr{Name: builtins.ConvertedName, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: c}}}
		}
	case *ast.TrimExpr:
		if mends.Trims.On() {
			return builtins.TrimCall(c)
		}
	case *ast.CaseExpr:
		if mends.Choices.On() {
			return &ast.FuncExpr{Name: sqlexpr.CaseName, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: c}}}
		}
	}
	return e
}

// callRules have functions that return the call that replaces an expression. A function returns nil
// for an expression that it does not replace.
var callRules = []struct {
	mend *mends.Mend
	call func(ast.Expr) ast.Expr
}{
	{mends.Operators, sqlexpr.OperatorCall}, {mends.Likes, sqlexpr.LikeCall}, {mends.Regexps, builtins.RegexpCall},
}

// windowOrAggregate changes f, if it is a window function or an aggregate that go-mysql-server
// evaluates otherwise than MySQL, to a call of a function of package sqlexpr or executor.
func windowOrAggregate(f *ast.FuncExpr) {
	name := f.Name.Lowered()
	if f.Over != nil {
		if mends.OneWindow.On() {
			executor.OnePartition((*ast.WindowDef)(f.Over))
		}
		if mends.Spreads.On() {
			executor.VarianceCall(f)
		}
		if name == "ntile" && mends.NtileBuckets.On() || name != "ntile" && mends.NamedWindowFunctions.On() {
			executor.WindowCall(f)
		}
		return
	}
	switch {
	case name == "sum" && mends.Sums.On():
		f.Name = sqlexpr.SumName
	case name == "avg" && mends.Sums.On():
		f.Name = sqlexpr.AvgName
	case mends.Spreads.On():
		executor.VarianceCall(f)
	}
}

// Functions returns the functions that Operators puts into trees, and those that replace functions
// of go-mysql-server.
func Functions() map[string]sql.Function {
	plain := map[string]sql.Function{}
	for _, f := range function.BuiltIns {
		plain[f.FunctionName()] = f
	}
	all := map[string]sql.Function{}
	for _, own := range []struct {
		mend      *mends.Mend
		functions map[string]sql.Function
	}{
		{mends.Sums, executor.SumFunctions()}, {mends.Operators, sqlexpr.OperatorFunctions()}, {mends.MemberTexts, builtins.MemberFunctions()}, {mends.ComparedLiterals, sqlexpr.ExactLiteralFunctions()},
		{mends.Likes, sqlexpr.LikeFunctions()}, {mends.TextArguments, sqlexpr.TextFunctions()}, {mends.Rollups, executor.RollupFunctions()},
		{mends.ExactResults, sqlexpr.ExactFunctions()}, {mends.OwnAggregates, builtins.InnerFunctions()}, {mends.MemberOf, functionsOf(builtins.MemberOf)}, {mends.IntervalValues, functionsOf(builtins.IntervalValue)},
		{mends.NamedWindowFunctions, executor.WindowFunctions()}, {mends.GroupConcats, executor.GroupConcatFunctions()}, {mends.Choices, sqlexpr.ChoiceFunctions()}, {mends.Spreads, executor.VarianceFunctions()},
		{mends.Vectors, builtins.VectorFunctions()},
		{mends.DateLiterals, builtins.TypedLiterals()}, {mends.Casts, builtins.CastFunctions()}, {mends.JoinedSizes, builtins.ConcatFunctions()}, {mends.Conversions, builtins.ConvertedFunctions()},
		{mends.EvaluatedOnce, sqlexpr.OnceFunctions()}, {mends.Refusals, builtins.RefusedFunctions()}, {mends.NtileBuckets, executor.BucketFunctions()}, {mends.Trims, builtins.TrimFunctions()},
		{mends.JSONPaths, functionsOf(builtins.JSONExtract.Function())}, {mends.JSONContained, builtins.ContainsFunctions()}, {mends.LastInsertIDs, builtins.LastInsertIDFunctions()}, {mends.Regexps, builtins.RegexpLikeFunctions()},
		{mends.Zones, builtins.ConvertTZFunctions()}, {mends.RepeatedTexts, builtins.RepeatFunctions()}, {mends.Quotes, builtins.QuoteFunctions()}, {mends.AmbiguousNames, builtins.UpdatedNamesFunctions()}, {mends.Powers, builtins.PowerFunctions()},
	} {
		for name, f := range own.functions {
			all[name] = switchable{f, own.mend, plain[name]}
		}
	}
	for name, f := range builtins.GeneralFunctions() {
		all[name] = switchable{f, mends.GeneralFunctions, plain[name]}
	}
	return all
}

// switchable is a function that a test can switch off with its mend. Then plain takes its place,
// the function of go-mysql-server with the same name. plain is nil if there is none.
type switchable struct {
	sql.Function
	mend  *mends.Mend
	plain sql.Function
}

// NewInstance implements sql.Function.
func (s switchable) NewInstance(ctx *sql.Context, args []sql.Expression) (sql.Expression, error) {
	switch {
	case s.mend.On():
		return s.Function.NewInstance(ctx, args)
	case s.plain != nil:
		return s.plain.NewInstance(ctx, args)
	}
	return nil, sql.ErrFunctionNotFound.New(s.FunctionName())
}

// functionsOf returns a map of the functions with their names as keys.
func functionsOf(all ...sql.Function) map[string]sql.Function {
	byName := map[string]sql.Function{}
	for _, f := range all {
		byName[f.FunctionName()] = f
	}
	return byName
}

// expressions finds the nodes that rewrite changes: expressions in fields and lists, frames of
// windows, and WINDOW clauses.
var expressions = syntax.NewWalker(func(t reflect.Type) bool { return t == exprType || t == executor.FrameType || t == executor.WindowType })

var exprType = reflect.TypeFor[ast.Expr]()

// rewrite replaces each expression of s by what replace returns for it, inner expressions first.
func rewrite(s ast.Statement, replace func(ast.Expr) ast.Expr) {
	expressions.Walk(reflect.ValueOf(s), func(v reflect.Value) {
		if v.IsNil() || !v.CanSet() {
			return
		}
		switch n := v.Interface().(type) {
		case *ast.Frame:
			executor.WholePartition(n)
			return
		case ast.Window:
			if mends.OneWindow.On() {
				for _, w := range n {
					executor.OnePartition(w)
				}
			}
			return
		}
		old := v.Interface().(ast.Expr)
		if changed := replace(old); !same(changed, old) {
			v.Set(reflect.ValueOf(changed))
		}
	})
}

// same reports whether two expressions are the same node.
func same(a, b ast.Expr) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	return x.Kind() != reflect.Pointer || y.Kind() == reflect.Pointer && x.Pointer() == y.Pointer()
}
