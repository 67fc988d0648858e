package storage

import (
	"bytes"
	"encoding/binary"
)

// The first byte of a key says what the key is for. Rows and index entries of a table lie together, so that one DeleteRange removes them.
const (
	keyRecord  = 'm' // records of definitions: records.go
	keyCounter = 'n' // a table's counters, by the table's number and the counter
	keyTable   = 't' // rows and index entries, by the table's number and the index's
)

const (
	// primaryID is the number of the index that has the rows.
	primaryID uint16 = 0
	// contentID is the number of the index that finds rows of a table without a primary key by their values.
	contentID uint16 = 0xffff
	// prefixSize is the length of what the keys of an index begin with.
	prefixSize = 7
)

// tablePrefix is what all keys of a table begin with.
func tablePrefix(table uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{keyTable}, table)
}

// appendPrefix appends what all keys of an index begin with.
func appendPrefix(b []byte, table uint32, index uint16) []byte {
	b = append(b, keyTable)
	b = binary.BigEndian.AppendUint32(b, table)
	return binary.BigEndian.AppendUint16(b, index)
}

// prefix is what all keys of an index begin with, with room for more.
func prefix(table uint32, index uint16) []byte {
	return appendPrefix(make([]byte, 0, 48), table, index)
}

// indexOf is the number of the index that a key of a table belongs to.
func indexOf(key []byte) uint16 { return binary.BigEndian.Uint16(key[5:]) }

// The counters of a table: varints.
const (
	counterRows = 'r'
	counterAuto = 'a' // the first AUTO_INCREMENT value that is not stored as spent
)

func counterKey(table uint32, counter byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{keyCounter}, table), counter)
}

// after returns the first key after all keys with the prefix.
func after(prefix []byte) []byte {
	b := bytes.Clone(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i]++; b[i] != 0 {
			return b[:i+1]
		}
	}
	return nil
}

// tableOf is the number of the table that a key belongs to.
func tableOf(key []byte) uint32 { return binary.BigEndian.Uint32(key[1:]) }
