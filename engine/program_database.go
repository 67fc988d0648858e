package engine

import "github.com/dolthub/go-mysql-server/sql"

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
	p.CreateStatement = defined(ctx, p.CreateStatement, createsProcedure)
	d.programs.Lock()
	defer d.programs.Unlock()
	return d.Database.SaveStoredProcedure(ctx, p)
}

// DropStoredProcedure implements sql.StoredProcedureDatabase.
func (d usersDatabase) DropStoredProcedure(ctx *sql.Context, name string) error {
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
	d.programs.Lock()
	defer d.programs.Unlock()
	return d.Database.CreateTrigger(ctx, t)
}

// DropTrigger implements sql.TriggerDatabase.
func (d usersDatabase) DropTrigger(ctx *sql.Context, name string) error {
	d.programs.Lock()
	defer d.programs.Unlock()
	return d.Database.DropTrigger(ctx, name)
}
