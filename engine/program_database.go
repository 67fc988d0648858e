package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/compat"
)

// Connections may ask and change at the same time what a database of users' knows of stored
// programs; the storage does not expect that.

// GetStoredProcedure implements sql.StoredProcedureDatabase.
func (d usersDatabase) GetStoredProcedure(ctx *sql.Context, name string) (sql.StoredProcedureDetails, bool, error) {
	d.programs.RLock()
	defer d.programs.RUnlock()
	return d.Database.GetStoredProcedure(ctx, name)
}

// GetStoredProcedures implements sql.StoredProcedureDatabase.
func (d usersDatabase) GetStoredProcedures(ctx *sql.Context) ([]sql.StoredProcedureDetails, error) {
	d.programs.RLock()
	defer d.programs.RUnlock()
	return d.Database.GetStoredProcedures(ctx)
}

// SaveStoredProcedure implements sql.StoredProcedureDatabase.
func (d usersDatabase) SaveStoredProcedure(ctx *sql.Context, p sql.StoredProcedureDetails) error {
	if err := d.closed(ctx); err != nil {
		return err
	}
	var err error
	if p.CreateStatement, err = defined(ctx, p.CreateStatement, createsProgram); err != nil {
		return err
	}
	d.programs.Lock()
	defer d.programs.Unlock()
	return d.Database.SaveStoredProcedure(ctx, p)
}

// DropStoredProcedure implements sql.StoredProcedureDatabase.
func (d usersDatabase) DropStoredProcedure(ctx *sql.Context, name string) error {
	if err := d.closed(ctx); err != nil {
		return err
	}
	d.programs.Lock()
	defer d.programs.Unlock()
	return d.Database.DropStoredProcedure(ctx, name)
}

// GetTriggers implements sql.TriggerDatabase.
func (d usersDatabase) GetTriggers(ctx *sql.Context) ([]sql.TriggerDefinition, error) {
	d.programs.RLock()
	defer d.programs.RUnlock()
	return d.Database.GetTriggers(ctx)
}

// CreateTrigger implements sql.TriggerDatabase.
func (d usersDatabase) CreateTrigger(ctx *sql.Context, t sql.TriggerDefinition) error {
	t.CreateStatement = compat.PlainCode(t.CreateStatement)
	if err := d.closed(ctx); err != nil {
		return err
	}
	d.programs.Lock()
	defer d.programs.Unlock()
	all, err := d.Database.GetTriggers(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(o sql.TriggerDefinition) bool { return strings.EqualFold(o.Name, t.Name) }) {
		return mysql.NewSQLError(1359, "HY000", "Trigger already exists")
	}
	if t.CreateStatement, err = defined(ctx, t.CreateStatement, createsProgram); err != nil {
		return err
	}
	return d.Database.CreateTrigger(ctx, t)
}

// renameTriggers notes that a table has another name, in the definitions of its triggers.
//
// go-mysql-server: they are still those of the table that there is no more, and no table can be dropped any
// more. MySQL: they go with the table.
func (d usersDatabase) renameTriggers(ctx *sql.Context, from, to string) error {
	d.programs.Lock()
	defer d.programs.Unlock()
	all, err := d.Database.GetTriggers(ctx)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.CreateStatement, err = compat.TriggerOn(t.CreateStatement, from, to); err != nil {
			return err
		}
		if err := d.Database.DropTrigger(ctx, t.Name); err != nil {
			return err
		}
		if err := d.Database.CreateTrigger(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// DropTrigger implements sql.TriggerDatabase.
func (d usersDatabase) DropTrigger(ctx *sql.Context, name string) error {
	if err := d.closed(ctx); err != nil {
		return err
	}
	d.programs.Lock()
	defer d.programs.Unlock()
	return d.Database.DropTrigger(ctx, name)
}
