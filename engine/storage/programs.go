package storage

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/storage/record"
	"pfsd/engine/txkv"
)

// viewRecord is a view in the form in which it is stored.
type viewRecord struct {
	sql.ViewDefinition
	Created time.Time
}

// triggerRecord is a trigger in the form in which it is stored. Triggers with the same time and
// event run in the order of their numbers.
type triggerRecord struct {
	sql.TriggerDefinition
	Order int
}

// sortTriggers sorts the triggers in the order in which they run.
func (d *Database) sortTriggers() {
	slices.SortFunc(d.triggers, func(a, b triggerRecord) int { return cmp.Compare(a.Order, b.Order) })
}

// putNamed stores a value in one of the database's maps.
func putNamed[T any](ctx *sql.Context, d *Database, kind record.Kind, all map[string]T, name string, value T, exists func() error) error {
	return d.p.change(ctx, func(t *txkv.Txn) (func(), error) {
		key := strings.ToLower(name)
		if _, ok := all[key]; ok && exists != nil {
			return nil, exists()
		}
		return func() { all[key] = value }, record.Put(t, kind, d.name, name, value)
	})
}

// dropNamed removes a value from one of the database's maps.
func dropNamed[T any](ctx *sql.Context, d *Database, kind record.Kind, all map[string]T, name string, missing func() error) error {
	return d.p.change(ctx, func(t *txkv.Txn) (func(), error) {
		key := strings.ToLower(name)
		if _, ok := all[key]; !ok {
			return nil, missing()
		}
		return func() { delete(all, key) }, t.Delete(record.Key(kind, d.name, name))
	})
}

// getNamed finds a value in one of the database's maps.
func getNamed[T any](d *Database, all map[string]T, name string) (T, bool) {
	d.p.mu.RLock()
	defer d.p.mu.RUnlock()
	v, ok := all[strings.ToLower(name)]
	return v, ok
}

// allNamed returns the values of one of the database's maps, ordered by name.
func allNamed[T any](d *Database, all map[string]T) []T {
	d.p.mu.RLock()
	defer d.p.mu.RUnlock()
	values := make([]T, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		values = append(values, all[name])
	}
	return values
}

// CreateView implements sql.ViewDatabase.
func (d *Database) CreateView(ctx *sql.Context, name, selectText, createText string) error {
	v := viewRecord{sql.ViewDefinition{Name: name, TextDefinition: selectText, CreateViewStatement: createText, SqlMode: sql.LoadSqlMode(ctx).String()}, time.Now()}
	return putNamed(ctx, d, record.KindView, d.views, name, v, func() error { return sql.ErrExistingView.New(d.name, name) })
}

// DropView implements sql.ViewDatabase.
func (d *Database) DropView(ctx *sql.Context, name string) error {
	return dropNamed(ctx, d, record.KindView, d.views, name, func() error { return sql.ErrViewDoesNotExist.New(d.name, name) })
}

// GetViewDefinition implements sql.ViewDatabase.
func (d *Database) GetViewDefinition(_ *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	v, ok := getNamed(d, d.views, name)
	return v.ViewDefinition, ok, nil
}

// AllViews implements sql.ViewDatabase.
func (d *Database) AllViews(*sql.Context) ([]sql.ViewDefinition, error) {
	records := allNamed(d, d.views)
	all := make([]sql.ViewDefinition, len(records))
	for i, r := range records {
		all[i] = r.ViewDefinition
	}
	return all, nil
}

// GetTriggers implements sql.TriggerDatabase.
func (d *Database) GetTriggers(*sql.Context) ([]sql.TriggerDefinition, error) {
	d.p.mu.RLock()
	defer d.p.mu.RUnlock()
	all := make([]sql.TriggerDefinition, len(d.triggers))
	for i, t := range d.triggers {
		all[i] = t.TriggerDefinition
	}
	return all, nil
}

func (d *Database) trigger(name string) int {
	return slices.IndexFunc(d.triggers, func(t triggerRecord) bool { return strings.EqualFold(t.Name, name) })
}

// CreateTrigger implements sql.TriggerDatabase.
func (d *Database) CreateTrigger(ctx *sql.Context, def sql.TriggerDefinition) error {
	return d.p.change(ctx, func(t *txkv.Txn) (func(), error) {
		if d.trigger(def.Name) >= 0 {
			return nil, sql.ErrTriggerCreateStatementInvalid.New(def.Name)
		}
		r := triggerRecord{TriggerDefinition: def}
		if n := len(d.triggers); n > 0 {
			r.Order = d.triggers[n-1].Order + 1
		}
		return func() { d.triggers = append(slices.Clone(d.triggers), r) }, record.Put(t, record.KindTrigger, d.name, def.Name, r)
	})
}

// DropTrigger implements sql.TriggerDatabase.
func (d *Database) DropTrigger(ctx *sql.Context, name string) error {
	return d.p.change(ctx, func(t *txkv.Txn) (func(), error) {
		i := d.trigger(name)
		if i < 0 {
			return nil, sql.ErrTriggerDoesNotExist.New(name)
		}
		return func() { d.triggers = slices.Delete(slices.Clone(d.triggers), i, i+1) }, t.Delete(record.Key(record.KindTrigger, d.name, name))
	})
}

// ReplaceTriggers replaces all triggers of the database by others, which run in the order of the
// list.
func (d *Database) ReplaceTriggers(ctx *sql.Context, all []sql.TriggerDefinition) error {
	return d.p.change(ctx, func(t *txkv.Txn) (func(), error) {
		for _, old := range d.triggers {
			if err := t.Delete(record.Key(record.KindTrigger, d.name, old.Name)); err != nil {
				return nil, err
			}
		}
		records := make([]triggerRecord, len(all))
		for i, def := range all {
			records[i] = triggerRecord{def, i}
			if err := record.Put(t, record.KindTrigger, d.name, def.Name, records[i]); err != nil {
				return nil, err
			}
		}
		return func() { d.triggers = records }, nil
	})
}

// GetStoredProcedure implements sql.StoredProcedureDatabase.
func (d *Database) GetStoredProcedure(_ *sql.Context, name string) (sql.StoredProcedureDetails, bool, error) {
	v, ok := getNamed(d, d.procedures, name)
	return v, ok, nil
}

// GetStoredProcedures implements sql.StoredProcedureDatabase.
func (d *Database) GetStoredProcedures(*sql.Context) ([]sql.StoredProcedureDetails, error) {
	return allNamed(d, d.procedures), nil
}

// SaveStoredProcedure implements sql.StoredProcedureDatabase.
func (d *Database) SaveStoredProcedure(ctx *sql.Context, v sql.StoredProcedureDetails) error {
	return putNamed(ctx, d, record.KindProcedure, d.procedures, v.Name, v, func() error { return sql.ErrStoredProcedureAlreadyExists.New(v.Name) })
}

// DropStoredProcedure implements sql.StoredProcedureDatabase.
func (d *Database) DropStoredProcedure(ctx *sql.Context, name string) error {
	return dropNamed(ctx, d, record.KindProcedure, d.procedures, name, func() error { return sql.ErrStoredProcedureDoesNotExist.New(name) })
}

// GetStoredFunction implements routine.StoredFunctions.
func (d *Database) GetStoredFunction(_ *sql.Context, name string) (sql.StoredProcedureDetails, bool, error) {
	v, ok := getNamed(d, d.functions, name)
	return v, ok, nil
}

// GetStoredFunctions implements routine.StoredFunctions.
func (d *Database) GetStoredFunctions(*sql.Context) ([]sql.StoredProcedureDetails, error) {
	return allNamed(d, d.functions), nil
}

// SaveStoredFunction implements routine.StoredFunctions.
func (d *Database) SaveStoredFunction(ctx *sql.Context, v sql.StoredProcedureDetails) error {
	return putNamed(ctx, d, record.KindFunction, d.functions, v.Name, v, func() error {
		return mysql.NewSQLError(1304, "42000", "FUNCTION %s already exists", v.Name)
	})
}

// DropStoredFunction implements routine.StoredFunctions.
func (d *Database) DropStoredFunction(ctx *sql.Context, name string) error {
	return dropNamed(ctx, d, record.KindFunction, d.functions, name, func() error {
		return mysql.NewSQLError(1305, "42000", "FUNCTION %s.%s does not exist", d.name, name)
	})
}

// GetEvent implements sql.EventDatabase.
func (d *Database) GetEvent(_ *sql.Context, name string) (sql.EventDefinition, bool, error) {
	v, ok := getNamed(d, d.events, name)
	return v, ok, nil
}

// GetEvents implements sql.EventDatabase.
func (d *Database) GetEvents(*sql.Context) ([]sql.EventDefinition, any, error) {
	return allNamed(d, d.events), nil, nil
}

// SaveEvent implements sql.EventDatabase.
func (d *Database) SaveEvent(ctx *sql.Context, e sql.EventDefinition) (bool, error) {
	err := putNamed(ctx, d, record.KindEvent, d.events, e.Name, e, func() error { return sql.ErrEventAlreadyExists.New(e.Name) })
	return e.Status == sql.EventStatus_Enable.String(), err
}

// DropEvent implements sql.EventDatabase.
func (d *Database) DropEvent(ctx *sql.Context, name string) error {
	return dropNamed(ctx, d, record.KindEvent, d.events, name, func() error { return sql.ErrEventDoesNotExist.New(name) })
}

// UpdateEvent implements sql.EventDatabase.
func (d *Database) UpdateEvent(ctx *sql.Context, original string, e sql.EventDefinition) (bool, error) {
	err := d.p.change(ctx, func(t *txkv.Txn) (func(), error) {
		from, to := strings.ToLower(original), strings.ToLower(e.Name)
		if _, ok := d.events[from]; !ok {
			return nil, sql.ErrEventDoesNotExist.New(original)
		}
		if _, ok := d.events[to]; ok && from != to {
			return nil, sql.ErrEventAlreadyExists.New(to)
		}
		if err := t.Delete(record.Key(record.KindEvent, d.name, original)); err != nil {
			return nil, err
		}
		return func() {
			delete(d.events, from)
			d.events[to] = e
		}, record.Put(t, record.KindEvent, d.name, e.Name, e)
	})
	return e.Status == sql.EventStatus_Enable.String(), err
}

// UpdateLastExecuted implements sql.EventDatabase. It does not change a definition: it does not
// commit the transaction, and cached plans stay valid.
func (d *Database) UpdateLastExecuted(_ *sql.Context, name string, at time.Time) error {
	d.p.mu.Lock()
	defer d.p.mu.Unlock()
	key := strings.ToLower(name)
	e, ok := d.events[key]
	if !ok {
		return sql.ErrEventDoesNotExist.New(name)
	}
	e.LastExecuted = at
	t := d.p.store.Begin(txkv.TxnOptions{})
	defer t.Rollback()
	if err := record.Put(t, record.KindEvent, d.name, e.Name, e); err != nil {
		return failure(err)
	}
	if err := t.Commit(); err != nil {
		return failure(err)
	}
	d.events[key] = e
	return nil
}

// NeedsToReloadEvents implements sql.EventDatabase.
func (d *Database) NeedsToReloadEvents(*sql.Context, any) (bool, error) { return false, nil }

// QuiescableEvents implements sql.QuiescableEventDatabase.
func (d *Database) QuiescableEvents() bool { return true }
