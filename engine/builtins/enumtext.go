package builtins

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// MemberName and OrdinalName are the names of the functions that return the text and the number of
// an ENUM or SET column. A statement can call them only with quotes.
var (
	MemberName  = ast.NewColIdent("text of")
	OrdinalName = ast.NewColIdent("number of")
)

// takesNumbers has the functions whose arguments are numbers.
var takesNumbers = map[string]bool{
	"abs": true, "acos": true, "asin": true, "atan": true, "atan2": true, "ceil": true, "ceiling": true, "cos": true, "cot": true, "degrees": true,
	"exp": true, "floor": true, "ln": true, "log": true, "log10": true, "log2": true, "mod": true, "pow": true, "power": true, "radians": true,
	"round": true, "sign": true, "sin": true, "sqrt": true, "tan": true, "truncate": true, "bit_count": true,
}

// takesMembers has the functions whose arguments stay ENUM or SET.
var takesMembers = map[string]bool{
	"sum": true, "avg": true, sqlexpr.SumName.Lowered(): true, sqlexpr.AvgName.Lowered(): true, "std": true, "stddev": true, "stddev_pop": true, "stddev_samp": true,
	"variance": true, "var_pop": true, "var_samp": true, "bit_and": true, "bit_or": true, "bit_xor": true,
	"nullif": true, "field": true, "count": true, "any_value": true, "values": true, "default": true, "name_const": true, sqlexpr.ExactLiteralName.Lowered(): true, MemberName.Lowered(): true, OrdinalName.Lowered(): true,
	sqlexpr.CaseName.Lowered(): true, ConvertedName.Lowered(): true, updatedNames.Lowered(): true, sqlexpr.ShownName.Lowered(): true, sqlexpr.GroupConcatName.Lowered(): true, sqlexpr.DoubleName.Lowered(): true, sqlexpr.BitsName.Lowered(): true, trimNames[ast.Leading].Lowered(): true, trimNames[ast.Trailing].Lowered(): true, trimNames[ast.Both].Lowered(): true,
}

// ReplaceMembers replaces an ENUM or SET column in e by its text where MySQL needs the text: in
// arguments of functions, searches, casts, comparisons by the order of texts, and values of CASE.
// It replaces it by its number where MySQL needs a number.
//
// go-mysql-server: the values of its ENUM and SET are numbers, which LOWER, LEFT, COALESCE, IF,
// REPLACE, REGEXP, MD5, JSON_OBJECT and others do not convert to text. MySQL: uses the text, except
// where it needs a number.
func ReplaceMembers(e ast.Expr) {
	switch e := e.(type) {
	case *ast.FuncExpr:
		switch name := e.Name.Lowered(); {
		case e.Over != nil, takesMembers[name], sqlexpr.IsOperator(name):
		case takesNumbers[name]:
			WrapColumns(e.Exprs, OrdinalName)
		default:
			WrapColumns(e.Exprs, MemberName)
		}
	case *ast.TrimExpr:
		wrapColumn(&e.Str, MemberName)
		wrapColumn(&e.Pattern, MemberName)
	case *ast.ConvertExpr:
		switch strings.ToLower(e.Type.Type) {
		case "signed", "unsigned", "decimal", "double", "float", "real", "year":
			wrapColumn(&e.Expr, OrdinalName)
		case "char", "nchar", "binary":
			wrapColumn(&e.Expr, MemberName)
			e.Expr = &ast.FuncExpr{Name: sqlexpr.ShownName, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: e.Expr}}}
		default:
			wrapColumn(&e.Expr, MemberName)
		}
	case *ast.ConvertUsingExpr:
		wrapColumn(&e.Expr, MemberName)
	case *ast.CollateExpr:
		wrapColumn(&e.Expr, MemberName)
	case *ast.ComparisonExpr:
		switch strings.ToLower(e.Operator) {
		case ast.LikeStr, ast.NotLikeStr, ast.RegexpStr, ast.NotRegexpStr:
			wrapColumn(&e.Left, MemberName)
			wrapColumn(&e.Right, MemberName)
			return
		case ast.LessThanStr, ast.LessEqualStr, ast.GreaterThanStr, ast.GreaterEqualStr:
			if isLiteral(e.Right, ast.StrVal) {
				wrapColumn(&e.Left, MemberName)
			}
			if isLiteral(e.Left, ast.StrVal) {
				wrapColumn(&e.Right, MemberName)
			}
		}
		if isLiteral(e.Right, ast.IntVal) {
			wrapColumn(&e.Left, OrdinalName)
		}
		if isLiteral(e.Left, ast.IntVal) {
			wrapColumn(&e.Right, OrdinalName)
		}
	case *ast.RangeCond:
		if isLiteral(e.From, ast.StrVal) && isLiteral(e.To, ast.StrVal) {
			wrapColumn(&e.Left, MemberName)
		}
		if isLiteral(e.From, ast.IntVal) && isLiteral(e.To, ast.IntVal) {
			wrapColumn(&e.Left, OrdinalName)
		}
	case *ast.CaseExpr:
		for _, w := range e.Whens {
			wrapColumn(&w.Val, MemberName)
		}
		if e.Else != nil {
			wrapColumn(&e.Else, MemberName)
		}
	}
}

// isLiteral reports whether e is a literal of this type, or a list of such literals.
func isLiteral(e ast.Expr, sort ast.ValType) bool {
	switch v := e.(type) {
	case *ast.FuncExpr:
		return v.Name.Equal(sqlexpr.ExactLiteralName) && isLiteral(v.Exprs[0].(*ast.AliasedExpr).Expr, sort)
	case *ast.SQLVal:
		return v.Type == sort
	case ast.ValTuple:
		return !slices.ContainsFunc(v, func(e ast.Expr) bool { return !isLiteral(e, sort) })
	}
	return false
}

func WrapColumns(list ast.SelectExprs, name ast.ColIdent) {
	for _, s := range list {
		if a, ok := s.(*ast.AliasedExpr); ok {
			wrapColumn(&a.Expr, name)
		}
	}
}

// wrapColumn wraps e in the function called name if e is a column.
func wrapColumn(e *ast.Expr, name ast.ColIdent) {
	if column, ok := (*e).(*ast.ColName); ok {
		*e = &ast.FuncExpr{Name: name, Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: column}}}
	}
}

// Substring returns an ordinary function call for SUBSTRING of a column.
func Substring(e *ast.SubstrExpr) ast.Expr {
	if e.Name == nil {
		return e
	}
	call := &ast.FuncExpr{Name: ast.NewColIdent("substring"), Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: e.Name}, &ast.AliasedExpr{Expr: e.From}}}
	if e.To != nil {
		call.Exprs = append(call.Exprs, &ast.AliasedExpr{Expr: e.To})
	}
	WrapColumns(call.Exprs[:1], MemberName)
	return call
}

// MemberFunctions returns the functions called MemberName and OrdinalName.
func MemberFunctions() map[string]sql.Function {
	text, number := MemberName.Lowered(), OrdinalName.Lowered()
	return map[string]sql.Function{text: sql.Function1{Name: text, Fn: sqlexpr.NewMemberText}, number: sql.Function1{Name: number, Fn: newMemberNumber}}
}

// memberNumber is the number of an ENUM or a SET.
type memberNumber struct{ expression.UnaryExpressionStub }

// newMemberNumber returns the number of e if e is an ENUM or a SET, else e.
func newMemberNumber(ctx *sql.Context, e sql.Expression) sql.Expression {
	switch e.Type(ctx).(type) {
	case *sqlvalue.Choice, sql.EnumType, sql.SetType:
		return &memberNumber{expression.UnaryExpressionStub{Child: e}}
	}
	return e
}

// String implements sql.Expression.
func (m *memberNumber) String() string { return m.Child.String() }

// DebugString implements sql.DebugStringer.
func (m *memberNumber) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, m.Child) }

// Type implements sql.Expression.
func (*memberNumber) Type(*sql.Context) sql.Type { return types.Uint64 }

// WithChildren implements sql.Expression.
func (m *memberNumber) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(m, len(children), 1)
	}
	return &memberNumber{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// Eval implements sql.Expression.
func (m *memberNumber) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := m.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	n, err := sqlvalue.NumberOf(ctx, m.Child.Type(ctx), v)
	return n.Bits(), err
}
