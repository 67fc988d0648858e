package querylog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"

	"pfsd/instr"
)

// rowFiles are the names of the files that keep the rows of the logs, in the server's directory: a JSON object in each line, a tab, and
// the CRC-32C of the object in 8 hexadecimal digits. Lines of earlier versions have the object alone.
var rowFiles = [kindCount]string{Slow: "slow_log.jsonl", General: "general_log.jsonl"}

// rowFile keeps the rows of a log over a restart. Without a directory there is none. Logs.mu guards it.
type rowFile struct {
	loaded bool
	path   string
	f      *instr.File // nil if there is none
	bytes  int64
}

// keptSlow is a SlowEntry in its file: JSON has no texts that are not UTF-8.
type keptSlow struct {
	SlowEntry
	Text []byte
}

// keptGeneral is a GeneralEntry in its file.
type keptGeneral struct {
	GeneralEntry
	Argument []byte
}

// castagnoli is the table of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// longestLine is how long a line of a file can be, bytes: its texts are in base 64.
const longestLine = 4 * KeptText

// load reads the rows that a log had when the server stopped, once. What cannot be read is left out and reported; the end of a line that was
// being written is removed. The caller holds mu.
func (l *Logs) load(k Kind) {
	kept := &l.kept[k]
	if kept.loaded {
		return
	}
	kept.loaded = true
	path, ok := l.server.Join(rowFiles[k])
	if !ok {
		return
	}
	kept.path = path
	end, err := l.read(k)
	if err != nil {
		l.server.Report(fmt.Errorf("cannot read the rows of the %s: %w", kinds[k].name, err))
		if errors.Is(err, instr.ErrNotRegular) {
			return
		}
	}
	l.openRows(k, os.O_APPEND)
	if kept.f == nil {
		return
	}
	if end >= 0 && kept.f.Truncate(end) == nil {
		kept.bytes = end
	}
	if kept.bytes > 0 {
		_, _ = kept.f.Write([]byte{'\n'}) // the last line may have no line break
	}
}

// read adds the rows of the file to those in memory, and reports what it cannot read. It returns where a last line begins that is not whole, else
// -1. The caller holds mu.
func (l *Logs) read(k Kind) (end int64, err error) {
	f, err := l.rowClass.OpenRegular(l.kept[k].path)
	if errors.Is(err, os.ErrNotExist) {
		return -1, nil
	}
	if err != nil {
		return -1, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewReader(f)
	var line []byte
	at, begin, lost, first, size := int64(0), int64(0), 0, int64(0), int64(0)
	for {
		piece, err := lines.ReadSlice('\n')
		if at += int64(len(piece)); len(line) <= longestLine {
			line = append(line, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && err != io.EOF {
			return -1, fmt.Errorf("%s, at %d: %w", l.kept[k].path, at, err)
		}
		whole := err == nil
		if text := strings.TrimSuffix(string(line), "\n"); text != "" {
			if entry, n := decode(k, []byte(text)); entry != nil {
				l.rows[k].add(entry, n)
			} else {
				if lost++; lost == 1 {
					first = begin
				}
				size += at - begin
				if !whole {
					end = begin
					break
				}
			}
		}
		if end = -1; !whole {
			break
		}
		line, begin = line[:0], at
	}
	if lost > 0 {
		l.server.Report(fmt.Errorf("the rows of the %s in %s: %d lines of %d bytes, the first at %d, are damaged and left out", kinds[k].name, l.kept[k].path, lost, size, first))
	}
	return end, nil
}

// decode makes an entry of a line; nil if it is none. text is the length of the entry's text.
func decode(k Kind, line []byte) (entry any, text int) {
	line, sum, has := bytes.Cut(line, []byte{'\t'})
	if has && string(sum) != checksum(line) {
		return nil, 0
	}
	if k == Slow {
		var e keptSlow
		if json.Unmarshal(line, &e) != nil {
			return nil, 0
		}
		e.SlowEntry.Text = string(e.Text)
		return &e.SlowEntry, len(e.Text)
	}
	var e keptGeneral
	if json.Unmarshal(line, &e) != nil {
		return nil, 0
	}
	e.GeneralEntry.Argument = string(e.Argument)
	return &e.GeneralEntry, len(e.Argument)
}

// encode is decode backwards. The line ends with its line break.
func encode(entry any) []byte {
	switch e := entry.(type) {
	case *SlowEntry:
		entry = keptSlow{*e, []byte(e.Text)}
	case *GeneralEntry:
		entry = keptGeneral{*e, []byte(e.Argument)}
	}
	line, err := json.Marshal(entry)
	if err != nil { // there is no such entry
		return nil
	}
	return append(append(append(line, '\t'), checksum(line)...), '\n')
}

// checksum is what a line has behind its tab.
func checksum(object []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(object, castagnoli)) }

// openRows opens the file of the rows; how is O_APPEND, or O_TRUNC for an empty one. The caller holds mu.
func (l *Logs) openRows(k Kind, how int) {
	kept := &l.kept[k]
	if kept.f != nil {
		_ = kept.f.Close()
	}
	kept.f, kept.bytes = nil, 0
	f, err := l.rowClass.OpenFile(kept.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND|how, 0o640)
	if err == nil {
		var info os.FileInfo
		if info, err = f.Stat(); err == nil {
			kept.f, kept.bytes = f, info.Size()
		}
	}
	if err != nil {
		l.server.Report(fmt.Errorf("cannot keep the rows of the %s: %w", kinds[k].name, err))
	}
}

// addRow adds an entry to the rows of a log, and to their file. When the file has become twice as large as what is kept, it is written anew. The
// caller holds mu.
func (l *Logs) addRow(k Kind, entry any, text int) {
	l.load(k)
	kept := &l.kept[k]
	added := l.rows[k].add(entry, text)
	if kept.f == nil {
		return
	}
	n, err := kept.f.Write(encode(added))
	kept.bytes += int64(n)
	if err == nil && kept.bytes > 2*KeptBytes {
		err = l.rewrite(k)
	}
	if err != nil { // the disk is full, say; the rows in memory go on
		l.server.Report(fmt.Errorf("cannot keep the rows of the %s: %w", kinds[k].name, err))
		_ = kept.f.Close()
		kept.f = nil
	}
}

// rewrite replaces the file by one that has the rows in memory. The caller holds mu.
func (l *Logs) rewrite(k Kind) error {
	kept := &l.kept[k]
	_ = l.rowClass.Remove(kept.path + ".new") // of a process that was killed meanwhile; if it stays, opening says so
	f, err := l.rowClass.OpenFile(kept.path+".new", os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o640)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, e := range l.rows[k].all {
		_, _ = w.Write(encode(e)) // Flush has the error
	}
	if err := errors.Join(w.Flush(), f.Close(), os.Rename(kept.path+".new", kept.path)); err != nil {
		return err
	}
	l.openRows(k, os.O_APPEND)
	return nil
}
