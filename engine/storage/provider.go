package storage

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/storage/codec"
	"pfsd/engine/storage/record"
	"pfsd/engine/txkv"
	"pfsd/engine/usertables"
)

// Provider has the databases of a store. Safe for concurrent use.
type Provider struct {
	store *txkv.Store
	// commits is held for reading while a transaction commits, and for writing while definitions
	// change. So no commit writes to a table that has been dropped.
	commits sync.RWMutex

	// mu guards databases, their contents, and the numbers of tables. If both are needed, commits
	// is locked first.
	mu        sync.RWMutex
	databases map[string]*Database // by lower-case name
	nextID    uint32               // the number of the next table
	freeID    uint32               // the first number that is not stored as used

	counts counts

	rollsBackOnTimeout bool // does not change while transactions run

	// version counts the changes of definitions.
	version atomic.Uint64
	// referenced are the foreign keys of all databases, by the table that they refer to. Each change of them replaces it.
	referenced atomic.Pointer[map[tableName][]sql.ForeignKeyConstraint]
}

// tableName is the name of a table, in lower case.
type tableName struct{ db, table string }

func nameOf(db, table string) tableName {
	return tableName{strings.ToLower(db), strings.ToLower(table)}
}

var (
	_ usertables.Storage            = (*Provider)(nil)
	_ usertables.StoredDatabase     = (*Database)(nil)
	_ usertables.StoredTable        = (*Table)(nil)
	_ usertables.StoredIndexedTable = (*IndexedTable)(nil)
	_ sql.MutableDatabaseProvider   = (*Provider)(nil)
	_ sql.CollatedDatabaseProvider  = (*Provider)(nil)
)

// Open reads the definitions of a store, which nobody else uses. It returns the store's errors
// unchanged, because they name files.
func Open(s *txkv.Store) (*Provider, error) {
	p := &Provider{store: s, databases: map[string]*Database{}, nextID: 1, freeID: 1}
	if err := p.load(); err != nil {
		return nil, err
	}
	p.linkForeignKeys()
	return p, nil
}

// RollBackOnTimeout rolls transactions back whose wait for a lock takes too long, as innodb_rollback_on_timeout wants; without it only the
// statement fails. It is called before there are transactions.
func (p *Provider) RollBackOnTimeout() { p.rollsBackOnTimeout = true }

// Store returns the store that the provider was opened on.
func (p *Provider) Store() *txkv.Store { return p.store }

// Backup writes a copy of all databases to a directory that must not exist. The copy has everything
// that was committed before the call. A store opened on that directory has these databases. The
// server can go on meanwhile.
func (p *Provider) Backup(dir string) error { return failure(p.store.Checkpoint(dir)) }

// Close stores the counters of the tables. It leaves the store open. Call it after all transactions
// have ended.
func (p *Provider) Close() error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	t := p.store.Begin(txkv.TxnOptions{})
	defer t.Rollback()
	for _, d := range p.databases {
		for _, def := range d.tables {
			s := def.state
			s.mu.Lock()
			s.reserved = s.next
			s.mu.Unlock()
			if err := errors.Join(putCounter(t, s.id, counterRows, uint64(max(s.rows.Load(), 0))), putCounter(t, s.id, counterAuto, s.reserved)); err != nil {
				return failure(err)
			}
		}
	}
	return failure(t.Commit())
}

// Database implements sql.DatabaseProvider.
func (p *Provider) Database(_ *sql.Context, name string) (sql.Database, error) {
	if d := p.find(name); d != nil {
		return d, nil
	}
	return nil, sql.ErrDatabaseNotFound.New(name)
}

func (p *Provider) find(name string) *Database {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.databases[strings.ToLower(name)]
}

// HasDatabase implements sql.DatabaseProvider.
func (p *Provider) HasDatabase(_ *sql.Context, name string) bool { return p.find(name) != nil }

// AllDatabases implements sql.DatabaseProvider.
func (p *Provider) AllDatabases(*sql.Context) []sql.Database {
	p.mu.RLock()
	defer p.mu.RUnlock()
	all := make([]sql.Database, 0, len(p.databases))
	for _, d := range slices.SortedFunc(maps.Values(p.databases), func(a, b *Database) int { return cmp.Compare(a.name, b.name) }) {
		all = append(all, d)
	}
	return all
}

// Created implements usertables.Storage.
func (p *Provider) Created(db, name string) (time.Time, bool) {
	d := p.find(db)
	if d == nil {
		return time.Time{}, false
	}
	if def := d.definition(name); def != nil {
		return def.record.Created, true
	}
	v, ok := getNamed(d, d.views, name)
	return v.Created, ok
}

// CreateDatabase implements sql.MutableDatabaseProvider.
func (p *Provider) CreateDatabase(ctx *sql.Context, name string) error {
	return p.CreateCollatedDatabase(ctx, name, sql.Collation_Default)
}

// CreateCollatedDatabase implements sql.CollatedDatabaseProvider.
func (p *Provider) CreateCollatedDatabase(ctx *sql.Context, name string, c sql.CollationID) error {
	if p.HasDatabase(ctx, name) {
		return sql.ErrDatabaseExists.New(name)
	}
	d := p.newDatabase(name)
	d.collation = c
	return p.change(ctx, func(t *txkv.Txn) (func(), error) {
		return func() { p.databases[strings.ToLower(name)] = d }, record.Put(t, record.KindDatabase, name, "", databaseRecord{name, record.CollationName(c)})
	})
}

// DropDatabase implements sql.MutableDatabaseProvider.
func (p *Provider) DropDatabase(ctx *sql.Context, name string) error {
	d := p.find(name)
	if d == nil {
		return sql.ErrDatabaseNotFound.New(name)
	}
	return p.change(ctx, func(t *txkv.Txn) (func(), error) {
		for _, kind := range []record.Kind{record.KindDatabase, record.KindTable, record.KindForeignKey, record.KindView, record.KindTrigger, record.KindProcedure, record.KindFunction, record.KindEvent} {
			all := record.Key(kind, name, "")
			if err := t.DeleteRange(all, codec.After(all)); err != nil {
				return nil, err
			}
		}
		for _, def := range d.tables {
			if err := p.removeRows(t, def.record.ID); err != nil {
				return nil, err
			}
		}
		return func() {
			for _, def := range d.tables {
				def.state.retired.Store(true)
			}
			delete(p.databases, strings.ToLower(name))
			p.linkForeignKeys()
		}, nil
	})
}

// Version returns a number that each change of definitions increases.
func (p *Provider) Version() uint64 {
	p.mu.RLock() // wait until the change that the version counts is in place
	defer p.mu.RUnlock()
	return p.version.Load()
}

// change changes definitions. It commits the transaction of the session first. Then it calls write,
// with mu held, to write the records. When they are durable, it calls place, which write has
// returned, to change the definitions in memory, with both mutexes held.
func (p *Provider) change(ctx *sql.Context, write func(t *txkv.Txn) (place func(), err error)) error {
	if t := wholeOf(ctx); t != nil {
		return p.changeIn(t, write)
	}
	if err := commitOf(ctx); err != nil {
		return err
	}
	return p.changeNow(write)
}

// changeNow does the same as change, but within the session's transaction. Temporary tables need
// that.
func (p *Provider) changeNow(write func(t *txkv.Txn) (place func(), err error)) error {
	p.commits.Lock()
	defer p.commits.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.store.Begin(txkv.TxnOptions{})
	defer t.Rollback()
	place, err := write(t)
	if err == nil {
		err = t.Commit()
	}
	if err != nil {
		return failure(err)
	}
	p.version.Add(1)
	place()
	return nil
}

// idsAhead is how many table numbers are stored as used at once.
const idsAhead = 64

// newID returns a new number for a table. The caller holds mu.
func (p *Provider) newID() (uint32, error) {
	if p.nextID == p.freeID {
		t := p.store.Begin(txkv.TxnOptions{})
		defer t.Rollback()
		b, err := json.Marshal(p.freeID + idsAhead)
		if err == nil {
			err = t.Put(record.Key(record.KindIDs, "", ""), b)
		}
		if err == nil {
			err = t.Commit()
		}
		if err != nil {
			return 0, failure(err)
		}
		p.freeID += idsAhead
	}
	p.nextID++
	return p.nextID - 1, nil
}

// removeRows removes all keys of a table whose number is not used again.
func (p *Provider) removeRows(t *txkv.Txn, table uint32) error {
	all := tablePrefix(table)
	if err := t.DeleteRange(all, codec.After(all)); err != nil {
		return err
	}
	return deleteCounters(t, table)
}

func deleteCounters(t *txkv.Txn, table uint32) error {
	return errors.Join(t.Delete(counterKey(table, counterRows)), t.Delete(counterKey(table, counterAuto)))
}

// linkForeignKeys makes referenced again from all foreign keys. The caller holds mu, or nobody else
// knows p.
func (p *Provider) linkForeignKeys() {
	all := map[tableName][]sql.ForeignKeyConstraint{}
	for _, d := range p.databases {
		for _, k := range d.foreignKeys {
			to := nameOf(k.ParentDatabase, k.ParentTable)
			if k.ParentDatabase == "" {
				to.db = strings.ToLower(d.name)
			}
			all[to] = append(all[to], k)
		}
	}
	for _, keys := range all {
		slices.SortFunc(keys, func(a, b sql.ForeignKeyConstraint) int { return cmp.Compare(a.Name, b.Name) })
	}
	p.referenced.Store(&all)
}
