package usertables

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/mysqlerr"
	"pfsd/instr"
)

// Databases has users' databases and sys. Safe for concurrent use.
type Databases struct {
	storage Storage
	sys     StoredDatabase
	events  Events
	reg     *instr.Registry
	native  func(name string) bool
}

// Events is a lock for what databases know of events, because connections and the scheduler use it
// concurrently.
type Events interface {
	Lock()
	Unlock()
	// Change makes a change, and reports it to the scheduler.
	Change(do func())
}

// New returns the databases of a storage and sys, as statements see them. native reports whether a name in lower case is that of a native
// function.
func New(storage Storage, sys StoredDatabase, events Events, reg *instr.Registry, native func(name string) bool) *Databases {
	return &Databases{storage, sys, events, reg, native}
}

// isSys tells whether a name is the name of sys.
func (d *Databases) isSys(name string) bool { return strings.EqualFold(name, d.sys.Name()) }

// Database implements sql.DatabaseProvider.
func (d *Databases) Database(ctx *sql.Context, name string) (sql.Database, error) {
	if d.isSys(name) {
		return Database{d.sys, d}, nil
	}
	db, err := d.storage.Database(ctx, name)
	if err != nil {
		return nil, mysqlerr.UnknownDatabase(name)
	}
	return d.seen(db), nil
}

// seen returns a database of the storage as statements see it.
func (d *Databases) seen(db sql.Database) sql.Database {
	if s, ok := db.(StoredDatabase); ok {
		return Database{s, d}
	}
	return db
}

// HasDatabase implements sql.DatabaseProvider.
func (d *Databases) HasDatabase(ctx *sql.Context, name string) bool {
	return d.isSys(name) || d.storage.HasDatabase(ctx, name)
}

// AllDatabases implements sql.DatabaseProvider.
func (d *Databases) AllDatabases(ctx *sql.Context) []sql.Database {
	all := []sql.Database{Database{d.sys, d}}
	for _, db := range d.storage.AllDatabases(ctx) {
		all = append(all, d.seen(db))
	}
	slices.SortFunc(all, func(a, b sql.Database) int { return cmp.Compare(a.Name(), b.Name()) })
	return all
}

// CreateDatabase implements sql.MutableDatabaseProvider.
func (d *Databases) CreateDatabase(ctx *sql.Context, name string) error {
	return d.storage.CreateDatabase(ctx, name)
}

// DropDatabase implements sql.MutableDatabaseProvider.
func (d *Databases) DropDatabase(ctx *sql.Context, name string) error {
	err := d.storage.DropDatabase(ctx, name)
	d.events.Change(func() {}) // the database's events do not exist any more
	return err
}

// NewStorageSession returns a session of go-mysql-server with the transactions of the storage.
func (d *Databases) NewStorageSession(base *sql.BaseSession) sql.Session {
	return d.storage.NewSession(base)
}

// Created returns when a table or a view was created, or otherwise if that is not known.
func (d *Databases) Created(db, name string, otherwise time.Time) time.Time {
	if at, ok := d.storage.Created(db, name); ok {
		return at
	}
	return otherwise
}
