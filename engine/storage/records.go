package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/storage/codec"
	"pfsd/engine/storage/record"
	"pfsd/engine/txkv"
)

// databaseRecord is a database in the form in which it is stored.
type databaseRecord struct {
	Name      string
	Collation string
}

// load reads the definitions of a store.
func (p *Provider) load() error {
	t := p.store.Begin(txkv.TxnOptions{Isolation: txkv.RepeatableRead, ReadOnly: true})
	defer t.Rollback()
	err := record.Load(t, record.KindDatabase, func(db, _ string, r databaseRecord) error {
		d := p.newDatabase(r.Name)
		c, err := sql.ParseCollation("", r.Collation, false)
		d.collation = c
		p.databases[db] = d
		return err
	})
	if err != nil {
		return err
	}
	if b, err := t.Get(record.Key(record.KindIDs, "", "")); err != nil {
		return err
	} else if b != nil {
		if err := json.Unmarshal(b, &p.freeID); err != nil {
			return err
		}
	}
	p.nextID = p.freeID
	live := map[uint32]bool{}
	for _, load := range []func() error{
		loader(p, t, record.KindTable, "table", func(d *Database, name string, r record.Table) error {
			live[r.ID] = true
			return d.loadTable(t, name, &r)
		}),
		loader(p, t, record.KindForeignKey, "foreign key", func(d *Database, name string, k sql.ForeignKeyConstraint) error {
			d.foreignKeys[name] = k
			return nil
		}),
		loader(p, t, record.KindView, "view", func(d *Database, name string, v viewRecord) error { d.views[name] = v; return nil }),
		loader(p, t, record.KindTrigger, "trigger", func(d *Database, _ string, v triggerRecord) error {
			d.triggers = append(d.triggers, v)
			return nil
		}),
		loader(p, t, record.KindProcedure, "procedure", func(d *Database, name string, v sql.StoredProcedureDetails) error {
			d.procedures[name] = v
			return nil
		}),
		loader(p, t, record.KindFunction, "function", func(d *Database, name string, v sql.StoredProcedureDetails) error {
			d.functions[name] = v
			return nil
		}),
		loader(p, t, record.KindEvent, "event", func(d *Database, name string, v sql.EventDefinition) error { d.events[name] = v; return nil }),
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
		from = codec.After(to)
	}
}

// loader returns a function that adds a record of a kind to its database; what is the name of the kind in an error.
func loader[T any](p *Provider, t *txkv.Txn, kind record.Kind, what string, add func(d *Database, name string, record T) error) func() error {
	return func() error {
		return record.Load(t, kind, func(db, name string, record T) error {
			d := p.databases[db]
			if d == nil {
				return fmt.Errorf("%s %s.%s is of a database that there is not", what, db, name)
			}
			return add(d, name, record)
		})
	}
}

// loadTable adds a table from its record and its counters.
func (d *Database) loadTable(t *txkv.Txn, name string, r *record.Table) error {
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
		at = codec.After(table)
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
