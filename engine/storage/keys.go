package storage

import (
	"encoding/binary"

	"pfsd/engine/storage/record"
)

// The first byte of a key says what the key is for. The rows and index entries of a table are next
// to each other, so that one DeleteRange removes them. 'm' begins
// the keys of records of definitions: package record.
const (
	keyCounter = 'n' // a table's counters, by the table's number and the counter's letter
	keyTable   = 't' // rows and index entries, by the numbers of the table and the index
)

const (
	// primaryID is the index number in the keys of rows.
	primaryID = record.PrimaryID
	// contentID is the number of the index that finds rows of a table without a primary key by their values.
	contentID uint16 = 0xffff
	// prefixSize is the length of the common prefix of an index's keys, in bytes.
	prefixSize = 7
)

// tablePrefix returns the common prefix of all keys of a table.
func tablePrefix(table uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{keyTable}, table)
}

// appendPrefix appends the common prefix of all keys of an index.
func appendPrefix(b []byte, table uint32, index uint16) []byte {
	b = append(b, keyTable)
	b = binary.BigEndian.AppendUint32(b, table)
	return binary.BigEndian.AppendUint16(b, index)
}

// prefix returns the common prefix of all keys of an index, with room for more bytes.
func prefix(table uint32, index uint16) []byte {
	return appendPrefix(make([]byte, 0, 48), table, index)
}

// indexOf returns the number of the index that a key of a table belongs to.
func indexOf(key []byte) uint16 { return binary.BigEndian.Uint16(key[5:]) }

// The counters of a table: varints.
const (
	counterRows = 'r'
	counterAuto = 'a' // the first AUTO_INCREMENT value that is not stored as used
)

func counterKey(table uint32, counter byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{keyCounter}, table), counter)
}

// tableOf returns the number of the table that a key belongs to.
func tableOf(key []byte) uint32 { return binary.BigEndian.Uint32(key[1:]) }
