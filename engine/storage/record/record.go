package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"pfsd/engine/storage/codec"
	"pfsd/engine/txkv"
)

// prefix is the first byte of the keys of all records.
const prefix = 'm'

// Kind is the second byte of a record's key.
type Kind byte

// Records are JSON texts. Their keys have the kind, the database and the name; database and name
// are in lower case.
const (
	KindDatabase   Kind = 'd'
	KindTable      Kind = 't'
	KindForeignKey Kind = 'f'
	KindView       Kind = 'v'
	KindTrigger    Kind = 'g'
	KindProcedure  Kind = 'p'
	KindFunction   Kind = 'u'
	KindEvent      Kind = 'e'
	KindIDs        Kind = 'i' // a single record: the next free table number
)

// Key returns the key of a record.
func Key(kind Kind, db, name string) []byte {
	k := append([]byte{prefix, byte(kind)}, strings.ToLower(db)...)
	return append(append(k, 0), strings.ToLower(name)...)
}

// Put writes a record.
func Put(t *txkv.Txn, kind Kind, db, name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return t.Put(Key(kind, db, name), b)
}

// Load calls load for each record of a kind.
func Load[T any](t *txkv.Txn, kind Kind, load func(db, name string, value T) error) error {
	lo := []byte{prefix, byte(kind)}
	it, err := t.Scan(lo, codec.After(lo), false)
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
