package parsing

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/catalog"
	"pfsd/engine/session"
)

// checkExpressions returns an error if the definition of a table calls a stored function in an expression that the table keeps: a generated
// column, a default, a check or a functional index.
func (p Parser) checkExpressions(ctx *sql.Context, d *ast.DDL) error {
	checks := 0
	check := func(c *ast.ConstraintDefinition) error {
		if c == nil {
			return nil
		}
		details, ok := c.Details.(*ast.CheckConstraintDefinition)
		if !ok {
			return nil
		}
		checks++
		if f := p.storedFunctionIn(ctx, details.Expr); f != "" {
			name := c.Name
			if name == "" {
				name = fmt.Sprintf("%s_chk_%d", d.Table.Name.String(), checks)
			}
			return mysql.NewSQLError(3814, "HY000", "An expression of a check constraint '%s' contains disallowed function: %s.", name, f)
		}
		return nil
	}
	byDefault := func(column string, e ast.Expr) error {
		if f := p.storedFunctionIn(ctx, e); f != "" {
			return mysql.NewSQLError(3770, "HY000", "Default value expression of column '%s' contains a disallowed function: %s.", column, f)
		}
		return nil
	}
	if d.TableSpec != nil {
		for _, c := range d.TableSpec.Columns {
			if f := p.storedFunctionIn(ctx, c.Type.GeneratedExpr); f != "" {
				return mysql.NewSQLError(3763, "HY000", "Expression of generated column '%s' contains a disallowed function: %s.", c.Name.String(), f)
			}
			if err := byDefault(c.Name.String(), c.Type.Default); err != nil {
				return err
			}
			if err := check(c.Type.Constraint); err != nil {
				return err
			}
		}
		for _, c := range d.TableSpec.Constraints {
			if err := check(c); err != nil {
				return err
			}
		}
	}
	if d.DefaultSpec != nil {
		if err := byDefault(d.DefaultSpec.Column.String(), d.DefaultSpec.Value); err != nil {
			return err
		}
	}
	if d.IndexSpec != nil && p.storedFunctionIn(ctx, d.IndexSpec.Expression) != "" {
		return mysql.NewSQLError(3758, "HY000", "Expression of functional index '%s' contains a disallowed function.", d.IndexSpec.ToName.String())
	}
	return nil
}

// storedFunctionIn returns the first stored function that an expression calls, as errors name it; "" for none.
func (p Parser) storedFunctionIn(ctx *sql.Context, e ast.Expr) (found string) {
	if e == nil {
		return ""
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		f, ok := n.(*ast.FuncExpr)
		if !ok || found != "" {
			return found == "", nil
		}
		db, name := f.Qualifier.String(), f.Name.String()
		if before, after, dotted := strings.Cut(name, "."); dotted && db == "" { // package sqltree has completed the name
			db, name = before, after
		}
		if _, native := catalog.Functions[strings.ToLower(name)]; native && db == "" {
			return true, nil
		}
		if stored := p.provider.FunctionsOf(ctx, session.OrCurrent(ctx, db)); stored != nil {
			if _, is, err := stored.GetStoredFunction(ctx, name); is || err != nil {
				found = "`" + name + "`"
			}
		}
		return true, nil
	}, e)
	return found
}
