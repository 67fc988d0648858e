package instr

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"
)

// FileClass is a kind of files, the instrument wait/io/file/NAME. It opens files, and has the
// operations of package os on files by name. Safe for concurrent use.
//
// An operation by name counts in the file's instance if there is one, else only in the class. If a
// file is lost, its opening counts only in the class, and its operations count nowhere; if its
// handle is lost, the opening counts in its instance, but not in OpenCount. The methods of a nil
// *FileClass, of the zero FileClass and of a lost class work and count nothing.
type FileClass struct{ class *Class }

// NewFileClass returns the class of files wait/io/file/NAME.
func (r *Registry) NewFileClass(name string) *FileClass {
	return &FileClass{r.class(KindFile, name)}
}

// NewFileClass returns the default registry's class of files wait/io/file/NAME.
func NewFileClass(name string) *FileClass { return Default.NewFileClass(name) }

// Class is the instrument, nil if there is none.
func (c *FileClass) Class() *Class {
	if c == nil {
		return nil
	}
	return c.class
}

// files is where the class's registry keeps its files, nil if there is no class.
func (c *FileClass) files() *files {
	if c == nil || c.class == nil {
		return nil
	}
	return &c.class.registry.files
}

// begin starts an operation on the file of this name.
func (c *FileClass) begin(op Op, name string, caller uintptr) ioWait {
	if c.files() == nil || c.class.lost() {
		return ioWait{}
	}
	return c.beginOn(op, absolute(name), caller)
}

// beginOn is begin for the name that the file's instance has, if the class is not lost.
func (c *FileClass) beginOn(op Op, name string, caller uintptr) ioWait {
	if h := c.files().lookup(name); h != nil {
		return h.begin(op, caller)
	}
	return c.class.beginIO(op, caller)
}

// open opens a file, as the operation op.
func (c *FileClass) open(op Op, name string, caller uintptr, open func() (*os.File, error)) (*File, error) {
	w := c.begin(op, name, caller)
	f, err := open()
	if err != nil {
		w.done(0)
		return nil, err
	}
	var h *fileHandle
	room := false
	if fs := c.files(); fs != nil {
		if h, room = fs.opened(c.class, absolute(f.Name()), false); h != nil {
			w.setHandle(&h.ioHandle)
		}
	}
	w.done(0)
	if !room {
		h = nil
	}
	return newFile(f, h), nil
}

// Open is os.Open, the operation open.
//
//go:noinline
func (c *FileClass) Open(name string) (*File, error) {
	return c.openFile(name, os.O_RDONLY, 0, callerPC())
}

// Create is os.Create, the operation create.
//
//go:noinline
func (c *FileClass) Create(name string) (*File, error) {
	return c.openFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666, callerPC())
}

// OpenFile is os.OpenFile, the operation create if the flag has os.O_CREATE, else open.
//
//go:noinline
func (c *FileClass) OpenFile(name string, flag int, perm fs.FileMode) (*File, error) {
	return c.openFile(name, flag, perm, callerPC())
}

func (c *FileClass) openFile(name string, flag int, perm fs.FileMode, caller uintptr) (*File, error) {
	op := OpOpen
	if flag&os.O_CREATE != 0 {
		op = OpCreate
	}
	return c.open(op, name, caller, func() (*os.File, error) { return os.OpenFile(name, flag, perm) })
}

// OpenInRoot is os.Root.OpenFile: the file is below root, whatever links and .. its name contains.
// It is the operation create if the flag has os.O_CREATE, else open.
//
//go:noinline
func (c *FileClass) OpenInRoot(root *os.Root, name string, flag int, perm fs.FileMode) (*File, error) {
	op := OpOpen
	if flag&os.O_CREATE != 0 {
		op = OpCreate
	}
	return c.open(op, filepath.Join(root.Name(), name), callerPC(), func() (*os.File, error) { return root.OpenFile(name, flag, perm) })
}

// CreateTemp is os.CreateTemp, the operation create.
//
//go:noinline
func (c *FileClass) CreateTemp(dir, pattern string) (*File, error) {
	return c.open(OpCreate, dir, callerPC(), func() (*os.File, error) { return os.CreateTemp(dir, pattern) })
}

// ReadFile is os.ReadFile, the operations open, stat, read until the end, and close.
//
//go:noinline
func (c *FileClass) ReadFile(name string) ([]byte, error) { return c.readFile(name, callerPC()) }

func (c *FileClass) readFile(name string, caller uintptr) ([]byte, error) {
	f, err := c.openFile(name, os.O_RDONLY, 0, caller)
	if err != nil {
		return nil, err
	}
	defer f.close(caller)
	size := int64(0)
	if info, err := f.stat(caller); err == nil {
		size = info.Size()
	}
	return readToEnd(f, size, math.MaxInt64, caller)
}

// WriteFile is os.WriteFile, the operations create, write and close.
//
//go:noinline
func (c *FileClass) WriteFile(name string, data []byte, perm fs.FileMode) error {
	caller := callerPC()
	f, err := c.openFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm, caller)
	if err != nil {
		return err
	}
	_, err = f.write(data, caller)
	if closed := f.close(caller); err == nil {
		err = closed
	}
	return err
}

// Stat is os.Stat, the operation stat.
//
//go:noinline
func (c *FileClass) Stat(name string) (fs.FileInfo, error) {
	w := c.begin(OpStat, name, callerPC())
	info, err := os.Stat(name)
	w.done(0)
	return info, err
}

// Lstat is os.Lstat, the operation stat.
//
//go:noinline
func (c *FileClass) Lstat(name string) (fs.FileInfo, error) {
	w := c.begin(OpStat, name, callerPC())
	info, err := os.Lstat(name)
	w.done(0)
	return info, err
}

// Remove is os.Remove, the operation rmdir if the name is a directory's, else delete. The
// file's instance goes.
//
//go:noinline
func (c *FileClass) Remove(name string) error { return c.remove(name, false, os.Remove, callerPC()) }

// RemoveAll is os.RemoveAll, one operation rmdir if the name is a directory's, else delete.
// The instances of all files below the name go.
//
//go:noinline
func (c *FileClass) RemoveAll(name string) error {
	return c.remove(name, true, os.RemoveAll, callerPC())
}

func (c *FileClass) remove(name string, below bool, remove func(string) error, caller uintptr) error {
	fs := c.files()
	if fs == nil {
		return remove(name)
	}
	op := OpDelete
	if info, err := os.Lstat(name); err == nil && info.IsDir() {
		op = OpRmdir
	}
	path := absolute(name)
	w := c.begin(op, name, caller)
	gone := fs.remove(path, below)
	err := remove(name)
	if err != nil {
		fs.restore(remaining(gone))
	} else {
		fs.sweep(path)
	}
	w.done(0)
	return err
}

// remaining returns those files that still exist.
func remaining(all []*fileHandle) []*fileHandle {
	var left []*fileHandle
	for _, h := range all {
		if _, err := os.Lstat(h.instance.Name()); !os.IsNotExist(err) {
			left = append(left, h)
		}
	}
	return left
}

// Rename is os.Rename, the operation rename of the file with the old name. Its instance
// keeps what it has counted, and the instance of the file that it replaces goes. If the
// name is a directory's the same is true of all files below it.
//
//go:noinline
func (c *FileClass) Rename(from, to string) error {
	oldPath, newPath := absolute(from), absolute(to)
	w := c.begin(OpRename, from, callerPC())
	err := os.Rename(from, to)
	if fs := c.files(); fs != nil && err == nil {
		fs.rename(oldPath, newPath)
	}
	w.done(0)
	return err
}

// Link is os.Link, the operation link of the file with the old name.
//
//go:noinline
func (c *FileClass) Link(from, to string) error {
	w := c.begin(OpLink, from, callerPC())
	err := os.Link(from, to)
	w.done(0)
	return err
}

// Symlink is os.Symlink, the operation link of the file with the new name.
//
//go:noinline
func (c *FileClass) Symlink(from, to string) error { return c.symlink(from, to, callerPC()) }

func (c *FileClass) symlink(from, to string, caller uintptr) error {
	w := c.begin(OpLink, to, caller)
	err := os.Symlink(from, to)
	w.done(0)
	return err
}

// Mkdir is os.Mkdir, the operation mkdir.
//
//go:noinline
func (c *FileClass) Mkdir(name string, perm fs.FileMode) error {
	w := c.begin(OpMkdir, name, callerPC())
	err := os.Mkdir(name, perm)
	w.done(0)
	return err
}

// MkdirAll is os.MkdirAll, one operation mkdir.
//
//go:noinline
func (c *FileClass) MkdirAll(name string, perm fs.FileMode) error {
	return c.mkdirAll(name, perm, callerPC())
}

func (c *FileClass) mkdirAll(name string, perm fs.FileMode, caller uintptr) error {
	w := c.begin(OpMkdir, name, caller)
	err := os.MkdirAll(name, perm)
	w.done(0)
	return err
}

// ReadDir is os.ReadDir, the operation readdir.
//
//go:noinline
func (c *FileClass) ReadDir(name string) ([]fs.DirEntry, error) {
	w := c.begin(OpReadDir, name, callerPC())
	entries, err := os.ReadDir(name)
	w.done(0)
	return entries, err
}

// Truncate is os.Truncate, the operation chsize; its bytes are the new size.
//
//go:noinline
func (c *FileClass) Truncate(name string, size int64) error {
	w := c.begin(OpChsize, name, callerPC())
	err := os.Truncate(name, size)
	w.done(size)
	return err
}

// Chmod is os.Chmod, the operation chmod.
//
//go:noinline
func (c *FileClass) Chmod(name string, mode fs.FileMode) error {
	w := c.begin(OpChmod, name, callerPC())
	err := os.Chmod(name, mode)
	w.done(0)
	return err
}

// Chown is os.Chown, counted as chmod.
//
//go:noinline
func (c *FileClass) Chown(name string, uid, gid int) error {
	w := c.begin(OpChmod, name, callerPC())
	err := os.Chown(name, uid, gid)
	w.done(0)
	return err
}

// Chtimes is os.Chtimes, counted as chmod.
//
//go:noinline
func (c *FileClass) Chtimes(name string, atime, mtime time.Time) error {
	w := c.begin(OpChmod, name, callerPC())
	err := os.Chtimes(name, atime, mtime)
	w.done(0)
	return err
}
