package session

import (
	"context"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mdl"
	"pfsd/engine/statements"
	"pfsd/engine/usertables"
)

// definition is what a statement that defines something locks.
type definition struct {
	schemas []string        // that have to stay
	keys    []mdl.Key       // that nobody else may use
	altered []mdl.Key       // the same, of tables that are read first
	sources []ast.TableName // that are read
}

// Define locks what a statement defines; tablesOf are the tables of a database that it drops.
func (l *Locks) Define(ctx *sql.Context, s ast.Statement, tablesOf func(db string) []mdl.Key) error {
	d := definitionOf(ctx, s)
	if db, ok := s.(*ast.DBDDL); ok && strings.EqualFold(db.Action, ast.DropStr) {
		d.keys = append(d.keys, tablesOf(strings.ToLower(db.DBName))...)
	}
	if len(d.keys)+len(d.altered) == 0 {
		return nil
	}
	if err := l.yieldToFlush(ctx); err != nil {
		return err
	}
	if _, err := l.Lock(ctx, backupKey, mdl.IntentionExclusive, mdl.Transaction); err != nil {
		return err
	}
	slices.Sort(d.schemas)
	for _, name := range slices.Compact(d.schemas) {
		if _, err := l.Lock(ctx, mdl.Key{Namespace: mdl.Schema, Schema: name}, mdl.IntentionExclusive, mdl.Transaction); err != nil {
			return err
		}
	}
	slices.SortFunc(d.keys, func(a, b mdl.Key) int {
		return strings.Compare(string(rune(a.Namespace))+a.Schema+"\x00"+a.Name, string(rune(b.Namespace))+b.Schema+"\x00"+b.Name)
	})
	for _, k := range d.keys {
		if err := context.Cause(ctx); err != nil { // there can be many, none of which is waited for
			return err
		}
		if _, err := l.Lock(ctx, k, mdl.Exclusive, mdl.Transaction); err != nil {
			return err
		}
	}
	for _, k := range d.altered {
		held, err := l.Lock(ctx, k, mdl.SharedUpgradable, mdl.Transaction)
		switch {
		case err != nil:
		case held.Duration() == mdl.Explicit: // of LOCK TABLES, which stays as it is
			_, err = l.Lock(ctx, k, mdl.Exclusive, mdl.Transaction)
		default:
			err = rollBackVictim(ctx, l.Owner.Upgrade(ctx, held, mdl.Exclusive, mdl.OwnTimeout))
		}
		if err != nil {
			return err
		}
	}
	for _, t := range d.sources {
		if k := KeyOf(ctx, t); !IsVirtual(k) {
			if _, err := l.Lock(ctx, k, mdl.SharedRead, mdl.Transaction); err != nil {
				return err
			}
		}
	}
	return nil
}

// definitionOf is what a statement that defines something locks; nothing if it may not.
func definitionOf(ctx *sql.Context, s ast.Statement) (d definition) {
	tables := func(to *[]mdl.Key, all ...ast.TableName) {
		for _, t := range all {
			if k := KeyOf(ctx, t); k.Schema != "" && !usertables.SessionOf(ctx).HasTemporary(ctx, k.Schema, k.Name) {
				*to = append(*to, k)
				d.schemas = append(d.schemas, k.Schema)
			}
		}
	}
	named := func(n mdl.Namespace, db, name string) {
		if db = strings.ToLower(OrCurrent(ctx, db)); db != "" {
			d.keys = append(d.keys, mdl.Key{Namespace: n, Schema: db, Name: strings.ToLower(name)})
			d.schemas = append(d.schemas, db)
		}
	}
	switch s := s.(type) {
	case *ast.DBDDL:
		if name := strings.ToLower(s.DBName); name != "" {
			d.keys = append(d.keys, mdl.Key{Namespace: mdl.Schema, Schema: name})
		}
	case *ast.AlterTable:
		tables(&d.altered, s.Table)
		for _, c := range s.Statements {
			if strings.EqualFold(c.Action, ast.RenameStr) {
				tables(&d.keys, c.ToTables...)
			}
		}
	case ast.InjectedStatement:
		if g, ok := s.Statement.(statements.Grammar); ok {
			for _, n := range g.GrammarStatement().Names {
				named(mdl.Function, n.Database, n.Name)
			}
		}
	case *ast.DDL:
		action := strings.ToLower(s.Action)
		switch {
		case s.ViewSpec != nil:
			tables(&d.keys, s.ViewSpec.ViewName)
		case s.TriggerSpec != nil:
			db := s.TriggerSpec.TrigName.Qualifier.String()
			if db == "" {
				db = s.Table.DbQualifier.String()
			}
			named(mdl.Trigger, db, s.TriggerSpec.TrigName.Name.String())
			if action == ast.CreateStr {
				tables(&d.altered, s.Table)
			}
		case s.ProcedureSpec != nil:
			named(mdl.Procedure, s.ProcedureSpec.ProcName.Qualifier.String(), s.ProcedureSpec.ProcName.Name.String())
		case s.EventSpec != nil:
			named(mdl.Event, s.EventSpec.EventName.Qualifier.String(), s.EventSpec.EventName.Name.String())
		case s.Authentication != nil, s.User.Name != "":
		case len(s.FromViews) > 0:
			tables(&d.keys, s.FromViews...)
		case action == ast.DropStr:
			tables(&d.keys, s.FromTables...)
		case action == ast.RenameStr:
			tables(&d.keys, s.FromTables...)
			tables(&d.keys, s.ToTables...)
		case action == ast.TruncateStr, action == ast.CreateStr:
			tables(&d.keys, s.Table)
			if s.OptLike != nil {
				d.sources = s.OptLike.LikeTables
			}
		default:
			tables(&d.altered, s.Table)
		}
	}
	return d
}
