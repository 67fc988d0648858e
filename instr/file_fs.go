package instr

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

var osFiles = sync.OnceValue(func() *FileClass { return NewFileClass("os/file") })

// OS is the default registry's class wait/io/file/os/file, for files that need no class of their own: instr.OS().ReadFile(name)
// is os.ReadFile(name). Safe for concurrent use.
func OS() *FileClass { return osFiles() }

// Lchown is os.Lchown, counted as chmod.
//
//go:noinline
func (c *FileClass) Lchown(name string, uid, gid int) error {
	w := c.begin(OpChmod, name, callerPC())
	err := os.Lchown(name, uid, gid)
	w.done(0)
	return err
}

// Readlink is os.Readlink, counted as stat.
//
//go:noinline
func (c *FileClass) Readlink(name string) (string, error) { return c.readlink(name, callerPC()) }

func (c *FileClass) readlink(name string, caller uintptr) (string, error) {
	w := c.begin(OpStat, name, caller)
	to, err := os.Readlink(name)
	w.done(0)
	return to, err
}

// MkdirTemp is os.MkdirTemp, the operation mkdir.
//
//go:noinline
func (c *FileClass) MkdirTemp(dir, pattern string) (string, error) {
	w := c.begin(OpMkdir, dir, callerPC())
	name, err := os.MkdirTemp(dir, pattern)
	w.done(0)
	return name, err
}

// DirFS is os.DirFS: the files below dir as an fs.FS, which counts what is done to them. It implements fs.StatFS, fs.ReadFileFS,
// fs.ReadDirFS and fs.ReadLinkFS; its files are *File. Safe for concurrent use.
func (c *FileClass) DirFS(dir string) fs.FS { return &dirFS{c, dir} }

type dirFS struct {
	class *FileClass
	dir   string
}

var _ interface {
	fs.StatFS
	fs.ReadFileFS
	fs.ReadDirFS
	fs.ReadLinkFS
} = (*dirFS)(nil)

// do calls f with the path of the file of this name. Its error has the name, as that of os.DirFS.
func (d *dirFS) do(op, name string, f func(path string) error) error {
	local, err := filepath.Localize(name)
	if err != nil || d.dir == "" {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	err = f(filepath.Join(d.dir, local))
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return &fs.PathError{Op: e.Op, Path: name, Err: e.Err}
	}
	return err
}

// Open implements fs.FS.
//
//go:noinline
func (d *dirFS) Open(name string) (file fs.File, err error) {
	caller := callerPC()
	err = d.do("open", name, func(path string) error {
		f, err := d.class.openFile(path, os.O_RDONLY, 0, caller)
		if err == nil {
			file = f
		}
		return err
	})
	return file, err
}

// ReadFile implements fs.ReadFileFS.
//
//go:noinline
func (d *dirFS) ReadFile(name string) (b []byte, err error) {
	caller := callerPC()
	err = d.do("readfile", name, func(path string) error {
		var err error
		b, err = d.class.readFile(path, caller)
		return err
	})
	return b, err
}

// ReadDir implements fs.ReadDirFS.
//
//go:noinline
func (d *dirFS) ReadDir(name string) (entries []fs.DirEntry, err error) {
	caller := callerPC()
	err = d.do("readdir", name, func(path string) error {
		w := d.class.begin(OpReadDir, path, caller)
		var err error
		entries, err = os.ReadDir(path)
		w.done(0)
		return err
	})
	return entries, err
}

// Stat implements fs.StatFS.
//
//go:noinline
func (d *dirFS) Stat(name string) (fs.FileInfo, error) { return d.stat(name, os.Stat, callerPC()) }

// Lstat implements fs.ReadLinkFS.
//
//go:noinline
func (d *dirFS) Lstat(name string) (fs.FileInfo, error) { return d.stat(name, os.Lstat, callerPC()) }

func (d *dirFS) stat(name string, stat func(string) (fs.FileInfo, error), caller uintptr) (info fs.FileInfo, err error) {
	err = d.do("stat", name, func(path string) error {
		w := d.class.begin(OpStat, path, caller)
		var err error
		info, err = stat(path)
		w.done(0)
		return err
	})
	return info, err
}

// ReadLink implements fs.ReadLinkFS.
//
//go:noinline
func (d *dirFS) ReadLink(name string) (to string, err error) {
	caller := callerPC()
	err = d.do("readlink", name, func(path string) error {
		var err error
		to, err = d.class.readlink(path, caller)
		return err
	})
	return to, err
}
