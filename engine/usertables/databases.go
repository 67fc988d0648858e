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

// Databases are users' databases and sys. Safe for concurrent use.
type Databases struct {
	storage Storage
	sys     StoredDatabase
	events  Events
	reg     *instr.Registry
}

// Events guards what databases know of events, which connections and the scheduler may ask and change at the same time.
type Events interface {
	Lock()
	Unlock()
	// Change makes a change, of which the scheduler is told.
	Change(do func())
}

// New makes what statements see of the databases of a storage, and of sys.
func New(storage Storage, sys StoredDatabase, events Events, reg *instr.Registry) *Databases {
	return &Databases{storage, sys, events, reg}
}

// isSys tells whether a name is that of sys.
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

// seen is a database of the storage as statements know it.
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
	d.events.Change(func() {}) // those of the database are gone
	return err
}

// NewStorageSession makes a session of go-mysql-server's in which transactions are the storage's.
func (d *Databases) NewStorageSession(base *sql.BaseSession) sql.Session {
	return d.storage.NewSession(base)
}

// Created is when a table or a view was made, otherwise if that is not known.
func (d *Databases) Created(db, name string, otherwise time.Time) time.Time {
	if at, ok := d.storage.Created(db, name); ok {
		return at
	}
	return otherwise
}
