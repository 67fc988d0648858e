package usertables

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/access"
	"pfsd/engine/grammar"
	"pfsd/engine/mends"
	"pfsd/engine/routine"
)

// SaveStoredProcedure implements sql.StoredProcedureDatabase.
func (d Database) SaveStoredProcedure(ctx *sql.Context, p sql.StoredProcedureDetails) error {
	if err := d.closed(ctx); err != nil {
		return err
	}
	var err error
	if p.CreateStatement, err = defined(ctx, p.CreateStatement); err != nil {
		return err
	}
	return d.StoredDatabase.SaveStoredProcedure(ctx, p)
}

// DropStoredProcedure implements sql.StoredProcedureDatabase.
func (d Database) DropStoredProcedure(ctx *sql.Context, name string) error {
	if err := d.closed(ctx); err != nil {
		return err
	}
	return d.StoredDatabase.DropStoredProcedure(ctx, name)
}

// GetStoredFunction implements routine.StoredFunctions.
func (d Database) GetStoredFunction(ctx *sql.Context, name string) (f sql.StoredProcedureDetails, found bool, err error) {
	if s, ok := d.StoredDatabase.(routine.StoredFunctions); ok {
		return s.GetStoredFunction(ctx, name)
	}
	return f, false, nil
}

// GetStoredFunctions implements routine.StoredFunctions.
func (d Database) GetStoredFunctions(ctx *sql.Context) ([]sql.StoredProcedureDetails, error) {
	if s, ok := d.StoredDatabase.(routine.StoredFunctions); ok {
		return s.GetStoredFunctions(ctx)
	}
	return nil, nil
}

// SaveStoredFunction implements routine.StoredFunctions.
func (d Database) SaveStoredFunction(ctx *sql.Context, f sql.StoredProcedureDetails) error {
	stored, ok := d.StoredDatabase.(routine.StoredFunctions)
	if err := d.closed(ctx); err != nil || !ok {
		return cmp.Or(err, access.ErrSchemaDenied(ctx, d.Name()))
	}
	var err error
	if f.CreateStatement, err = defined(ctx, grammar.PlainCode(f.CreateStatement)); err != nil {
		return err
	}
	return stored.SaveStoredFunction(ctx, f)
}

// DropStoredFunction implements routine.StoredFunctions.
func (d Database) DropStoredFunction(ctx *sql.Context, name string) error {
	stored, ok := d.StoredDatabase.(routine.StoredFunctions)
	if err := d.closed(ctx); err != nil || !ok {
		return cmp.Or(err, access.ErrSchemaDenied(ctx, d.Name()))
	}
	return stored.DropStoredFunction(ctx, name)
}

// CreateTrigger implements sql.TriggerDatabase.
func (d Database) CreateTrigger(ctx *sql.Context, t sql.TriggerDefinition) error {
	t.CreateStatement = grammar.PlainCode(t.CreateStatement)
	if err := d.closed(ctx); err != nil {
		return err
	}
	all, err := d.StoredDatabase.GetTriggers(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(o sql.TriggerDefinition) bool { return strings.EqualFold(o.Name, t.Name) }) {
		return mysql.NewSQLError(1359, "HY000", "Trigger already exists")
	}
	if t.CreateStatement, err = defined(ctx, t.CreateStatement); err != nil {
		return err
	}
	return d.StoredDatabase.CreateTrigger(ctx, t)
}

// renameTriggers puts the new name of a table into the definitions of its triggers.
//
// go-mysql-server: the triggers still belong to the old name, and after that no table can be
// dropped. MySQL: the triggers go with the table.
func (d Database) renameTriggers(ctx *sql.Context, from, to string) error {
	if !mends.RenamedTriggers.On() {
		return nil
	}
	all, err := d.StoredDatabase.GetTriggers(ctx)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.CreateStatement, err = grammar.TriggerOn(t.CreateStatement, from, to); err != nil {
			return err
		}
		if err := d.StoredDatabase.DropTrigger(ctx, t.Name); err != nil {
			return err
		}
		if err := d.StoredDatabase.CreateTrigger(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// DropTrigger implements sql.TriggerDatabase.
func (d Database) DropTrigger(ctx *sql.Context, name string) error {
	if err := d.closed(ctx); err != nil {
		return err
	}
	return d.StoredDatabase.DropTrigger(ctx, name)
}
