package compat

import (
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/syntax"
)

// Operators replaces expressions in s, the syntax tree of query, by calls of this package's functions: operators on numbers, SUM and AVG,
// texts of ENUM and SET columns, literals beside columns, and others.
func Operators(query string, s ast.Statement) {
	if s != nil && mayCalculate(query) {
		of := replacement
		if refusals.On() {
			of = refusingIntervals(query, s, refusingDefaults(query, s, of))
		}
		rewrite(s, of)
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

// replacement returns the expression that replaces e; e itself if it stays.
func replacement(e ast.Expr) ast.Expr {
	if refusals.On() {
		if refused := refusedExpr(e); refused != nil {
			return refused
		}
	}
	if f, ok := e.(*ast.FuncExpr); ok {
		windowOrAggregate(f)
	}
	if !generalMend.On() {
	} else if general.call != nil {
		if call := general.call(e); call != nil {
			return call
		}
	} else if call := plainInterval(e); call != nil {
		return call
	}
	for _, r := range callRules {
		if r.mend.On() {
			if call := r.call(e); call != nil {
				return call
			}
		}
	}
	if s, ok := e.(*ast.SubstrExpr); ok && memberTexts.On() {
		return substring(s)
	}
	if g, ok := e.(*ast.GroupConcatExpr); ok && groupConcats.On() {
		return groupConcatCall(g)
	}
	if comparedLiterals.On() {
		compareExactly(e)
	}
	if memberTexts.On() {
		texts(e)
	}
	switch c := e.(type) {
	case *ast.ConvertExpr:
		if casts.On() {
			return castCall(c)
		}
	case *ast.ConvertUsingExpr:
		if conversions.On() {
			return &ast.FuncExpr{Name: convertedName, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: c}}}
		}
	case *ast.TrimExpr:
		if trims.On() {
			return trimCall(c)
		}
	case *ast.ExistsExpr:
		if setExists.On() {
			return existsOfSets(c)
		}
	case *ast.CaseExpr:
		if choices.On() {
			return &ast.FuncExpr{Name: caseName, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: c}}}
		}
	}
	return e
}

// callRules return the calls that replace expressions, nil for expressions that they do not replace.
var callRules = []struct {
	mend *Mend
	call func(ast.Expr) ast.Expr
}{
	{operators, operatorCall}, {likes, likeCall}, {regexps, regexpCall},
}

// windowOrAggregate makes f, a window function or an aggregate, a call of a function of this package if go-mysql-server's differs.
func windowOrAggregate(f *ast.FuncExpr) {
	name := f.Name.Lowered()
	if f.Over != nil {
		if oneWindow.On() {
			onePartition((*ast.WindowDef)(f.Over))
		}
		if spreads.On() {
			spreadCall(f)
		}
		if name == "ntile" && ntileBuckets.On() || name != "ntile" && namedWindowFunctions.On() {
			windowCall(f)
		}
		return
	}
	switch {
	case name == "sum" && sums.On():
		f.Name = sumName
	case name == "avg" && sums.On():
		f.Name = avgName
	case spreads.On():
		spreadCall(f)
	}
}

// Functions returns the functions that Operators puts into trees, and those that replace functions of go-mysql-server.
func Functions() map[string]sql.Function {
	plain := map[string]sql.Function{}
	for _, f := range function.BuiltIns {
		plain[f.FunctionName()] = f
	}
	all := map[string]sql.Function{}
	for _, own := range []struct {
		mend      *Mend
		functions map[string]sql.Function
	}{
		{sums, sumFunctions()}, {operators, operatorFunctions()}, {memberTexts, memberFunctions()}, {comparedLiterals, exactLiteralFunctions()},
		{comparedLiterals, rowFunctions()}, {likes, likeFunctions()}, {textArgumentsMend, textFunctions()}, {rollups, rollupFunctions()},
		{exactResults, exactFunctions()}, {ownAggregates, innerFunctions()}, {memberOfMend, functionsOf(memberOf)}, {intervalValues, functionsOf(intervalValue)},
		{namedWindowFunctions, windowFunctions()}, {groupConcats, groupConcatFunctions()}, {choices, chosenFunctions()}, {spreads, spreadFunctions()},
		{dateLiterals, typedLiterals()}, {casts, castFunctions()}, {joinedSizes, joiningFunctions()}, {conversions, convertedFunctions()},
		{evaluatedOnce, onceFunctions()}, {refusals, refusedFunctions()}, {ntileBuckets, bucketFunctions()}, {trims, trimFunctions()},
		{jsonPaths, functionsOf(jsonExtract.function())}, {lastInsertIDs, lastInsertIDFunctions()}, {regexps, regexpLikeFunctions()},
		{zones, convertTZFunctions()}, {repeatedTexts, repeatFunctions()}, {quotes, quoteFunctions()}, {powers, powerFunctions()},
	} {
		for name, f := range own.functions {
			all[name] = switched{f, own.mend, plain[name]}
		}
	}
	for name, f := range generalFunctions() {
		all[name] = switched{f, generalMend, plain[name]}
	}
	return all
}

// switched is the function of a mend, and plain the function without the mend, nil if there is none.
type switched struct {
	sql.Function
	mend  *Mend
	plain sql.Function
}

// NewInstance implements sql.Function.
func (s switched) NewInstance(ctx *sql.Context, args []sql.Expression) (sql.Expression, error) {
	switch {
	case s.mend.On():
		return s.Function.NewInstance(ctx, args)
	case s.plain != nil:
		return s.plain.NewInstance(ctx, args)
	}
	return nil, sql.ErrFunctionNotFound.New(s.FunctionName())
}

// functionsOf returns functions by their names.
func functionsOf(all ...sql.Function) map[string]sql.Function {
	byName := map[string]sql.Function{}
	for _, f := range all {
		byName[f.FunctionName()] = f
	}
	return byName
}

// expressions finds the nodes that may be replaced: expressions in fields and lists, frames of windows, and WINDOW clauses.
var expressions = syntax.NewWalker(func(t reflect.Type) bool { return t == exprType || t == frameType || t == windowType })

var exprType = reflect.TypeFor[ast.Expr]()

// rewrite replaces each expression of s by the result of of, inner expressions first.
func rewrite(s ast.Statement, of func(ast.Expr) ast.Expr) {
	expressions.Walk(reflect.ValueOf(s), func(v reflect.Value) {
		if v.IsNil() || !v.CanSet() {
			return
		}
		switch n := v.Interface().(type) {
		case *ast.Frame:
			wholePartition(n)
			return
		case ast.Window:
			if oneWindow.On() {
				for _, w := range n {
					onePartition(w)
				}
			}
			return
		}
		old := v.Interface().(ast.Expr)
		if changed := of(old); !same(changed, old) {
			v.Set(reflect.ValueOf(changed))
		}
	})
}

// same reports whether two expressions are the same node.
func same(a, b ast.Expr) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	return x.Kind() != reflect.Pointer || y.Kind() == reflect.Pointer && x.Pointer() == y.Pointer()
}
