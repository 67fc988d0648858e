package txkv

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pfsd/instr"
)

// fileKind is the kind of a store's file, by its name.
type fileKind uint8

const (
	kindOther fileKind = iota
	kindLog
	kindTable
	kindBlob
	kindManifest
	kindOptions
	kindMarker
	kindLock
	kindFormat
	kinds
)

// kindNames are the last parts of the instruments wait/io/file/pebble/NAME.
var kindNames = [kinds]string{"other", "wal", "sst", "blob", "manifest", "options", "marker", "lock", "format"}

func kindOf(name string) fileKind {
	switch {
	case strings.HasSuffix(name, logSuffix), strings.HasSuffix(name, newSuffix):
		return kindLog
	case strings.HasSuffix(name, ".sst"):
		return kindTable
	case strings.HasSuffix(name, ".blob"):
		return kindBlob
	case strings.HasPrefix(name, "MANIFEST-"):
		return kindManifest
	case strings.HasPrefix(name, "OPTIONS-"):
		return kindOptions
	case strings.HasPrefix(name, "marker."):
		return kindMarker
	case name == "LOCK":
		return kindLock
	case strings.HasPrefix(name, formatFile):
		return kindFormat
	}
	return kindOther
}

// mustSucceed reports whether Pebble ends the process when it cannot write a file of this kind, or
// its directory.
func (k fileKind) mustSucceed() bool { return k != kindTable && k != kindBlob && k != kindLock }

// files is the file system of Pebble. Each operation is an event of the file's instrument, and
// faults handles errors of writes. The log of commits uses plain files, which only have the events.
type files struct {
	vfs.FS
	faults  *faults
	root    string // a checkpoint is in another directory, where operations may fail
	plain   bool
	classes *[kinds]*instr.FileClass
	stats   *ioStats // nil for a store in memory
	onWrite func(f *file, n int)
	onMake  func(f *file)
}

// file is an open file.
type file struct {
	vfs.File
	fs      *files
	name    string
	kind    fileKind
	watched *instr.ForeignFile
	job     *job // the flush or compaction that writes it, nil if there is none

	// For a manifest: the bytes since its last sync, and their offset. After a failed sync the
	// system may have dropped them. Pebble writes a manifest on one goroutine at a time; it syncs a
	// directory on several.
	tail []byte
	at   int64
}

func newClasses(r *instr.Registry) *[kinds]*instr.FileClass {
	var c [kinds]*instr.FileClass
	if r != nil {
		for i, name := range kindNames {
			c[i] = r.NewFileClass("pebble/" + name)
		}
	}
	return &c
}

func (fs *files) kind(name string) (fileKind, *instr.FileClass) {
	k := kindOf(fs.PathBase(name))
	return k, fs.classes[k]
}

// write calls an operation that changes the file of this name.
func (fs *files) write(name string, do func() error) error {
	switch {
	case !strings.HasPrefix(name, fs.root):
		return do()
	case fs.plain:
		return fs.faults.withBallast(do)
	}
	return fs.faults.background(kindOf(fs.PathBase(name)).mustSucceed(), do)
}

// remove removes the file of this name. If the store has given up the device, it does nothing, as
// recovery may need the file.
func (fs *files) remove(name string, do func() error) error {
	if fs.plain || !fs.faults.lost.Load() {
		return do()
	}
	if kindOf(fs.PathBase(name)).mustSucceed() {
		return nil
	}
	return errLost
}

// open opens a file. write means for writing.
func (fs *files) open(op instr.Op, name string, write bool, open func() (vfs.File, error)) (vfs.File, error) {
	k, class := fs.kind(name)
	w := class.Begin(op, name)
	var opened vfs.File
	do := func() (err error) { opened, err = open(); return err }
	err := error(nil)
	if write {
		err = fs.write(name, do)
	} else {
		err = do()
	}
	if err == nil && opened == nil { // the store has given up the device
		opened, err = vfs.NewMem().Create("lost", vfs.WriteCategoryUnspecified)
	}
	if err != nil {
		w.End(0)
		return nil, err
	}
	f := &file{File: opened, fs: fs, name: name, kind: k, watched: class.Opened(w, name)}
	fs.countOpen(1)
	if write && fs.onMake != nil {
		fs.onMake(f)
	}
	return f, nil
}

// openRegular opens a file that must be regular: to open a pipe would wait for its writer.
func openRegular(fs vfs.FS, name string) (vfs.File, error) {
	info, err := fs.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is not a regular file", ErrCorrupt, name)
	}
	return fs.Open(name)
}

func (fs *files) Unwrap() vfs.FS { return fs.FS }

func (fs *files) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return fs.open(instr.OpCreate, name, true, func() (vfs.File, error) { return fs.FS.Create(name, c) })
}

func (fs *files) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := fs.open(instr.OpOpen, name, false, func() (vfs.File, error) { return openRegular(fs.FS, name) })
	if err == nil {
		for _, opt := range o {
			opt.Apply(f)
		}
	}
	return f, err
}

func (fs *files) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := fs.open(instr.OpOpen, name, true, func() (vfs.File, error) { return fs.FS.OpenReadWrite(name, c) })
	if err == nil {
		for _, opt := range o {
			opt.Apply(f)
		}
	}
	return f, err
}

func (fs *files) OpenDir(name string) (vfs.File, error) {
	return fs.open(instr.OpOpen, name, false, func() (vfs.File, error) { return fs.FS.OpenDir(name) })
}

func (fs *files) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.open(instr.OpOpen, to, true, func() (vfs.File, error) { return fs.FS.ReuseForWrite(from, to, c) })
	if err == nil {
		_, class := fs.kind(from)
		class.Removed(from)
	}
	return f, err
}

func (fs *files) Link(from, to string) error {
	_, class := fs.kind(to)
	w := class.Begin(instr.OpLink, from)
	err := fs.write(to, func() error { return fs.FS.Link(from, to) })
	w.End(0)
	return err
}

func (fs *files) Remove(name string) error {
	_, class := fs.kind(name)
	w := class.Begin(instr.OpDelete, name)
	err := fs.remove(name, func() error { return fs.FS.Remove(name) })
	if err == nil {
		class.Removed(name)
	}
	w.End(0)
	return err
}

func (fs *files) RemoveAll(name string) error {
	_, class := fs.kind(name)
	w := class.Begin(instr.OpRmdir, name)
	err := fs.remove(name, func() error { return fs.FS.RemoveAll(name) })
	if err == nil {
		class.Removed(name)
	}
	w.End(0)
	return err
}

func (fs *files) Rename(from, to string) error {
	_, class := fs.kind(to)
	w := class.Begin(instr.OpRename, from)
	err := fs.write(to, func() error { return fs.FS.Rename(from, to) })
	if err == nil {
		class.Renamed(from, to)
	}
	w.End(0)
	return err
}

func (fs *files) MkdirAll(name string, perm os.FileMode) error {
	w := fs.classes[kindOther].Begin(instr.OpMkdir, name)
	err := fs.write(name, func() error { return fs.FS.MkdirAll(name, perm) })
	w.End(0)
	return err
}

func (fs *files) Lock(name string) (io.Closer, error) {
	w := fs.classes[kindLock].Begin(instr.OpCreate, name)
	c, err := fs.FS.Lock(name)
	w.End(0)
	return c, err
}

func (fs *files) List(dir string) ([]string, error) {
	w := fs.classes[kindOther].Begin(instr.OpReadDir, dir)
	names, err := fs.FS.List(dir)
	w.End(0)
	return names, err
}

func (fs *files) Stat(name string) (vfs.FileInfo, error) {
	_, class := fs.kind(name)
	w := class.Begin(instr.OpStat, name)
	info, err := fs.FS.Stat(name)
	w.End(0)
	return info, err
}

func (f *file) Read(p []byte) (int, error) {
	w := f.beginOp(instr.OpRead, f.watched.Begin(instr.OpRead))
	n, err := f.File.Read(p)
	w.End(n)
	return n, err
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	w := f.beginOp(instr.OpRead, f.watched.Begin(instr.OpRead))
	n, err := f.File.ReadAt(p, off)
	w.End(n)
	return n, err
}

// Write writes all of p. A repeated attempt writes only what the attempts before have not written.
func (f *file) Write(p []byte) (int, error) {
	w := f.beginOp(instr.OpWrite, f.watched.Begin(instr.OpWrite))
	n, before := 0, len(f.tail)
	if f.kind == kindManifest {
		f.tail = append(f.tail, p...) // before the write, as Pebble's files in memory change p under the race detector
	}
	err := f.fs.write(f.name, func() error {
		m, err := f.File.Write(p[n:])
		n += m
		return err
	})
	if err == nil {
		n = len(p) // also for a write that the store has given up
	}
	if f.kind == kindManifest {
		f.tail = f.tail[:before+n]
	}
	if f.fs.onWrite != nil {
		f.fs.onWrite(f, n)
	}
	w.End(n)
	return n, err
}

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	w := f.beginOp(instr.OpWrite, f.watched.Begin(instr.OpWrite))
	n := 0
	err := f.fs.write(f.name, func() error {
		m, err := f.File.WriteAt(p[n:], off+int64(n))
		n += m
		return err
	})
	if err == nil {
		n = len(p)
	}
	w.End(n)
	return n, err
}

func (f *file) sync(sync func() error) error {
	w := f.beginOp(instr.OpSync, f.watched.Begin(instr.OpSync))
	first := true
	if f.fs.plain { // a repeated sync can succeed without the data that the failed one dropped
		err := sync()
		w.End(0)
		return err
	}
	err := f.fs.write(f.name, func() error {
		if !first && len(f.tail) > 0 {
			if _, err := f.File.WriteAt(f.tail, f.at); err != nil {
				return err
			}
		}
		first = false
		return sync()
	})
	if err == nil && f.kind == kindManifest {
		f.at += int64(len(f.tail))
		f.tail = f.tail[:0]
	}
	w.End(0)
	return err
}

func (f *file) Sync() error     { return f.sync(f.File.Sync) }
func (f *file) SyncData() error { return f.sync(f.File.SyncData) }

func (f *file) SyncTo(length int64) (full bool, err error) {
	w := f.beginOp(instr.OpSync, f.watched.Begin(instr.OpSync))
	full, err = f.File.SyncTo(length)
	w.End(0)
	return full, err
}

func (f *file) Stat() (vfs.FileInfo, error) {
	w := f.watched.Begin(instr.OpStat)
	info, err := f.File.Stat()
	w.End(0)
	return info, err
}

// Preallocate is only a hint, so it returns no error. If there is no room, a later write fails.
func (f *file) Preallocate(offset, length int64) error {
	_ = f.File.Preallocate(offset, length)
	return nil
}

func (f *file) Close() error {
	w := f.watched.Begin(instr.OpClose)
	err := f.File.Close()
	f.fs.countOpen(-1)
	f.watched.Close()
	w.End(0)
	return err
}
