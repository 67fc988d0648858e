package txkv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"time"
)

// A log file has logMagic, its number and its least size in KiB, then records, and zeros up to that size. It gets its name when its head is
// on the device: so a file that is shorter, or has no head, has been cut. Its first record has no batch, but the number of the last commit
// in the files before: if the tables do not have that one, and no older file does, a flush is lost. Files of earlier versions have oldMagic, a number of 8 bytes, and
// no least size. A record has a head of 32 bytes (length of
// the batch, checksum of all that follows, offset of the record in the file, how much of the file
// was synced before, number of the commit) and the batch, padded to 8 bytes.
const (
	logMagic   = "txkvlog2"
	oldMagic   = "txkvlog1"
	logStart   = 16
	recordHead = 32
	logSuffix  = ".log"
	newSuffix  = ".log.new"            // of a file that has no head yet
	recordsAt  = logStart + recordHead // the offset of the first record of a commit
	// logMaxOld is how many files may wait for a flush before commits wait, too. logMaxWaiting is
	// the limit of their size, in multiples of the size at which a new file begins.
	logMaxOld, logMaxWaiting = 3, 16
	// maxLayers is how many layers of files may wait for a compaction before commits wait for it.
	maxLayers = 12
	// logMaxBuf is how many bytes of commits that nobody waits for stay in memory.
	logMaxBuf = 256 << 10
	// logInterval is the longest time until they are written and synced.
	logInterval = time.Second
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// numberKey is the key under which each commit stores its number.
var numberKey = []byte("\x00commit")

func appendRecord(buf []byte, at, synced int64, number uint64, batch []byte) []byte {
	start := len(buf)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(batch)))
	buf = binary.LittleEndian.AppendUint32(buf, 0)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(at))
	buf = binary.LittleEndian.AppendUint64(buf, uint64(synced))
	buf = binary.LittleEndian.AppendUint64(buf, number)
	buf = append(buf, batch...)
	for len(buf)%8 != start%8 {
		buf = append(buf, 0)
	}
	binary.LittleEndian.PutUint32(buf[start+4:], crc32.Checksum(buf[start+8:], castagnoli)+uint32(len(batch)))
	return buf
}

// logReader reads a log file in pieces. It has a window of the file and one record in memory.
type logReader struct {
	file   io.ReaderAt
	size   int64
	window []byte
	from   int64 // the offset of window in the file
}

// logWindow is how many bytes are read at once to look at heads.
const logWindow = 64 << 10

// bytes returns n bytes, at most logWindow, of the file, fewer at its end. They are valid until the
// next call.
func (r *logReader) bytes(at int64, n int) ([]byte, error) {
	n = int(max(min(int64(n), r.size-at), 0))
	if at < r.from || at+int64(n) > r.from+int64(len(r.window)) {
		if r.window == nil {
			r.window = make([]byte, logWindow)
		}
		r.window, r.from = r.window[:min(logWindow, r.size-at)], at
		if _, err := r.file.ReadAt(r.window, at); err != nil && err != io.EOF {
			return nil, err
		}
	}
	return r.window[at-r.from:][:n], nil
}

// appendHead appends the head of a log file that has at least a limit of bytes.
func appendHead(buf []byte, number uint64, limit int64) []byte {
	buf = binary.LittleEndian.AppendUint32(append(buf, logMagic...), uint32(number))
	return binary.LittleEndian.AppendUint32(buf, uint32(limit>>10))
}

// readHead returns the number of a log file and its least size in bytes.
func readHead(head []byte) (number uint64, least int64, ok bool) {
	if len(head) < logStart {
		return 0, 0, false
	}
	switch string(head[:8]) {
	case oldMagic:
		return binary.LittleEndian.Uint64(head[8:]), 0, true
	case logMagic:
		return uint64(binary.LittleEndian.Uint32(head[8:])), int64(binary.LittleEndian.Uint32(head[12:])) << 10, true
	}
	return 0, 0, false
}

// zero reports whether the file has only zeros from an offset on.
func (r *logReader) zero(at int64) (bool, error) {
	for ; at < r.size; at += logWindow {
		piece, err := r.bytes(at, logWindow)
		if err != nil || slices.Max(piece) != 0 {
			return false, err
		}
	}
	return true, nil
}

// record reads the record at an offset, and returns the offset of the next one; ok is false if
// there is none.
func (r *logReader) record(at int64) (batch []byte, number uint64, synced, next int64, ok bool, err error) {
	head, err := r.bytes(at, recordHead)
	if err != nil || at < logStart || len(head) < recordHead {
		return nil, 0, 0, 0, false, err
	}
	n := int64(binary.LittleEndian.Uint32(head))
	next = at + (recordHead+n+7)/8*8
	if n == 0 && at != logStart || next > r.size || binary.LittleEndian.Uint64(head[8:]) != uint64(at) {
		return nil, 0, 0, 0, false, nil
	}
	sum := binary.LittleEndian.Uint32(head[4:])
	number, synced = binary.LittleEndian.Uint64(head[24:]), int64(binary.LittleEndian.Uint64(head[16:]))
	rest := make([]byte, next-at-8)
	if _, err := r.file.ReadAt(rest, at+8); err != nil && err != io.EOF {
		return nil, 0, 0, 0, false, err
	}
	if sum != crc32.Checksum(rest, castagnoli)+uint32(n) {
		return nil, 0, 0, 0, false, nil
	}
	return rest[recordHead-8:][:n], number, synced, next, true, nil
}

var errTorn = errors.New("a record is damaged")

// readLog calls each with the batches of a log file in order; size is the file's size. The last record of
// the last file may be incomplete: then torn is the offset from which nothing is read, else 0. Its synced
// part may not: then errTorn says where.
func readLog(file io.ReaderAt, size int64, number uint64, last bool, each func(number uint64, batch []byte) error) (torn int64, err error) {
	r := &logReader{file: file, size: size}
	head, err := r.bytes(0, logStart)
	if err != nil {
		return 0, err
	}
	if is, least, ok := readHead(head); !ok || is != number {
		return 0, fmt.Errorf("%w: it does not begin as log %d does", errTorn, number)
	} else if size < least {
		return 0, fmt.Errorf("%w: it has been cut, to %d of at least %d bytes", errTorn, size, least)
	}
	at := int64(logStart)
	for {
		batch, n, _, next, ok, err := r.record(at)
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		if err := each(n, batch); err != nil {
			return 0, err
		}
		at = next
	}
	if zero, err := r.zero(at); err != nil || zero {
		return 0, err
	}
	if !last {
		return 0, fmt.Errorf("%w at %d of %d", errTorn, at, size)
	}
	// If a later record says that this part had been synced, the record here is damaged.
	for later := at + 8; later < size; later += 8 {
		_, _, synced, _, ok, err := r.record(later)
		if err != nil {
			return 0, err
		}
		if ok && synced > at {
			return 0, fmt.Errorf("%w at %d", errTorn, at)
		}
	}
	return at, nil
}
