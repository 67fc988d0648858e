package builtins

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// InsertedRow is the name under which go-mysql-server looks for what VALUES(column) stands for.
const InsertedRow = "__new_ins"

// updatedNames is the name of the function that [UpdatedNamesCall] calls. No statement can write it without quotes.
var updatedNames = ast.NewColIdent("value with names")

// UpdatedNamesCall returns a call whose value is that of e, and that keeps the names of columns that e has, as the statement writes them, until
// the statement is planned. Each is a database, a table and a column, of which the first ones may be "".
func UpdatedNamesCall(e ast.Expr, names []ast.ColName) ast.Expr {
	args := ast.SelectExprs{&ast.AliasedExpr{Expr: e}}
	for _, n := range names {
		for _, part := range []string{n.Qualifier.DbQualifier.String(), n.Qualifier.Name.String(), n.Name.String()} {
			args = append(args, &ast.AliasedExpr{Expr: ast.NewStrVal([]byte(part))})
		}
	}
	return &ast.FuncExpr{Name: updatedNames, Exprs: args}
}

// UpdatedNamesFunctions returns the function that UpdatedNamesCall calls.
func UpdatedNamesFunctions() map[string]sql.Function {
	name := updatedNames.Lowered()
	return map[string]sql.Function{name: sql.FunctionN{Name: name, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args)%3 != 1 {
			return nil, sql.ErrInvalidArgumentNumber.New(name, 1, len(args))
		}
		n := &UpdatedNames{UnaryExpressionStub: expression.UnaryExpressionStub{Child: args[0]}}
		for at := 1; at < len(args); at += 3 {
			var c UpdatedName
			for i, part := range []*string{&c.Database, &c.Table, &c.Column} {
				v, err := args[at+i].Eval(ctx, nil)
				if err != nil {
					return nil, err
				}
				*part, _ = v.(string)
			}
			n.Names = append(n.Names, c)
		}
		return n, nil
	}}}
}

// UpdatedName is the name of a column as a statement writes it.
type UpdatedName struct{ Database, Table, Column string }

// String implements fmt.Stringer.
func (n UpdatedName) String() string {
	text := n.Column
	for _, q := range []string{n.Table, n.Database} {
		if q != "" {
			text = q + "." + text
		}
	}
	return text
}

// UpdatedNames is an expression with the names of the columns that it has.
type UpdatedNames struct {
	expression.UnaryExpressionStub
	Names []UpdatedName
}

// String implements sql.Expression.
func (n *UpdatedNames) String() string { return n.Child.String() }

// Type implements sql.Expression.
func (n *UpdatedNames) Type(ctx *sql.Context) sql.Type { return n.Child.Type(ctx) }

// Eval implements sql.Expression.
func (n *UpdatedNames) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	return n.Child.Eval(ctx, row)
}

// WithChildren implements sql.Expression.
func (n *UpdatedNames) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	return &UpdatedNames{expression.UnaryExpressionStub{Child: children[0]}, n.Names}, nil
}
