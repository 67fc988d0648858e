package infoschema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/syntax"
	"pfsd/engine/sys"
	"pfsd/engine/sysschema"
	"pfsd/engine/vtable"
)

// View is a view of a database.
type View struct {
	sql.ViewDefinition
	DB string
}

// Views returns the views that the session may see, by schema and name.
func (s *Server) Views(ctx *sql.Context, schema, name string) (all []View, err error) {
	for _, db := range s.schemas(ctx, schema) {
		d, ok := db.(sql.ViewDatabase)
		if !ok {
			continue
		}
		found, err := d.AllViews(ctx)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(found, func(a, b sql.ViewDefinition) int { return cmp.Compare(a.Name, b.Name) })
		for _, v := range found {
			if inScope(db.Name(), v.Name, schema, name) && access.Visible(ctx, db.Name(), v.Name) {
				all = append(all, View{v, db.Name()})
			}
		}
	}
	return all, nil
}

// Spec returns the parsed CREATE VIEW, nil if it cannot be parsed.
func (v View) Spec() *ast.ViewSpec {
	s, err := syntax.Default.ParseSimple(v.CreateViewStatement)
	if ddl, ok := s.(*ast.DDL); err == nil && ok {
		return ddl.ViewSpec
	}
	return nil
}

// definer returns the view's definer, its SQL SECURITY (DEFINER or INVOKER), and its CHECK OPTION.
func (v View) definer() (definer, security, check string) {
	if sys.Is(v.DB) && sys.ViewNamed(v.Name) != nil {
		return strings.ReplaceAll(sys.Definer, "`", ""), "INVOKER", "NONE"
	}
	security, check = "DEFINER", "NONE"
	spec := v.Spec()
	if spec == nil {
		return "", security, check
	}
	if strings.EqualFold(spec.Security, "INVOKER") {
		security = "INVOKER"
	}
	if spec.CheckOption != "" {
		check = strings.ToUpper(string(spec.CheckOption))
	}
	return strings.ReplaceAll(spec.Definer, "`", ""), security, check
}

// viewRows are the rows of VIEWS.
func (s *Server) viewRows(ctx *sql.Context, schema, name string) (rows []sql.Row, err error) {
	all, err := s.Views(ctx, schema, name)
	for _, v := range all {
		definer, security, check := v.definer()
		text := v.text()
		if !v.isOpen(ctx) {
			text = ""
		}
		rows = append(rows, sql.Row{catalogName, v.DB, v.Name, text, check, "NO", definer, security, "utf8mb4", vtable.Collation.Name()})
	}
	return rows, err
}

// isOpen reports whether the session may see the view's text: its definer may, and who has SELECT and
// SHOW VIEW.
func (v View) isOpen(ctx *sql.Context) bool {
	may := access.Of(ctx)
	if may.Table(v.DB, v.Name).HasAll(accounts.SetOf(accounts.Select, accounts.ShowView)) {
		return true
	}
	definer, _, _ := v.definer()
	return may != nil && definer == may.Account.String()
}

// viewTableRows are the rows of VIEW_TABLE_USAGE.
func (s *Server) viewTableRows(ctx *sql.Context, schema, name string) (rows []sql.Row, err error) {
	all, err := s.Views(ctx, "", "")
	for _, v := range all {
		spec := v.Spec()
		if spec == nil || !v.isOpen(ctx) {
			continue
		}
		for _, t := range tablesOf(spec.ViewExpr, v.DB) {
			if inScope(t.schema, t.name, schema, name) && access.Visible(ctx, t.schema, t.name) {
				rows = append(rows, sql.Row{catalogName, v.DB, v.Name, catalogName, t.schema, t.name})
			}
		}
	}
	return rows, err
}

// viewRoutineRows are the rows of VIEW_ROUTINE_USAGE: the functions of sys that views call.
func (s *Server) viewRoutineRows(ctx *sql.Context, schema, name string) (rows []sql.Row, err error) {
	all, err := s.Views(ctx, schema, name)
	for _, v := range all {
		spec := v.Spec()
		if spec == nil || !v.isOpen(ctx) {
			continue
		}
		seen := map[string]bool{}
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			call, ok := n.(*ast.FuncExpr)
			if !ok {
				return true, nil
			}
			f := sysschema.Functions[call.Name.Lowered()]
			if f != nil && sys.Is(call.Qualifier.String()) && !seen[f.Name] && f.CheckCaller(ctx) == nil {
				seen[f.Name] = true
				rows = append(rows, sql.Row{catalogName, v.DB, v.Name, catalogName, sys.Schema, f.Name})
			}
			return true, nil
		}, spec.ViewExpr)
	}
	return rows, err
}

// schemaAndName names a table.
type schemaAndName struct{ schema, name string }

// tablesOf returns the tables that a query names, each once. db is the database of a name without
// one.
func tablesOf(query ast.SQLNode, db string) (all []schemaAndName) {
	common := map[string]bool{} // names of common table expressions
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.CommonTableExpr:
			common[strings.ToLower(n.As.String())] = true
		case *ast.AliasedTableExpr:
			t, ok := n.Expr.(ast.TableName)
			if !ok || t.Name.IsEmpty() || t.DbQualifier.IsEmpty() && common[strings.ToLower(t.Name.String())] {
				break
			}
			of := schemaAndName{db, t.Name.String()}
			if !t.DbQualifier.IsEmpty() {
				of.schema = t.DbQualifier.String()
			}
			if !slices.Contains(all, of) {
				all = append(all, of)
			}
		}
		return true, nil
	}, query)
	return all
}
