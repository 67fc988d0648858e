package session

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mdl"
	"pfsd/engine/vtable"
)

// TableLock is a table that a session has locked with LOCK TABLES, under the name that its
// statements must use for it.
type TableLock struct {
	Key  mdl.Key
	name string // as it is written
	Kind mdl.Type
}

// LockTables is LOCK TABLES; the transaction that was open has been committed.
func (l *Locks) LockTables(ctx *sql.Context, s *ast.LockTables) error {
	l.UnlockTables()
	var all []TableLock
	for _, t := range s.Tables {
		aliased, ok := t.Table.(*ast.AliasedTableExpr)
		if !ok {
			continue
		}
		name, ok := aliased.Expr.(ast.TableName)
		if !ok {
			continue
		}
		locked := TableLock{Key: KeyOf(ctx, name), name: name.Name.String(), Kind: mdl.SharedReadOnly}
		if !aliased.As.IsEmpty() {
			locked.name = aliased.As.String()
		}
		if t.Lock == ast.LockWrite || t.Lock == ast.LockLowPriorityWrite {
			locked.Kind = mdl.SharedNoReadWrite
		}
		all = append(all, locked)
	}
	return l.lockNamed(ctx, all)
}

// lockNamed locks tables until UNLOCK TABLES, and lets the session use no others.
func (l *Locks) lockNamed(ctx *sql.Context, all []TableLock) error {
	since := l.Owner.Mark()
	if err := l.lockAll(ctx, all); err != nil {
		l.Owner.RollbackTo(since)
		return err
	}
	l.Owner.MakeExplicit(since)
	l.tables = all
	l.locked(all)
	return nil
}

func (l *Locks) lockAll(ctx *sql.Context, all []TableLock) error {
	ordered := slices.Clone(all)
	slices.SortStableFunc(ordered, func(a, b TableLock) int {
		if c := strings.Compare(a.Key.Schema+"\x00"+a.Key.Name, b.Key.Schema+"\x00"+b.Key.Name); c != 0 {
			return c
		}
		return int(b.Kind) - int(a.Kind) // the stronger lock first
	})
	for _, t := range ordered {
		if t.Kind != mdl.SharedNoReadWrite || IsVirtual(t.Key) {
			continue
		}
		if err := l.yieldToFlush(ctx); err != nil {
			return err
		}
		if _, err := l.Lock(ctx, backupKey, mdl.IntentionExclusive, mdl.Transaction); err != nil {
			return err
		}
		if _, err := l.Lock(ctx, mdl.Key{Namespace: mdl.Schema, Schema: t.Key.Schema}, mdl.IntentionExclusive, mdl.Transaction); err != nil {
			return err
		}
	}
	for _, t := range ordered {
		if _, err := l.Lock(ctx, t.Key, t.Kind, mdl.Transaction); err != nil {
			return err
		}
	}
	return nil
}

// UnlockTables is UNLOCK TABLES.
func (l *Locks) UnlockTables() {
	if l.tables == nil && !l.globalRead {
		return
	}
	l.Owner.ReleaseExplicit(func(n mdl.Namespace) bool { return n != mdl.UserLevelLock && (n != mdl.BackupLock || !l.backup) })
	l.tables, l.globalRead = nil, false
	l.locked(nil)
}

// errLockedTables is for what cannot be done while tables are locked.
func errLockedTables() error {
	return mysql.NewSQLError(1192, "HY000", "Can't execute the given command because you have active locked tables or an active transaction")
}

// Check is why a statement may not run while tables are locked: it uses others, or changes
// one that is locked for reading; nil if it may.
func (l *Locks) Check(ctx *sql.Context, s ast.Statement) (err error) {
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
		return l.checkDefinition(ctx, s)
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
		if err := l.checkTable(ctx, KeyOf(ctx, s.Table), s.Table.Name.String(), true); err != nil {
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
		err = l.checkTable(ctx, KeyOf(ctx, t), name, written[strings.ToLower(name)])
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

// checkDefinition is Check of a statement that defines something.
func (l *Locks) checkDefinition(ctx *sql.Context, s ast.Statement) error {
	if ddl, ok := s.(*ast.DDL); ok && (ddl.ViewSpec != nil || ddl.ProcedureSpec != nil || ddl.EventSpec != nil) {
		return errLockedTables()
	}
	d := definitionOf(ctx, s)
	for _, k := range append(d.keys, d.altered...) {
		if k.Namespace == mdl.Table {
			if err := l.checkTable(ctx, k, k.Name, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTable is why a statement may not read or write a table that it calls name.
func (l *Locks) checkTable(ctx *sql.Context, k mdl.Key, name string, write bool) error {
	if k.Schema == "information_schema" || strings.EqualFold(k.Schema, vtable.Database) && !write || l.Hides(ctx, k) {
		return nil
	}
	found := false
	for _, t := range l.tables {
		if t.Key == k && strings.EqualFold(t.name, name) {
			if !write || t.Kind == mdl.SharedNoReadWrite {
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
