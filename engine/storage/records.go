package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/txkv"
)

// recordKind is the second byte of a record's key.
type recordKind byte

// Records are JSON texts, by kind, database and name, both in lower case.
const (
	recordDatabase   recordKind = 'd'
	recordTable      recordKind = 't'
	recordForeignKey recordKind = 'f'
	recordView       recordKind = 'v'
	recordTrigger    recordKind = 'g'
	recordProcedure  recordKind = 'p'
	recordEvent      recordKind = 'e'
	recordIDs        recordKind = 'i' // a single one: the next table number that is free
)

func recordKey(kind recordKind, db, name string) []byte {
	k := append([]byte{keyRecord, byte(kind)}, strings.ToLower(db)...)
	return append(append(k, 0), strings.ToLower(name)...)
}

// databaseRecord is a database as it is stored.
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
	missing := func(what, db, name string) error {
		return fmt.Errorf("%s %s.%s is of a database that there is not", what, db, name)
	}
	find := func(what, db, name string) (*Database, error) {
		if d := p.databases[db]; d != nil {
			return d, nil
		}
		return nil, missing(what, db, name)
	}
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
	err = loadRecords(t, recordTable, func(db, name string, r tableRecord) error {
		d, err := find("table", db, name)
		if err != nil {
			return err
		}
		state := &tableState{id: r.ID, next: 1}
		rows, err := getCounter(t, r.ID, counterRows)
		if err != nil {
			return err
		}
		auto, err := getCounter(t, r.ID, counterAuto)
		if err != nil {
			return err
		}
		state.rows.Store(int64(rows))
		state.savedRows.Store(int64(rows))
		state.next, state.reserved = max(auto, 1), auto
		def, err := newDefinition(d.name, &r, state)
		if err != nil {
			return err
		}
		live[r.ID] = true
		d.tables[name] = def
		return nil
	})
	if err != nil {
		return err
	}
	err = loadRecords(t, recordForeignKey, func(db, name string, k sql.ForeignKeyConstraint) error {
		d, err := find("foreign key", db, name)
		if err == nil {
			d.foreignKeys[name] = k
		}
		return err
	})
	if err != nil {
		return err
	}
	err = loadRecords(t, recordView, func(db, name string, v viewRecord) error {
		d, err := find("view", db, name)
		if err == nil {
			d.views[name] = v
		}
		return err
	})
	if err != nil {
		return err
	}
	err = loadRecords(t, recordTrigger, func(db, name string, v triggerRecord) error {
		d, err := find("trigger", db, name)
		if err == nil {
			d.triggers = append(d.triggers, v)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = loadRecords(t, recordProcedure, func(db, name string, v sql.StoredProcedureDetails) error {
		d, err := find("procedure", db, name)
		if err == nil {
			d.procedures[name] = v
		}
		return err
	})
	if err != nil {
		return err
	}
	err = loadRecords(t, recordEvent, func(db, name string, v sql.EventDefinition) error {
		d, err := find("event", db, name)
		if err == nil {
			d.events[name] = v
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, d := range p.databases {
		d.sortTriggers()
	}
	return p.sweep(t, live)
}

// sweep removes the rows of tables that no record is of: temporary tables, and changes of tables that a crash cut short.
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
