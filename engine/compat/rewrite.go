package compat

import (
	"maps"
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/syntax"
)

// Operators puts functions of ours in the place of what the SQL engine calculates with: operators
// on numbers, SUM and AVG, texts of ENUM and SET columns, literals
// beside columns. It changes s, the tree of statement query.
func Operators(query string, s ast.Statement) {
	if s != nil && mayCalculate(query) {
		rewrite(s, refusingDefaults(query, s, ours))
	}
}

// mayCalculate tells whether a statement has anything that Operators looks for; it may err on the
// side of yes.
func mayCalculate(query string) bool {
	if strings.ContainsAny(query, "+-*/%~&|^(<>=") || strings.Contains(query, "``") {
		return true
	}
	for i := 2; i < len(query); i++ {
		switch a, b, c := query[i-2]|0x20, query[i-1]|0x20, query[i]|0x20; {
		case a == 'd' && b == 'e' && c == 'f', a == 't' && b == 'r' && c == 'i', // DEFAULT, TRIM
			a == 'd' && b == 'i' && c == 'v', a == 'm' && b == 'o' && c == 'd', // operators
			a == 'l' && b == 'i' && c == 'k', a == 'e' && b == 'x' && c == 'p', a == 'r' && b == 'l' && c == 'i', // LIKE, REGEXP, RLIKE
			a == 'c' && b == 'a' && c == 's', a == 'b' && b == 'e' && c == 't', a == 'o' && b == 'l' && c == 'l': // CASE, BETWEEN, COLLATE
			return true
		}
	}
	return false
}

// ours is the expression that takes e's place, e itself where the SQL engine's does.
func ours(e ast.Expr) ast.Expr {
	if refused := refusedExpr(e); refused != nil {
		return refused
	}
	if f, ok := e.(*ast.FuncExpr); ok {
		if f.Over != nil {
			onePartition((*ast.WindowDef)(f.Over))
			spreadCall(f)
			windowCall(f)
		} else {
			aggregateCall(f)
		}
	}
	if call := temporalCall(e); call != nil {
		return call
	}
	if call := operatorCall(e); call != nil {
		return call
	}
	if call := likeCall(e); call != nil {
		return call
	}
	if call := regexpCall(e); call != nil {
		return call
	}
	switch e := e.(type) {
	case *ast.SubstrExpr:
		return substring(e)
	case *ast.GroupConcatExpr:
		return groupConcatCall(e)
	}
	compared(e)
	texts(e)
	switch c := e.(type) {
	case *ast.ConvertExpr:
		return castCall(c)
	case *ast.ConvertUsingExpr:
		return &ast.FuncExpr{Name: convertedName, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: c}}}
	case *ast.TrimExpr:
		return trimCall(c)
	case *ast.ExistsExpr:
		return existsOfSets(c)
	case *ast.CaseExpr:
		return &ast.FuncExpr{Name: caseName, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: c}}}
	}
	return e
}

// aggregateCall lets f be ours if the SQL engine thinks that it knows better.
func aggregateCall(f *ast.FuncExpr) {
	switch f.Name.Lowered() {
	case "sum":
		f.Name = sumName
	case "avg":
		f.Name = avgName
	default:
		spreadCall(f)
	}
}

// Functions are the functions that Operators puts into trees, and those that work as MySQL's
// where the SQL engine's do not.
func Functions() map[string]sql.Function {
	all := sumFunctions()
	maps.Copy(all, operatorFunctions())
	maps.Copy(all, memberFunctions())
	maps.Copy(all, comparedFunctions())
	maps.Copy(all, rowFunctions())
	maps.Copy(all, likeFunctions())
	maps.Copy(all, textFunctions())
	maps.Copy(all, rollupFunctions())
	maps.Copy(all, exactFunctions())
	maps.Copy(all, innerFunctions())
	maps.Copy(all, syntaxFunctions())
	maps.Copy(all, windowFunctions())
	maps.Copy(all, groupConcatFunctions())
	maps.Copy(all, chosenFunctions())
	maps.Copy(all, spreadFunctions())
	maps.Copy(all, timeFunctions())
	maps.Copy(all, formatFunctions())
	maps.Copy(all, arithmeticFunctions())
	maps.Copy(all, numberFunctions())
	maps.Copy(all, characterFunctions())
	maps.Copy(all, regexpFunctions())
	maps.Copy(all, otherFunctions())
	maps.Copy(all, typedLiterals())
	maps.Copy(all, castFunctions())
	maps.Copy(all, joiningFunctions())
	maps.Copy(all, convertedFunctions())
	maps.Copy(all, onceFunctions())
	maps.Copy(all, jsonFunctions())
	maps.Copy(all, refusedFunctions())
	maps.Copy(all, bucketFunctions())
	maps.Copy(all, trimFunctions())
	return all
}

// expressions finds what may be replaced: each expression that stands in a field or a list, frames of windows, and clauses WINDOW.
var expressions = syntax.NewWalker(func(t reflect.Type) bool { return t == exprType || t == frameType || t == windowType })

var exprType = reflect.TypeFor[ast.Expr]()

// rewrite replaces each expression of s by what of makes of it, those inside first.
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
			for _, w := range n {
				onePartition(w)
			}
			return
		}
		old := v.Interface().(ast.Expr)
		if changed := of(old); !same(changed, old) {
			v.Set(reflect.ValueOf(changed))
		}
	})
}

// same tells whether two expressions are one node.
func same(a, b ast.Expr) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	return x.Kind() != reflect.Pointer || y.Kind() == reflect.Pointer && x.Pointer() == y.Pointer()
}
