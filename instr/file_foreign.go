package instr

import "sync/atomic"

// ForeignFile is a file that was not opened by a [FileClass], but for example by a library's file system. It
// counts like a [File]: the code that opened it reports each operation on it. Safe for concurrent use. The
// methods of a nil *ForeignFile count nothing.
type ForeignFile struct {
	handle  *fileHandle
	counted bool // the file counts in OpenCount
	closed  atomic.Bool
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
	if c.files() == nil {
		return nil // w is zero
	}
	return c.openedOn(w.w, absolute(name), false)
}

// openedOn ends w, the opening of the file with this instance's name, and returns the file. virtual says that the file is of a wrapped
// fs.FS.
func (c *FileClass) openedOn(w ioWait, name string, virtual bool) *ForeignFile {
	var f *ForeignFile
	if fs := c.files(); fs != nil {
		if h, counted := fs.opened(c.class, name, virtual); h != nil {
			w.setHandle(&h.ioHandle)
			f = &ForeignFile{handle: h, counted: counted}
		}
	}
	w.done(0)
	return f
}

// Removed says that the file of this name, and all below it if it is a directory, does not exist any
// more.
func (c *FileClass) Removed(name string) {
	if fs := c.files(); fs != nil {
		fs.remove(absolute(name), true)
	}
}

// Renamed says that the file has a new name. Its instance keeps what it has counted, and the instance of the file
// that it replaces goes.
func (c *FileClass) Renamed(from, to string) {
	if fs := c.files(); fs != nil {
		fs.rename(absolute(from), absolute(to))
	}
}

// Begin starts an operation on the file.
//
//go:noinline
func (f *ForeignFile) Begin(op Op) FileWait { return FileWait{f.begin(op, callerPC())} }

func (f *ForeignFile) begin(op Op, caller uintptr) ioWait {
	if f == nil {
		return ioWait{}
	}
	return f.handle.begin(op, caller)
}

// End ends the operation, which moved n bytes.
func (w FileWait) End(n int) { w.w.done(int64(n)) }

// Close says that the file is closed; only the first call counts. The closing itself is an
// operation that Begin starts.
func (f *ForeignFile) Close() {
	if f != nil && f.closed.CompareAndSwap(false, true) && f.counted {
		f.handle.instance.closed()
	}
}
