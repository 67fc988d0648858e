package compat

import (
	"maps"
	"reflect"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Operators puts functions of ours in the place of what the SQL engine calculates with: operators
// on numbers, SUM and AVG, texts of ENUM and SET columns, literals
// beside columns. It changes s, the tree of statement query.
func Operators(query string, s ast.Statement) {
	if s != nil && mayCalculate(query) {
		rewrite(reflect.ValueOf(s), ours)
	}
}

// mayCalculate tells whether a statement has anything that Operators looks for; it may err on the
// side of yes.
func mayCalculate(query string) bool {
	if strings.ContainsAny(query, "+-*/%~&|^(<>=") {
		return true
	}
	for i := 2; i < len(query); i++ {
		switch a, b, c := query[i-2]|0x20, query[i-1]|0x20, query[i]|0x20; {
		case a == 'd' && b == 'i' && c == 'v', a == 'm' && b == 'o' && c == 'd', // operators
			a == 'l' && b == 'i' && c == 'k', a == 'e' && b == 'x' && c == 'p', a == 'r' && b == 'l' && c == 'i', // LIKE, REGEXP, RLIKE
			a == 'c' && b == 'a' && c == 's', a == 'b' && b == 'e' && c == 't', a == 'o' && b == 'l' && c == 'l': // CASE, BETWEEN, COLLATE
			return true
		}
	}
	return false
}

// ours is the expression that takes e's place, e itself where the SQL engine's does.
func ours(e ast.Expr) ast.Expr {
	if f, ok := e.(*ast.FuncExpr); ok && f.Over == nil {
		switch f.Name.Lowered() {
		case "sum":
			f.Name = sumName
		case "avg":
			f.Name = avgName
		}
	}
	if call := operatorCall(e); call != nil {
		return call
	}
	if s, ok := e.(*ast.SubstrExpr); ok {
		return substring(s)
	}
	compared(e)
	texts(e)
	return e
}

// Functions are the functions that Operators puts into trees, and those that work as MySQL's
// where the SQL engine's do not.
func Functions() map[string]sql.Function {
	all := sumFunctions()
	maps.Copy(all, operatorFunctions())
	maps.Copy(all, memberFunctions())
	maps.Copy(all, comparedFunctions())
	maps.Copy(all, textFunctions())
	maps.Copy(all, rollupFunctions())
	maps.Copy(all, exactFunctions())
	maps.Copy(all, innerFunctions())
	return all
}

var (
	exprType  = reflect.TypeFor[ast.Expr]()
	nodeType  = reflect.TypeFor[ast.SQLNode]()
	nodeHolds sync.Map // of a struct's reflect.Type, the []int of its fields that may hold expressions
)

// rewrite replaces each expression below v by what of makes of it, those inside first. It goes
// by the types of the tree, because ast.Walk neither replaces anything nor sees the bodies of
// programs.
func rewrite(v reflect.Value, of func(ast.Expr) ast.Expr) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Kind() == reflect.Struct {
			rewrite(v.Elem(), of)
		}
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		rewrite(v.Elem(), of)
		if v.Type() == exprType && v.CanSet() {
			old := v.Interface().(ast.Expr)
			if changed := of(old); !same(changed, old) {
				v.Set(reflect.ValueOf(changed))
			}
		}
	case reflect.Slice:
		if mayHold(v.Type().Elem()) {
			for i := range v.Len() {
				rewrite(v.Index(i), of)
			}
		}
	case reflect.Struct:
		for _, i := range holding(v.Type()) {
			rewrite(v.Field(i), of)
		}
	}
}

// same tells whether two expressions are one node.
func same(a, b ast.Expr) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	return x.Kind() != reflect.Pointer || y.Kind() == reflect.Pointer && x.Pointer() == y.Pointer()
}

// holding are the fields of a struct that may hold expressions, however deep.
func holding(t reflect.Type) []int {
	if fields, ok := nodeHolds.Load(t); ok {
		return fields.([]int)
	}
	var fields []int
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && mayHold(f.Type) {
			fields = append(fields, i)
		}
	}
	nodeHolds.Store(t, fields)
	return fields
}

// mayHold tells whether values of a type may hold expressions: interfaces of nodes, and what
// consists of structs of the parser's.
func mayHold(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return t.Implements(nodeType)
	case reflect.Pointer, reflect.Slice:
		return mayHold(t.Elem())
	case reflect.Struct:
		return t.PkgPath() == exprType.PkgPath() && t.NumField() > 0
	}
	return false
}
