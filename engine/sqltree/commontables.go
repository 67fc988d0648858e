package sqltree

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
	"pfsd/engine/syntax"
)

// CommonTables distinguishes the tables in s from the common tables that its WITH clauses define.
// query begins with the text of s.
//
// vitess: needs no privilege on a table if any common table of the statement has the name of the
// table, or of its database. So everybody can read the table vic.secret with WITH vic AS (SELECT 1)
// SELECT * FROM vic.secret. Where a recursive query reads itself, vitess needs a privilege.
//
// go-mysql-server: takes the table vic.secret for a common table named secret. MySQL: only a name
// without a database can be a common table. It is one in the query that has the WITH, in later
// queries of the same WITH, and, with RECURSIVE, in the query of the common table itself.
func CommonTables(query string, s ast.Statement) {
	if !mends.WithTables.On() {
		return
	}
	if s == nil || !syntax.ContainsFold(query, "with") {
		return
	}
	c := &commonTables{defined: map[string]bool{}, qualified: map[string]bool{}}
	tables := func(v reflect.Value) {
		switch n := v.Interface().(type) {
		case *ast.CommonTableExpr:
			c.defined[n.As.String()] = true
		case *ast.AliasedTableExpr:
			if t, ok := n.Expr.(ast.TableName); ok && !t.DbQualifier.IsEmpty() {
				c.qualified[strings.ToLower(t.Name.String())] = true
			}
		}
	}
	if tablesAndQueries.Walk(reflect.ValueOf(s), tables); len(c.defined) == 0 {
		return
	}
	// The walk reaches a query before the queries that contain it. An outer query knows all common
	// tables that hold for an inner one, so what it says about a table, which is last, is right.
	tablesAndQueries.Walk(reflect.ValueOf(s), func(v reflect.Value) {
		if n, ok := v.Interface().(ast.SQLNode); ok && isQuery(n) {
			c.walk(n, ast.AuthType_SELECT, map[string]string{})
		}
	})
}

var tablesAndQueries = syntax.NewWalker(func(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[*ast.CommonTableExpr](), reflect.TypeFor[*ast.AliasedTableExpr](), reflect.TypeFor[*ast.Select](), reflect.TypeFor[*ast.SetOp](),
		reflect.TypeFor[*ast.Insert](), reflect.TypeFor[*ast.Update](), reflect.TypeFor[*ast.Delete]():
		return true
	}
	return false
})

func isQuery(n ast.SQLNode) bool {
	switch n := n.(type) {
	case *ast.Select:
		return n != nil
	case *ast.SetOp:
		return n != nil
	case *ast.Insert:
		return n != nil
	case *ast.Update:
		return n != nil
	case *ast.Delete:
		return n != nil
	}
	return false
}

// commonTables are the common tables of a statement. Owned by one goroutine.
type commonTables struct {
	defined   map[string]bool // the names of the common tables
	qualified map[string]bool // the names, in lower case, of tables with a database
}

// walk walks n, a part of a statement. Tables in n need this privilege. known has the common tables
// that hold in n: the key is a name in lower case, the value is the name in the tree.
func (c *commonTables) walk(n ast.SQLNode, privilege string, known map[string]string) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Select:
			c.walkParts(ast.AuthType_SELECT, c.walkWith(n.With, known), n.SelectExprs, n.From, n.Where, n.GroupBy, n.Having, n.Window, n.OrderBy, n.Limit)
		case *ast.SetOp:
			c.walkParts(ast.AuthType_SELECT, c.walkWith(n.With, known), n.Left, n.Right, n.OrderBy, n.Limit)
		case *ast.Insert:
			c.walkParts(ast.AuthType_SELECT, c.walkWith(n.With, known), n.Rows, n.OnDup)
		case *ast.Update:
			known := c.walkWith(n.With, known)
			c.walkParts(ast.AuthType_UPDATE, known, n.TableExprs)
			c.walkParts(ast.AuthType_SELECT, known, n.Exprs, n.Where, n.OrderBy, n.Limit)
		case *ast.Delete:
			known := c.walkWith(n.With, known)
			c.walkParts(ast.AuthType_DELETE, known, n.TableExprs)
			c.walkParts(ast.AuthType_SELECT, known, n.Where, n.OrderBy, n.Limit)
		case *ast.AliasedTableExpr:
			if t, ok := n.Expr.(ast.TableName); ok {
				c.walkTable(n, t, privilege, known)
			}
			return true, nil
		default:
			return true, nil
		}
		return false, nil
	}, n)
}

func (c *commonTables) walkParts(privilege string, known map[string]string, parts ...ast.SQLNode) {
	for _, p := range parts {
		if v := reflect.ValueOf(p); v.IsValid() && !(v.Kind() == reflect.Pointer && v.IsNil()) {
			c.walk(p, privilege, known)
		}
	}
}

// walkWith walks the queries of a WITH, and returns the common tables that hold for the query that
// has the WITH. If the statement also has a table of that name with a database, walkWith changes
// the name of the common table, so that go-mysql-server does not take one for the other.
func (c *commonTables) walkWith(w *ast.With, known map[string]string) map[string]string {
	if w == nil {
		return known
	}
	known = maps.Clone(known)
	for _, t := range w.Ctes {
		name := strings.ToLower(t.As.String())
		if c.qualified[name] {
			t.As = ast.NewTableIdent("common table " + t.As.String())
		}
		if w.Recursive {
			known[name] = t.As.String()
		}
		c.walk(t.AliasedTableExpr.Expr, ast.AuthType_SELECT, known)
		known[name] = t.As.String()
	}
	return known
}

// walkTable is walk for a table t, whose node is n.
func (c *commonTables) walkTable(n *ast.AliasedTableExpr, t ast.TableName, privilege string, known map[string]string) {
	if name, ok := known[strings.ToLower(t.Name.String())]; ok && t.DbQualifier.IsEmpty() {
		n.Auth.AuthType = ast.AuthType_IGNORE
		if name != t.Name.String() && strings.HasPrefix(name, "common table ") {
			if n.As.IsEmpty() {
				n.As = t.Name
			}
			t.Name = ast.NewTableIdent(name)
			n.Expr = t
		}
		return
	}
	if n.Auth.AuthType == ast.AuthType_IGNORE && slices.ContainsFunc(n.Auth.TargetNames, func(name string) bool { return c.defined[name] }) {
		n.Auth.AuthType = privilege
	}
}
