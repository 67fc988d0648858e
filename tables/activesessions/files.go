package activesessions

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"pfsd/instr"
	"pfsd/tables"
)

// longestFile is the most bytes of one file, apart from its last sample: a reader has one file in memory. A directory has at
// least filesOfAll files when it is full, as the oldest file goes as a whole.
const (
	longestFile = 4 << 20
	filesOfAll  = 16
)

// Files are samples in the files of a directory, which outlive the process. Each sample is written at once, without fsync:
// the end of the process loses nothing, that of the machine what the system has not written yet. The oldest file goes when
// all take more bytes than the limit. A file is named after its first sample; one that this package has not written, or that
// is damaged, is left alone and not read. Safe for concurrent use.
type Files struct {
	class *instr.FileClass
	dir   string
	warn  func(error)

	mu     sync.Mutex // guards the rest
	size   int64
	parts  []part // oldest first
	last   *instr.File
	enc    *encoder
	buf    []byte
	failed bool // the last write failed, and warn knows
	lost   uint64
	warned map[string]bool // files that a reader has found damaged
}

// part is one file.
type part struct {
	first uint64 // its first sample
	bytes int64
}

func (f *Files) name(first uint64) string {
	return filepath.Join(f.dir, fmt.Sprintf("samples-%020d.ash", first))
}

// OpenFiles makes dir if need be, and finds the samples in it. warn gets what is wrong with the directory or a file, once
// each: samples that cannot be written are counted, and the next one is tried again. The number that it returns is that of the
// newest sample, 0 if there is none.
func OpenFiles(class *instr.FileClass, dir string, size int64, warn func(error)) (*Files, uint64) {
	f := &Files{class: class, dir: dir, size: size, warn: warn, warned: map[string]bool{}}
	entries, err := class.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		warn(fmt.Errorf("the samples in %s cannot be read: %w", dir, err))
	}
	latest := uint64(0)
	for _, e := range entries {
		var first uint64
		if n, err := fmt.Sscanf(e.Name(), "samples-%d.ash", &first); n != 1 || err != nil || filepath.Base(f.name(first)) != e.Name() || !e.Type().IsRegular() {
			continue
		}
		p := part{first: first}
		if err := f.check(&p); err != nil {
			warn(fmt.Errorf("%s is not read: %w", f.name(first), err))
			if first <= maxSample {
				latest = max(latest, first) // its name is taken
			}
			continue
		}
		f.parts = append(f.parts, p)
	}
	slices.SortFunc(f.parts, func(a, b part) int { return cmp.Compare(a.first, b.first) })
	if n := len(f.parts); n > 0 {
		latest = max(latest, f.parts[n-1].first)
		scan := fileScan{files: f, parts: f.parts[n-1:], before: math.MaxUint64} // of no field
		for scan.record() {
			latest = max(latest, scan.decoder.sample)
		}
	}
	f.drop()
	return f, latest
}

// check reads the header of a file, and its size.
func (f *Files) check(p *part) error {
	file, err := f.class.OpenRegular(f.name(p.first))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return err
	}
	var header [headerBytes]byte
	n, _ := file.ReadAt(header[:], 0) // a header that cannot be read is none
	if first, err := readHeader(header[:n]); err != nil || first != p.first || first > maxSample {
		return errForeign
	}
	p.bytes = info.Size()
	return nil
}

// Lost is how many samples could not be written.
func (f *Files) Lost() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost
}

// total is how many bytes the files take. The caller holds mu.
func (f *Files) total() (n int64) {
	for _, p := range f.parts {
		n += p.bytes
	}
	return n
}

// SetSize changes how many bytes of samples are kept, at once; 0 keeps none.
func (f *Files) SetSize(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size = bytes
	f.drop()
}

// Truncate removes the samples.
func (f *Files) Truncate() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.remove(len(f.parts))
}

// Close ends writing.
func (f *Files) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end()
}

// end closes the file that is written to. The caller holds mu.
func (f *Files) end() {
	if f.last != nil {
		_ = f.last.Close() // each write has returned already, and there is no fsync to fail
		f.last, f.enc = nil, nil
	}
}

// drop removes the oldest files until the rest fits in size.
func (f *Files) drop() {
	n, total := 0, f.total()
	for ; n < len(f.parts) && total > f.size; n++ {
		total -= f.parts[n].bytes
	}
	f.remove(n)
}

// remove removes the n oldest files.
func (f *Files) remove(n int) {
	if n > 0 && n == len(f.parts) {
		f.end()
	}
	for _, p := range f.parts[:n] {
		if err := f.class.Remove(f.name(p.first)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.warn(fmt.Errorf("an old file of samples stays: %w", err))
		}
	}
	f.parts = slices.Clone(f.parts[n:])
}

// add writes one sample.
func (f *Files) add(sessions []tables.ActiveSession) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(sessions) == 0 || f.size == 0 {
		return
	}
	if err := f.write(sessions); err != nil {
		f.lost++
		if !f.failed {
			f.failed = true
			f.warn(fmt.Errorf("samples of active sessions are not written: %w", err))
		}
		return
	}
	f.failed = false
	f.drop()
}

func (f *Files) write(sessions []tables.ActiveSession) error {
	if f.last != nil && f.parts[len(f.parts)-1].bytes >= min(longestFile, f.size/filesOfAll) {
		f.end()
	}
	if f.last == nil {
		if err := f.begin(sessions[0].Sample); err != nil {
			return err
		}
	}
	p := &f.parts[len(f.parts)-1]
	f.buf = f.enc.record(f.buf[:0], sessions)
	_, err := f.last.WriteAt(f.buf, p.bytes)
	if err != nil { // readers stop before what there is of the record, and the next one is tried in another file
		_ = f.last.Truncate(p.bytes)
		if f.end(); p.bytes == headerBytes {
			_ = f.class.Remove(f.name(p.first)) // nothing is in it
			f.parts = f.parts[:len(f.parts)-1]
		}
		return err
	}
	p.bytes += int64(len(f.buf))
	return nil
}

// begin makes a file, whose first sample is first.
func (f *Files) begin(first uint64) error {
	if err := f.class.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	file, err := f.class.OpenFile(f.name(first), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	header := binary.LittleEndian.AppendUint64(magic[:8:8], first)
	if _, err := file.Write(header); err != nil {
		_ = file.Close()
		_ = f.class.Remove(f.name(first)) // what there is of it was written here
		return err
	}
	f.last, f.enc = file, newEncoder()
	f.parts = append(f.parts, part{first: first, bytes: headerBytes})
	return nil
}

// read starts a scan of the wanted fields of the present samples before one.
func (f *Files) read(before uint64, wanted []int) *fileScan {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &fileScan{files: f, parts: slices.Clone(f.parts), before: before, wanted: wanted}
}

// fileScan reads samples from files, one file at a time. A file that has been removed meanwhile is left out. Owned by one
// goroutine.
type fileScan struct {
	files   *Files
	parts   []part // that are left
	before  uint64
	wanted  []int    // the fields that rows get
	decoder *decoder // nil before the first record of a file
	text    []byte
}

// record goes to the next record, and reports whether there is one.
func (s *fileScan) record() bool {
	for {
		if s.decoder == nil && !s.open() {
			return false
		}
		ok, err := s.decoder.record()
		if err != nil {
			s.damaged(err)
		}
		if ok && s.decoder.sample < s.before {
			return true
		}
		s.decoder, s.parts = nil, s.parts[1:]
	}
}

// open opens the next file, and reports whether there is one.
func (s *fileScan) open() bool {
	for ; len(s.parts) > 0; s.parts = s.parts[1:] {
		p := s.parts[0]
		if p.first >= s.before {
			return false
		}
		text, err := s.load(p)
		if err == nil {
			s.decoder, err = newDecoder(text, s.wanted)
		}
		if err == nil {
			return true
		}
		if !errors.Is(err, fs.ErrNotExist) {
			s.files.damaged(p.first, 0, p.bytes, err)
		}
	}
	return false
}

// row sets r to the next row of a record that is wanted, and reports whether there is one.
func (s *fileScan) row(r *tables.ActiveSession, wanted func(*decoder) bool) bool {
	for {
		if d := s.decoder; d != nil && d.left > 0 {
			ok, err := d.row(r)
			if ok {
				return true
			}
			s.damaged(err)
		}
		if !s.record() {
			return false
		}
		if !wanted(s.decoder) {
			s.decoder.left = 0
		}
	}
}

// load reads what a file had when the scan started.
func (s *fileScan) load(p part) ([]byte, error) {
	file, err := s.files.class.OpenRegular(s.files.name(p.first))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	// A file that is larger than any that is written here is read to where one would end.
	s.text = slices.Grow(s.text[:0], int(min(p.bytes, 2*longestFile)))
	s.text = s.text[:min(p.bytes, 2*longestFile)]
	n, err := file.ReadAt(s.text, 0)
	if n > 0 {
		err = nil
	}
	return s.text[:n], err
}

// damaged tells of the present file, which cannot be read on.
func (s *fileScan) damaged(err error) {
	p := s.parts[0]
	s.files.damaged(p.first, p.bytes-int64(len(s.decoder.rest)), p.bytes, err)
}

// damaged tells of a file of some bytes that cannot be read from an offset on, once.
func (f *Files) damaged(first uint64, at, bytes int64, err error) {
	name := f.name(first)
	f.mu.Lock()
	known := f.warned[name]
	f.warned[name] = true
	f.mu.Unlock()
	if !known {
		f.warn(fmt.Errorf("%s is not read to its end, but to %d of %d bytes: %w", name, at, bytes, err))
	}
}
