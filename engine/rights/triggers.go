package rights

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
)

// AuthorizeTriggerColumns is AuthorizeColumns for the statements of a trigger, which create creates and body contains. Call it with the
// rights of the trigger's definer, after what they use has been authorized.
//
// The plan that is executed has been optimised already: go-mysql-server optimises the statements of a trigger together with the statement
// that sets the trigger off. So the body is planned for the check, without optimising. Only a trigger whose definer may use some columns
// of a table, and not all, needs this.
func (r *Rights) AuthorizeTriggerColumns(ctx *sql.Context, catalog sql.Catalog, create string, body []ast.SQLNode) error {
	r.columns.private = true
	b := planbuilder.New(ctx, catalog, nil)
	b.DisableAuth()
	b.TriggerCtx().Call = true
	n, _, _, _, err := b.Parse(create, nil, false)
	r.columns.private = false
	if err != nil {
		return err
	}
	t, ok := n.(*plan.CreateTrigger)
	if !ok {
		return sql.ErrTriggerCreateStatementInvalid.New(create)
	}
	return r.AuthorizeUses(ctx, r.ColumnUses(ctx, t.Body, body...))
}

// AuthorizeOldAndNew returns the error if the definer of a trigger may not read a column of the trigger's table that its body reads as
// OLD.column or NEW.column, or write one that it sets.
func (r *Rights) AuthorizeOldAndNew(ctx *sql.Context, schema, table string, body []ast.SQLNode) (err error) {
	may := r.Access()
	have := access.TableRights(may, schema, table)
	if have.HasAll(accounts.SetOf(accounts.Select, accounts.Update)) {
		return nil
	}
	set := map[*ast.ColName]bool{}
	use := func(c *ast.ColName) {
		p := accounts.Select
		if set[c] {
			p = accounts.Update
		}
		column := c.Name.String()
		if qualifier := strings.ToLower(c.Qualifier.Name.String()); qualifier != "new" && qualifier != "old" || !c.Qualifier.DbQualifier.IsEmpty() {
			return
		}
		if err == nil && !have.Has(p) && !may.Column(schema, table, column).Has(p) {
			err = errColumn(ctx, p, table, column)
		}
	}
	for _, part := range body {
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			switch n := n.(type) {
			case *ast.SetVarExpr:
				set[n.Name] = true
			case *ast.ColName:
				use(n)
			}
			return err == nil, nil
		}, part)
	}
	return err
}
