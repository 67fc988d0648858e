package storage

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/storage/codec"
	"pfsd/engine/txkv"
)

// appendContent appends the prefix of the entries that find the rows with the same content.
func (d *definition) appendContent(ctx *sql.Context, b []byte, row sql.Row) ([]byte, []byte, error) {
	content, err := codec.AppendRow(ctx, nil, d.columns, row, d.virtual)
	if err != nil {
		return nil, nil, err
	}
	h := fnv.New64a()
	_, _ = h.Write(content)
	return h.Sum(appendPrefix(b, d.record.ID, contentID)), content, nil
}

// writeContent writes the entry that finds a row by its content.
func (e *editor) writeContent(ctx *sql.Context, primary []byte, row, old sql.Row) error {
	d := e.table.def
	if old != nil {
		was, _, err := d.appendContent(ctx, nil, old)
		if err != nil {
			return err
		}
		if err := e.t.txn.Delete(append(was, primary...)); err != nil {
			return failure(err)
		}
	}
	if row == nil {
		return nil
	}
	entry, _, err := d.appendContent(ctx, nil, row)
	if err != nil {
		return err
	}
	return failure(e.t.txn.Put(append(entry, primary...), nil))
}

// locateContent does the same as locate for a table without a primary key. It takes any row with
// the same values, but where actions of foreign keys change rows of the table: a row that the
// statement has read may have other values by now, and another row may have got these.
func (e *editor) locateContent(ctx *sql.Context, row sql.Row) ([]byte, sql.Row, error) {
	lo, content, err := e.table.def.appendContent(ctx, nil, row)
	if err != nil {
		return nil, nil, err
	}
	if e.first == nil || e.first.generation != e.t.generation || !e.acted() {
		return e.withContent(ctx, e.t.txn, false, lo, content)
	}
	before := e.t.txn.At(e.first.inner)
	key, now, err := e.withContent(ctx, before, false, lo, content)
	if now == nil && err == nil {
		key, now, err = e.withContent(ctx, e.t.txn, false, lo, content)
	}
	if now == nil && err == nil {
		key, now, err = e.withContent(ctx, before, true, lo, content)
	}
	return key, now, err
}

// withContent returns the key and the present values of a row that has this content in the state
// that from reads. Unless it may be changed since, the row has the content now, too.
func (e *editor) withContent(ctx *sql.Context, from reader, changed bool, lo, content []byte) ([]byte, sql.Row, error) {
	d := e.table.def
	it, err := from.ScanNewest(lo, codec.After(lo), false)
	if err != nil {
		return nil, nil, failure(err)
	}
	defer it.Close()
	for it.Next() {
		key := append(d.prefix(), it.Key()[len(lo):]...)
		if err := e.lock(ctx, key, txkv.Exclusive); err != nil {
			return nil, nil, err
		}
		now, err := e.read(key)
		if err != nil {
			return nil, nil, err
		}
		if now == nil {
			continue
		}
		was := now
		if changed {
			if was, err = e.readFrom(from, key); err != nil {
				return nil, nil, err
			}
		}
		if is, err := codec.AppendRow(ctx, nil, d.columns, was, d.virtual); err != nil || bytes.Equal(is, content) {
			return key, now, err
		}
	}
	return nil, nil, failure(it.Err())
}

// newRowID returns the number of a new row of a table without a primary key.
func (s *tableState) newRowID(store *txkv.Store) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.knowsRowID {
		t := store.Begin(txkv.TxnOptions{ReadOnly: true})
		defer t.Rollback()
		lo := prefix(s.id, primaryID)
		it, err := t.ScanNewest(lo, codec.After(lo), true)
		if err != nil {
			return 0, failure(err)
		}
		if it.Next() {
			s.rowID = binary.BigEndian.Uint64(it.Key()[prefixSize:])
		}
		if err := it.Close(); err != nil {
			return 0, failure(err)
		}
		s.knowsRowID = true
	}
	s.rowID++
	return s.rowID, nil
}
