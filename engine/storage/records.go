package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/txkv"
)

// recordKind is the second byte of a record's key.
type recordKind byte

// Records are JSON texts. Their keys have the kind, the database and the name; database and name
// are in lower case.
const (
	recordDatabase   recordKind = 'd'
	recordTable      recordKind = 't'
	recordForeignKey recordKind = 'f'
	recordView       recordKind = 'v'
	recordTrigger    recordKind = 'g'
	recordProcedure  recordKind = 'p'
	recordFunction   recordKind = 'u'
	recordEvent      recordKind = 'e'
	recordIDs        recordKind = 'i' // a single record: the next free table number
)

func recordKey(kind recordKind, db, name string) []byte {
	k := append([]byte{keyRecord, byte(kind)}, strings.ToLower(db)...)
	return append(append(k, 0), strings.ToLower(name)...)
}

// databaseRecord is a database in the form in which it is stored.
type databaseRecord struct {
	Name      string
	Collation string
}

// putRecord writes a record.
func putRecord(t *txkv.Txn, kind recordKind, db, name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return t.Put(recordKey(kind, db, name), b)
}

// loadRecords calls load for each record of a kind.
func loadRecords[T any](t *txkv.Txn, kind recordKind, load func(db, name string, value T) error) error {
	lo := []byte{keyRecord, byte(kind)}
	it, err := t.Scan(lo, after(lo), false)
	if err != nil {
		return err
	}
	defer it.Close()
	for it.Next() {
		db, name, ok := bytes.Cut(it.Key()[2:], []byte{0})
		var value T
		if err := json.Unmarshal(it.Value(), &value); err != nil || !ok {
			return fmt.Errorf("the record %q cannot be read: %w", it.Key(), err)
		}
		if err := load(string(db), string(name), value); err != nil {
			return err
		}
	}
	return it.Err()
}

// load reads the definitions of a store.
func (p *Provider) load() error {
	t := p.store.Begin(txkv.TxnOptions{Isolation: txkv.RepeatableRead, ReadOnly: true})
	defer t.Rollback()
	err := loadRecords(t, recordDatabase, func(db, _ string, r databaseRecord) error {
		d := p.newDatabase(r.Name)
		c, err := sql.ParseCollation("", r.Collation, false)
		d.collation = c
		p.databases[db] = d
		return err
	})
	if err != nil {
		return err
	}
	if b, err := t.Get(recordKey(recordIDs, "", "")); err != nil {
		return err
	} else if b != nil {
		if err := json.Unmarshal(b, &p.freeID); err != nil {
			return err
		}
	}
	p.nextID = p.freeID
	live := map[uint32]bool{}
	for _, load := range []func() error{
		loader(p, t, recordTable, "table", func(d *Database, name string, r tableRecord) error {
			live[r.ID] = true
			return d.loadTable(t, name, &r)
		}),
		loader(p, t, recordForeignKey, "foreign key", func(d *Database, name string, k sql.ForeignKeyConstraint) error {
			d.foreignKeys[name] = k
			return nil
		}),
		loader(p, t, recordView, "view", func(d *Database, name string, v viewRecord) error { d.views[name] = v; return nil }),
		loader(p, t, recordTrigger, "trigger", func(d *Database, _ string, v triggerRecord) error {
			d.triggers = append(d.triggers, v)
			return nil
		}),
		loader(p, t, recordProcedure, "procedure", func(d *Database, name string, v sql.StoredProcedureDetails) error {
			d.procedures[name] = v
			return nil
		}),
		loader(p, t, recordFunction, "function", func(d *Database, name string, v sql.StoredProcedureDetails) error {
			d.functions[name] = v
			return nil
		}),
		loader(p, t, recordEvent, "event", func(d *Database, name string, v sql.EventDefinition) error { d.events[name] = v; return nil }),
	} {
		if err := load(); err != nil {
			return err
		}
	}
	for _, d := range p.databases {
		d.sortTriggers()
	}
	if err := p.sweep(t, live); err != nil {
		return err
	}
	p.reclaim(live)
	return nil
}

// reclaim gives the room of tables back that are no more: those that were dropped before the process ended.
func (p *Provider) reclaim(live map[uint32]bool) {
	from := tablePrefix(0)
	for _, id := range append(slices.Sorted(maps.Keys(live)), math.MaxUint32) {
		to := tablePrefix(id)
		if bytes.Compare(from, to) < 0 {
			p.store.Reclaim(from, to)
		}
		from = after(to)
	}
}

// loader returns a function that adds a record of a kind to its database; what is the name of the kind in an error.
func loader[T any](p *Provider, t *txkv.Txn, kind recordKind, what string, add func(d *Database, name string, record T) error) func() error {
	return func() error {
		return loadRecords(t, kind, func(db, name string, record T) error {
			d := p.databases[db]
			if d == nil {
				return fmt.Errorf("%s %s.%s is of a database that there is not", what, db, name)
			}
			return add(d, name, record)
		})
	}
}

// loadTable adds a table from its record and its counters.
func (d *Database) loadTable(t *txkv.Txn, name string, r *tableRecord) error {
	rows, err := getCounter(t, r.ID, counterRows)
	if err != nil {
		return err
	}
	auto, err := getCounter(t, r.ID, counterAuto)
	if err != nil {
		return err
	}
	state := &tableState{id: r.ID, next: max(auto, 1), reserved: auto}
	state.rows.Store(int64(rows))
	state.savedRows.Store(int64(rows))
	if d.tables[name], err = newDefinition(d.name, r, state); err != nil {
		delete(d.tables, name)
	}
	return err
}

// sweep removes the rows of tables that have no record: those of temporary tables, and those that a
// crash during a change of a table has left.
func (p *Provider) sweep(t *txkv.Txn, live map[uint32]bool) error {
	dead := p.store.Begin(txkv.TxnOptions{})
	defer dead.Rollback()
	removed := false
	for at := []byte{keyTable}; ; {
		it, err := t.Scan(at, []byte{keyTable + 1}, false)
		if err != nil {
			return err
		}
		if !it.Next() {
			if err := it.Close(); err != nil {
				return err
			}
			break
		}
		table := append([]byte(nil), it.Key()[:5]...)
		if err := it.Close(); err != nil {
			return err
		}
		at = after(table)
		if id := tableOf(table); !live[id] {
			if err := dead.DeleteRange(table, at); err != nil {
				return err
			}
			if err := deleteCounters(dead, id); err != nil {
				return err
			}
			removed = true
		}
	}
	if !removed {
		return nil
	}
	return dead.Commit()
}
