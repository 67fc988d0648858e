package history

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/google/uuid"

	"pfsd/tables"
)

// The keys of the store, whose parts are in order: b, table, seconds, start, boot for the rows of a table in a bucket; t, day, digest
// for a text; s, name for a snapshot; m, name for the definition of a metric.

const (
	bucketKeys   = 'b'
	textKeys     = 't'
	snapshotKeys = 's'
	metricKeys   = 'm'

	// metricTable is the table of the buckets of metrics.
	metricTable = 0xf0
)

// bootID is which run of a server it was.
type bootID = uuid.UUID

// signBit makes the order of signed numbers that of bytes.
const signBit = 1 << 63

// bucketPrefix is the beginning of the keys of a table's buckets of one length, from start on.
func bucketPrefix(table int, seconds uint32, start int64) []byte {
	key := append(make([]byte, 0, 30), bucketKeys, tableByte(table))
	key = binary.BigEndian.AppendUint32(key, seconds)
	return binary.BigEndian.AppendUint64(key, uint64(start)^signBit)
}

// tableByte is a table in a key.
func tableByte(table int) byte {
	if table == metricPlace() {
		return metricTable
	}
	return byte(table)
}

func bucketKey(table int, seconds uint32, e entry) []byte {
	return append(bucketPrefix(table, seconds, e.start), e.boot[:]...)
}

// parseBucketKey is the reverse of bucketKey; ok is false for another key.
func parseBucketKey(key []byte) (table int, seconds uint32, e entry, ok bool) {
	if len(key) != 30 || key[0] != bucketKeys {
		return 0, 0, e, false
	}
	e.start = int64(binary.BigEndian.Uint64(key[6:]) ^ signBit)
	copy(e.boot[:], key[14:])
	if table = int(key[1]); table == metricTable {
		table = metricPlace()
	} else if table > clock() {
		return 0, 0, e, false
	}
	return table, binary.BigEndian.Uint32(key[2:]), e, true
}

// textPrefix is the beginning of the keys of the texts of a day.
func textPrefix(day int64) []byte {
	return binary.BigEndian.AppendUint64([]byte{textKeys}, uint64(day)^signBit)
}

// textKey is the key of the text of a digest, 64 hexadecimal digits; ok is false for anything else.
func textKey(day int64, digest string) (key []byte, ok bool) {
	key, err := hex.AppendDecode(textPrefix(day), []byte(digest))
	return key, err == nil && len(key) == 9+32
}

// snapshotKey is the key of a snapshot.
func snapshotKey(name string) []byte { return append([]byte{snapshotKeys}, name...) }

// metricKey is the key of the definition of a metric.
func metricKey(name string) []byte { return append([]byte{metricKeys}, name...) }

// dayOf is the day of a moment, by UTC.
func dayOf(start int64) int64 { return floor(start, 24*3600) / (24 * 3600) }

// floor is the last multiple of by that is not after n.
func floor(n, by int64) int64 {
	rest := n % by
	if rest < 0 {
		rest += by
	}
	return n - rest
}

// The kinds of values in the key of a row.
const (
	keyNull = iota
	keyText
	keyUnsigned
	keySigned
)

// appendKey appends the values that name a row.
func appendKey(to []byte, v tables.Value) []byte {
	switch {
	case v.IsNull():
		return append(to, keyNull)
	case v.IsText():
		to = binary.AppendUvarint(append(to, keyText), uint64(len(v.Str())))
		return append(to, v.Str()...)
	case v.IsSigned():
		return binary.AppendUvarint(append(to, keySigned), v.Bits())
	}
	return binary.AppendUvarint(append(to, keyUnsigned), v.Bits())
}

// parseKey is the reverse of appendKey for n values. What it cannot read is NULL, as all is in the row of others.
func parseKey(key []byte, n int) []tables.Value {
	values := make([]tables.Value, n)
	for i := range values {
		if len(key) == 0 {
			break
		}
		kind := key[0]
		if key = key[1:]; kind == keyNull {
			continue
		}
		number, size := binary.Uvarint(key)
		if size <= 0 {
			break
		}
		key = key[size:]
		switch kind {
		case keyText:
			if number > uint64(len(key)) {
				return values
			}
			values[i] = tables.Text(string(key[:number]))
			key = key[number:]
		case keySigned:
			values[i] = tables.Int(int64(number))
		case keyUnsigned:
			values[i] = tables.Uint(number)
		}
	}
	return values
}
