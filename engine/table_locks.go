package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mdl"
)

// tableLock is a table that a session has locked with LOCK TABLES, under the name that its
// statements must use for it.
type tableLock struct {
	key  mdl.Key
	name string // as it is written
	kind mdl.Type
}

// lockStatement is LOCK TABLES; the transaction that was open has been committed.
func (w *work) lockStatement(ctx *sql.Context, s *ast.LockTables) error {
	w.unlockTables()
	var all []tableLock
	for _, t := range s.Tables {
		aliased, ok := t.Table.(*ast.AliasedTableExpr)
		if !ok {
			continue
		}
		name, ok := aliased.Expr.(ast.TableName)
		if !ok {
			continue
		}
		l := tableLock{key: keyOf(ctx, name), name: name.Name.String(), kind: mdl.SharedReadOnly}
		if !aliased.As.IsEmpty() {
			l.name = aliased.As.String()
		}
		if t.Lock == ast.LockWrite || t.Lock == ast.LockLowPriorityWrite {
			l.kind = mdl.SharedNoReadWrite
		}
		all = append(all, l)
	}
	return w.lockTables(ctx, all)
}

// lockTables locks tables until UNLOCK TABLES, and lets the session use no others.
func (w *work) lockTables(ctx *sql.Context, all []tableLock) error {
	since := w.locks.Mark()
	if err := w.lockAll(ctx, all); err != nil {
		w.locks.RollbackTo(since)
		return err
	}
	w.locks.Keep(since)
	w.tables = all
	w.opened.lock(all)
	return nil
}

func (w *work) lockAll(ctx *sql.Context, all []tableLock) error {
	ordered := slices.Clone(all)
	slices.SortStableFunc(ordered, func(a, b tableLock) int {
		if c := strings.Compare(a.key.Schema+"\x00"+a.key.Name, b.key.Schema+"\x00"+b.key.Name); c != 0 {
			return c
		}
		return int(b.kind) - int(a.kind) // the stronger lock first
	})
	for _, l := range ordered {
		if l.kind != mdl.SharedNoReadWrite || own(l.key) {
			continue
		}
		if err := w.yieldToFlush(ctx); err != nil {
			return err
		}
		if _, err := w.acquire(ctx, backupKey, mdl.IntentionExclusive, mdl.Transaction); err != nil {
			return err
		}
		if _, err := w.acquire(ctx, mdl.Key{Namespace: mdl.Schema, Schema: l.key.Schema}, mdl.IntentionExclusive, mdl.Transaction); err != nil {
			return err
		}
	}
	for _, l := range ordered {
		if _, err := w.acquire(ctx, l.key, l.kind, mdl.Transaction); err != nil {
			return err
		}
	}
	return nil
}

// unlockTables is UNLOCK TABLES.
func (w *work) unlockTables() {
	if w.tables == nil && !w.globalRead {
		return
	}
	w.locks.ReleaseExplicit(func(n mdl.Namespace) bool { return n != mdl.UserLevelLock })
	w.tables, w.globalRead = nil, false
	w.opened.unlock()
}

// errLockedTables is for what cannot be done while tables are locked.
func errLockedTables() error {
	return mysql.NewSQLError(1192, "HY000", "Can't execute the given command because you have active locked tables or an active transaction")
}

// checkLocked is why a statement may not run while tables are locked: it uses others, or changes
// one that is locked for reading; nil if it may.
func (w *work) checkLocked(ctx *sql.Context, s ast.Statement) (err error) {
	switch s := s.(type) {
	case *ast.LockTables, *ast.UnlockTables, *ast.Show, *ast.Use, *ast.Set:
		return nil
	case *ast.Flush:
		if s.Option != nil && s.Option.ReadLock {
			return errLockedTables()
		}
		return nil
	case *ast.DBDDL:
		return errLockedTables()
	case *ast.DDL, *ast.AlterTable:
		return w.checkDefinition(ctx, s)
	}
	defined := map[string]bool{} // by WITH
	written := map[string]bool{}
	write := func(t ast.TableExpr) {
		if a, ok := t.(*ast.AliasedTableExpr); ok {
			if n, ok := a.Expr.(ast.TableName); ok {
				written[strings.ToLower(shownName(a, n))] = true
			}
		}
	}
	switch s := s.(type) {
	case *ast.Insert:
		if err := w.checkTable(ctx, keyOf(ctx, s.Table), s.Table.Name.String(), true); err != nil {
			return err
		}
	case *ast.Update:
		for _, t := range s.TableExprs {
			write(t)
		}
	case *ast.Delete:
		for _, t := range s.Targets {
			written[strings.ToLower(t.Name.String())] = true
		}
		if len(s.Targets) == 0 {
			for _, t := range s.TableExprs {
				write(t)
			}
		}
	}
	walk := func(visit func(ast.SQLNode)) {
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			visit(n)
			return true, nil
		}, s)
	}
	walk(func(n ast.SQLNode) {
		if c, ok := n.(*ast.CommonTableExpr); ok {
			defined[strings.ToLower(c.As.String())] = true
		}
	})
	walk(func(n ast.SQLNode) {
		a, ok := n.(*ast.AliasedTableExpr)
		if !ok || err != nil {
			return
		}
		t, ok := a.Expr.(ast.TableName)
		if !ok || t.DbQualifier.IsEmpty() && (defined[strings.ToLower(t.Name.String())] || strings.EqualFold(t.Name.String(), "dual")) {
			return
		}
		name := shownName(a, t)
		err = w.checkTable(ctx, keyOf(ctx, t), name, written[strings.ToLower(name)])
	})
	return err
}

// shownName is what a statement calls a table.
func shownName(a *ast.AliasedTableExpr, t ast.TableName) string {
	if !a.As.IsEmpty() {
		return a.As.String()
	}
	return t.Name.String()
}

// checkDefinition is checkLocked of a statement that defines something.
func (w *work) checkDefinition(ctx *sql.Context, s ast.Statement) error {
	if ddl, ok := s.(*ast.DDL); ok && (ddl.ViewSpec != nil || ddl.ProcedureSpec != nil || ddl.EventSpec != nil) {
		return errLockedTables()
	}
	d := definitionOf(ctx, s)
	for _, k := range append(d.keys, d.altered...) {
		if k.Namespace == mdl.Table {
			if err := w.checkTable(ctx, k, k.Name, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTable is why a statement may not read or write a table that it calls name.
func (w *work) checkTable(ctx *sql.Context, k mdl.Key, name string, write bool) error {
	if k.Schema == "information_schema" || isSchema(k.Schema) && !write || w.hides(ctx, k) {
		return nil
	}
	found := false
	for _, l := range w.tables {
		if l.key == k && strings.EqualFold(l.name, name) {
			if !write || l.kind == mdl.SharedNoReadWrite {
				return nil
			}
			found = true
		}
	}
	if found {
		return mysql.NewSQLError(1099, "HY000", "Table '%s' was locked with a READ lock and can't be updated", name)
	}
	return mysql.NewSQLError(1100, "HY000", "Table '%s' was not locked with LOCK TABLES", name)
}
