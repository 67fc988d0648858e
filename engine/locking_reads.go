package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/storage"
	"pfsd/engine/syntax"
)

// deadlockNumber is the number of the error after which the transaction has been rolled back.
const deadlockNumber = 1213

// startReads tells the transaction that a statement begins to read, and has its reads lock the rows that they find, if it says FOR UPDATE or
// FOR SHARE, which go-mysql-server parses and forgets.
func (w *work) startReads(ctx *sql.Context, s ast.Statement) {
	t, ok := ctx.GetTransaction().(*storage.Transaction)
	if !ok || w.program != nil && w.program.within { // what a trigger does is part of a statement that reads
		return
	}
	if w.program == nil {
		t.StartStatement(w.statement.event.EventID())
	} else {
		t.StartInner(w.statement.event.EventID())
	}
	clauses := w.statement.clauses
	if w.program != nil || !w.statement.clausesKnown {
		clauses = lockClauses(s)
	}
	if len(clauses) == 0 {
		return
	}
	t.LockReads(func(db, table string) (storage.ReadLock, bool) {
		for _, c := range clauses {
			if c.locks(ctx, db, table) {
				return c.lock, true
			}
		}
		return storage.ReadLock{}, false
	})
}

// lockClause is FOR UPDATE or FOR SHARE of one SELECT.
type lockClause struct {
	lock   storage.ReadLock
	tables []ast.TableName // that it reads itself, and that the clause names if it names any
}

// locks tells whether the clause is about a table. The SELECTs inside of the one that has it are not meant.
func (c *lockClause) locks(ctx *sql.Context, db, table string) bool {
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

// lockClauses are those of a statement, and of all SELECTs in it.
func lockClauses(s ast.Statement) (all []lockClause) {
	switch s.(type) {
	case *ast.Select, *ast.SetOp, *ast.ParenSelect, *ast.Insert, *ast.DDL, *ast.Set:
	default:
		return nil
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Select:
			if n.Lock != nil && n.Lock.Type != "" {
				all = append(all, newLockClause(n.Lock, n.From))
			}
		case *ast.SetOp:
			if n.Lock != nil && n.Lock.Type != "" { // that of the last SELECT, which stands behind all of them
				if last, ok := n.Right.(*ast.Select); ok {
					all = append(all, newLockClause(n.Lock, last.From))
				}
			}
		}
		return true, nil
	}, s)
	return all
}

func newLockClause(l *ast.Lock, from ast.TableExprs) lockClause {
	c := lockClause{lock: storage.ReadLock{
		Shared: l.Type == ast.ShareModeStr || strings.HasPrefix(l.Type, syntax.ShareLock),
		NoWait: strings.HasSuffix(l.Type, " nowait"), SkipLocked: strings.HasSuffix(l.Type, " skip locked"),
	}}
	for _, e := range from {
		c.add(l, e)
	}
	return c
}

// add adds the tables of an expression that the clause means.
func (c *lockClause) add(l *ast.Lock, e ast.TableExpr) {
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
