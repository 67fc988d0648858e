package session

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/storage"
	"pfsd/engine/syntax"
)

// ReadClause is FOR UPDATE or FOR SHARE of one SELECT.
type ReadClause struct {
	Lock   storage.ReadLock
	tables []ast.TableName // that it reads itself, and that the clause names if it names any
}

// Locks tells whether the clause is about a table. The SELECTs inside of the one that has it are not meant.
func (c *ReadClause) Locks(ctx *sql.Context, db, table string) bool {
	for _, t := range c.tables {
		of := t.DbQualifier.String()
		if of == "" {
			of = ctx.GetCurrentDatabase()
		}
		if strings.EqualFold(t.Name.String(), table) && strings.EqualFold(of, db) {
			return true
		}
	}
	return false
}

// ReadClauses are those of a statement, and of all SELECTs in it.
func ReadClauses(s ast.Statement) (all []ReadClause) {
	switch s.(type) {
	case *ast.Select, *ast.SetOp, *ast.ParenSelect, *ast.Insert, *ast.DDL, *ast.Set:
	default:
		return nil
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Select:
			if n.Lock != nil && n.Lock.Type != "" {
				all = append(all, newReadClause(n.Lock, n.From))
			}
		case *ast.SetOp:
			if n.Lock != nil && n.Lock.Type != "" { // that of the last SELECT, which stands behind all of them
				if last, ok := n.Right.(*ast.Select); ok {
					all = append(all, newReadClause(n.Lock, last.From))
				}
			}
		}
		return true, nil
	}, s)
	return all
}

func newReadClause(l *ast.Lock, from ast.TableExprs) ReadClause {
	c := ReadClause{Lock: storage.ReadLock{
		Shared: l.Type == ast.ShareModeStr || strings.HasPrefix(l.Type, syntax.ShareLock),
		NoWait: strings.HasSuffix(l.Type, " nowait"), SkipLocked: strings.HasSuffix(l.Type, " skip locked"),
	}}
	for _, e := range from {
		c.add(l, e)
	}
	return c
}

// add adds the tables of an expression that the clause means.
func (c *ReadClause) add(l *ast.Lock, e ast.TableExpr) {
	switch e := e.(type) {
	case *ast.AliasedTableExpr:
		name, ok := e.Expr.(ast.TableName)
		if !ok {
			return
		}
		as := e.As.String()
		if as == "" {
			as = name.Name.String()
		}
		if len(l.Tables) == 0 {
			c.tables = append(c.tables, name)
		}
		for _, t := range l.Tables {
			if strings.EqualFold(t.Name.String(), as) {
				c.tables = append(c.tables, name)
			}
		}
	case *ast.JoinTableExpr:
		c.add(l, e.LeftExpr)
		c.add(l, e.RightExpr)
	case *ast.ParenTableExpr:
		for _, e := range e.Exprs {
			c.add(l, e)
		}
	}
}
