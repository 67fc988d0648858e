package compat

import (
	"encoding/hex"
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// substitute puts the values of the program's variables into a statement: a name without a
// table is that of a variable, if there is one, before it is that of a column.
func (p *Program) substitute(s ast.Statement, names []*ast.ColName) {
	ctx := p.Context()
	for _, c := range names {
		c.StoredProcVal = nil
		if v := p.lookUp(c.Name.String()); v != nil && c.Qualifier.IsEmpty() {
			c.StoredProcVal = literal(ctx, v.value, v.kind)
		}
	}
	if s, ok := s.(*ast.Select); ok {
		p.name(s)
	}
}

// name lets the columns of a result that are variables be called as these are.
func (p *Program) name(s *ast.Select) {
	for _, e := range s.SelectExprs {
		a, ok := e.(*ast.AliasedExpr)
		if !ok || !a.As.IsEmpty() {
			continue
		}
		if c, ok := a.Expr.(*ast.ColName); ok && c.StoredProcVal != nil {
			a.As = c.Name
		}
	}
}

// namesIn returns the names in a syntax tree that can be those of variables, never nil.
func namesIn(tree ast.SQLNode) []*ast.ColName {
	names := []*ast.ColName{}
	columnNames(reflect.ValueOf(tree), &names)
	return names
}

// columnNames appends the names in a syntax tree that can be those of variables.
func columnNames(v reflect.Value, to *[]*ast.ColName) {
	switch v.Kind() {
	case reflect.Interface:
		columnNames(v.Elem(), to)
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if c, ok := v.Interface().(*ast.ColName); ok {
			*to = append(*to, c)
			return
		}
		columnNames(v.Elem(), to)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			columnNames(v.Index(i), to)
		}
	case reflect.Struct:
		switch v.Interface().(type) {
		case ast.AuthInformation, ast.ValuesFuncExpr, ast.ColIdent, ast.TableIdent:
			return
		case ast.AssignmentExpr, ast.SetVarExpr: // the name is what is changed
			columnNames(v.FieldByName("Expr"), to)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				columnNames(v.Field(i), to)
			}
		}
	}
}

// Literal is a value of a type as an expression of that type, as far as there are such.
func Literal(ctx *sql.Context, value any, kind sql.Type) ast.Expr {
	if value == nil {
		return &ast.NullVal{}
	}
	text := literalText(ctx, value, kind)
	switch {
	case types.IsDecimal(kind):
		return ast.NewFloatVal([]byte(text))
	case types.IsFloat(kind) && !strings.ContainsAny(text, "eE"):
		return ast.NewFloatVal([]byte(text + "e0"))
	case types.IsBinaryType(kind):
		return ast.NewHexVal([]byte(hex.EncodeToString([]byte(text))))
	}
	return literal(ctx, value, kind)
}

// literal is a value of a type as an expression.
func literal(ctx *sql.Context, value any, kind sql.Type) ast.Expr {
	if value == nil {
		return &ast.NullVal{}
	}
	text := []byte(literalText(ctx, value, kind))
	switch {
	case types.IsInteger(kind):
		return ast.NewIntVal(text)
	case types.IsFloat(kind):
		return ast.NewFloatVal(text)
	}
	return ast.NewStrVal(text)
}

// literalText is a value of a type as text.
func literalText(ctx *sql.Context, value any, kind sql.Type) string {
	if value == nil {
		return ""
	}
	v, err := kind.SQL(ctx, nil, value)
	if err != nil {
		return ""
	}
	return v.ToString()
}

// TextOf is a value of a type as text.
func TextOf(ctx *sql.Context, value any, kind sql.Type) (string, error) {
	v, err := kind.SQL(ctx, nil, value)
	return v.ToString(), err
}
