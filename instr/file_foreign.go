package instr

import "sync/atomic"

// ForeignFile is a file that something else than a [FileClass] has opened, a library's file system for one, and
// that counts like a [File] all the same: its opener reports each operation on it. Safe for concurrent use. The
// methods of a nil *ForeignFile count nothing.
type ForeignFile struct {
	handle *fileHandle
	room   bool // it counts in OpenCount
	closed atomic.Bool
}

// FileWait is an operation on a file in progress, of a [ForeignFile] or by name. The zero FileWait counts nothing.
// Owned by one goroutine.
type FileWait struct{ w ioWait }

// Begin starts an operation on the file of this name, which counts in its instance if there is one.
//
//go:noinline
func (c *FileClass) Begin(op Op, name string) FileWait {
	return FileWait{c.begin(op, name, callerPC())}
}

// Opened ends w, the opening of the file of this name, which has succeeded, and returns the file.
func (c *FileClass) Opened(w FileWait, name string) *ForeignFile {
	var f *ForeignFile
	if fs := c.files(); fs != nil {
		if h, room := fs.opened(c.class, absolute(name)); h != nil {
			w.w.found(&h.ioHandle)
			f = &ForeignFile{handle: h, room: room}
		}
	}
	w.w.done(0)
	return f
}

// Removed tells that the file of this name, and all below it if it is a directory, is there no more.
func (c *FileClass) Removed(name string) {
	if fs := c.files(); fs != nil {
		fs.remove(absolute(name), true)
	}
}

// Renamed tells that the file has a new name. Its instance keeps what it has counted, and that of the file that it
// replaces goes.
func (c *FileClass) Renamed(from, to string) {
	if fs := c.files(); fs != nil {
		fs.rename(absolute(from), absolute(to))
	}
}

// Begin starts an operation on the file.
//
//go:noinline
func (f *ForeignFile) Begin(op Op) FileWait {
	if f == nil {
		return FileWait{}
	}
	return FileWait{f.handle.begin(op, callerPC())}
}

// End ends the operation, which moved n bytes.
func (w FileWait) End(n int) { w.w.done(int64(n)) }

// Close tells that the file is closed: once counts. The closing itself is an operation of its own.
func (f *ForeignFile) Close() {
	if f != nil && f.closed.CompareAndSwap(false, true) && f.room {
		f.handle.instance.closed()
	}
}
