package sysschema

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"

	"pfsd/engine/functions"
	"pfsd/engine/sqlvalue"
	"pfsd/engine/sys"
)

// The columns of sys's views have the types that MySQL gives them, not the types that the SQL
// engine derives from an expression: TypeView puts each column of a view's query into
// DeclaredFunction.

var sizedType = regexp.MustCompile(`^([a-z]+)(?:\((.*)\))?( unsigned)?$`)

// typeOf returns the type of a column of a view.
func typeOf(c sys.Column) (sql.Type, error) {
	m := sizedType.FindStringSubmatch(c.Type)
	if m == nil {
		return nil, fmt.Errorf("%s has no type: %q", c.Name, c.Type)
	}
	first, second, _ := strings.Cut(m[2], ",")
	size, _ := strconv.Atoi(first)
	switch name := m[1] + m[3]; name {
	case "varchar":
		return types.MustCreateString(querypb.Type_VARCHAR, int64(size), collation), nil
	case "text":
		return types.CreateText(collation), nil
	case "mediumtext":
		return types.CreateMediumText(collation), nil
	case "longtext":
		return types.CreateLongText(collation), nil
	case "bigint unsigned":
		return types.Uint64, nil
	case "bigint":
		return types.Int64, nil
	case "int":
		return types.Int32, nil
	case "decimal", "decimal unsigned":
		scale, _ := strconv.Atoi(second)
		return types.CreateColumnDecimalType(uint8(size), uint8(scale))
	case "timestamp":
		return types.MustCreateDatetimeType(querypb.Type_TIMESTAMP, size), nil
	case "datetime":
		return types.MustCreateDatetimeType(querypb.Type_DATETIME, size), nil
	case "time":
		return types.Time, nil
	case "enum":
		return sqlvalue.NewChoice(c.Name, strings.Split(strings.Trim(m[2], "'"), "','"), false), nil
	}
	return nil, fmt.Errorf("%s has a type that has no SQL type: %q", c.Name, c.Type)
}

// ColumnTypes are the types of the columns of each view, by its name.
var ColumnTypes = func() map[string][]sql.Type {
	m := map[string][]sql.Type{}
	for _, v := range sys.Views {
		for _, c := range v.Columns {
			t, err := typeOf(c)
			if err != nil {
				panic("sysschema: " + v.Name + ": " + err.Error())
			}
			m[v.Name] = append(m[v.Name], t)
		}
	}
	return m
}()

// DeclaredName is the name of the function that gives a column of a view its type. A statement must
// write it in quotes.
const DeclaredName = "sys$declared"

// TypeView gives the columns of a view of sys their types. s is the CREATE VIEW as the SQL engine
// parses it.
func TypeView(s ast.Statement) {
	ddl, ok := s.(*ast.DDL)
	if !ok || ddl.ViewSpec == nil || !sys.Is(ddl.ViewSpec.ViewName.DbQualifier.String()) {
		return
	}
	v := sys.ViewNamed(ddl.ViewSpec.ViewName.Name.String())
	if v == nil {
		return
	}
	var declare func(ast.SelectStatement)
	declare = func(s ast.SelectStatement) {
		switch s := s.(type) {
		case *ast.Select:
			for i, e := range s.SelectExprs {
				a, ok := e.(*ast.AliasedExpr)
				if !ok || i >= len(v.Columns) {
					return
				}
				a.Expr = &ast.FuncExpr{Name: ast.NewColIdent(DeclaredName), Exprs: ast.SelectExprs{
					&ast.AliasedExpr{Expr: a.Expr},
					&ast.AliasedExpr{Expr: ast.NewStrVal([]byte(v.Name))},
					&ast.AliasedExpr{Expr: ast.NewIntVal([]byte(strconv.Itoa(i)))},
				}}
			}
		case *ast.SetOp:
			declare(s.Left)
			declare(s.Right)
		case *ast.ParenSelect:
			declare(s.Select)
		}
	}
	declare(ddl.ViewSpec.ViewExpr)
}

// DeclaredFunction is the function DeclaredName(expression, view, position of the column). It
// returns the expression with the type of that column.
var DeclaredFunction = sql.FunctionN{Name: DeclaredName, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) != 3 {
		return nil, sql.ErrInvalidArgumentNumber.New(DeclaredName, 3, len(args))
	}
	view, position := functions.LiteralText(args[1]), functions.LiteralText(args[2])
	v := sys.ViewNamed(view)
	i, err := strconv.Atoi(position)
	if v == nil || err != nil || i >= len(v.Columns) {
		return nil, sql.ErrFunctionNotFound.New(DeclaredName)
	}
	d := &typedColumn{expression.UnaryExpressionStub{Child: args[0]}, v.Columns[i].Name, ColumnTypes[v.Name][i], !v.Columns[i].NotNull}
	if d.hasType(ctx, args[0]) {
		return args[0], nil
	}
	return d, nil
}}

// typedColumn is an expression that has the type of a column. Safe for concurrent use.
type typedColumn struct {
	expression.UnaryExpressionStub
	name     string
	typ      sql.Type
	nullable bool
}

// hasType reports whether e already has the type and the nullability of d, so that e needs no
// conversion.
func (d *typedColumn) hasType(ctx *sql.Context, e sql.Expression) bool {
	return e.IsNullable(ctx) == d.nullable && e.Type(ctx).Equals(d.typ)
}

// FunctionName implements sql.FunctionExpression.
func (d *typedColumn) FunctionName() string { return DeclaredName }

// Description implements sql.FunctionExpression.
func (d *typedColumn) Description() string { return "gives a column of a view its type" }

// String implements sql.Expression.
func (d *typedColumn) String() string { return d.Child.String() }

// Type implements sql.Expression.
func (d *typedColumn) Type(*sql.Context) sql.Type { return d.typ }

// IsNullable implements sql.Expression.
func (d *typedColumn) IsNullable(*sql.Context) bool { return d.nullable }

// WithChildren implements sql.Expression.
func (d *typedColumn) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 1)
	}
	other := *d
	other.Child = children[0]
	return &other, nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (d *typedColumn) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if _, ok := d.typ.(sql.TypeWithCollation); ok {
		return collation, 2
	}
	return sql.Collation_binary, 5
}

// Eval implements sql.Expression.
func (d *typedColumn) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := d.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	switch x := v.(type) { // a value that already has the type needs no check of its bounds
	case string:
		if types.IsText(d.typ) {
			return x, nil
		}
	case decimal.Decimal:
		if t, ok := d.typ.(sql.DecimalType); ok && x.Exponent() == -int32(t.Scale()) {
			return x, nil
		}
	}
	v, _, err = sqlvalue.Target(d.typ).Convert(ctx, v)
	return v, err
}
