package routine

import (
	"encoding/hex"
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// substitute replaces the program's variables in a statement by their values. A name without a
// table is a variable if there is one of that name, else a column. The error is that a memory limit does not allow it: each place has a
// copy of the value in the plan.
func (p *Program) substitute(s ast.Statement, names []*ast.ColName) error {
	ctx := p.Context()
	var long map[*programVariable]ast.Expr
	bytes := int64(0)
	for _, c := range names {
		c.StoredProcVal = nil
		v := p.lookUp(c.Name.String())
		if v == nil || !c.Qualifier.IsEmpty() {
			continue
		}
		value := long[v]
		if value == nil {
			value = literal(ctx, v.value, v.kind)
			if bytes += literalBytes(value); literalBytes(value) >= smallRows {
				if long == nil {
					long = map[*programVariable]ast.Expr{}
				}
				long[v] = value
			}
		} else {
			again := *value.(*ast.SQLVal) // with the same text
			value = &again
		}
		bytes += literalBytes(value)
		c.StoredProcVal = value
	}
	if err := p.chargeBound(bytes); err != nil {
		return err
	}
	if s, ok := s.(*ast.Select); ok {
		p.name(s)
	}
	return nil
}

// name gives each result column that is a variable the name of the variable.
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

// namesIn returns the names in a syntax tree that may be variables, never nil.
func namesIn(tree ast.SQLNode) []*ast.ColName {
	names := []*ast.ColName{}
	columnNames(reflect.ValueOf(tree), &names)
	return names
}

// columnNames appends the names in a syntax tree that may be variables.
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
		case ast.AssignmentExpr, ast.SetVarExpr: // Name is the target of the assignment, not a value
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

// Literal returns a value as an expression that has the value's own type, if SQL has literals of
// that type.
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

// literal returns a value as an integer, a floating-point number or a string.
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

// literalText returns a value as text.
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

// TextOf returns a value as text.
func TextOf(ctx *sql.Context, value any, kind sql.Type) (string, error) {
	v, err := kind.SQL(ctx, nil, value)
	return v.ToString(), err
}
