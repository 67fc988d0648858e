package clientfiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"pfsd/instr"
)

// A Dir is the directory for clients' files. The zero value has no directory and refuses every name.
// Safe for concurrent use.
type Dir struct {
	// Path is the absolute path of the directory; "" means none.
	Path string
	// Base is the server's data directory, which relative names start from; with "" they are refused.
	Base string
	// Class is the instrument of the files; may be nil.
	Class *instr.FileClass
}

// newFileMode is the mode of a file that a client makes, as in MySQL.
const newFileMode = 0o640

// Open opens a file for reading. The error is ErrOutside, or says that the file does not exist, is not
// regular, or may not be read.
func (d Dir) Open(name string) (*instr.File, error) {
	// Without O_NONBLOCK, opening a pipe without a writer would block.
	f, err := d.open(name, os.O_RDONLY|syscall.O_NONBLOCK, filepath.EvalSymlinks)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, errMissing(name, err)
	case isSystemError(err):
		return nil, errUnreadable(name, err)
	case err != nil:
		return nil, ErrOutside
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, errNotRegular(name)
	}
	return f, nil
}

// A NewFile is a new file while it is written. Owned by one goroutine.
type NewFile struct {
	*instr.File
	dir  Dir
	name string
}

// Create makes a new file. The error is ErrOutside, or says that the name exists, if only as a link, or
// why the file cannot be made.
func (d Dir) Create(name string) (*NewFile, error) {
	f, err := d.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, evalParent)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, errExists(name)
	case isSystemError(err):
		return nil, errNotCreated(name, err)
	case err != nil:
		return nil, ErrOutside
	}
	return &NewFile{f, d, name}, nil
}

// Mkdir makes a new directory, which only the server's user may use, and returns its path without links. The error is ErrOutside,
// fs.ErrExist or what the operating system says.
func (d Dir) Mkdir(name string) (path string, err error) {
	err = d.inside(name, evalParent, func(root *os.Root, below string) error {
		if filepath.Clean(below) != below { // .. behind a link means another place for the system than in the path
			return ErrOutside
		}
		if err := root.Mkdir(below, 0o700); err != nil {
			return err
		}
		path = filepath.Join(d.Path, below)
		return nil
	})
	if err != nil {
		if !isSystemError(err) {
			err = ErrOutside
		}
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// Discard closes and removes a file that was not completely written.
func (f *NewFile) Discard() {
	_ = f.Close()
	_ = f.dir.inside(f.name, evalParent, func(root *os.Root, below string) error { return root.Remove(below) })
}

// isSystemError reports whether an error comes from the operating system. os.Root's own errors are about
// names that lead out of it.
func isSystemError(err error) bool {
	var e syscall.Errno
	return errors.As(err, &e)
}

// open opens a file by its name.
func (d Dir) open(name string, flag int, eval func(string) (string, error)) (f *instr.File, err error) {
	err = d.inside(name, eval, func(root *os.Root, below string) (err error) {
		f, err = d.Class.OpenInRoot(root, below, flag, newFileMode)
		return err
	})
	return f, err
}

// inside calls do with the path of name relative to the directory. If that path leads out of the directory, as
// an absolute link does, or name reaches the directory by a link, it tries again with the result of eval.
// Links may change in between; os.Root keeps do inside in any case.
func (d Dir) inside(name string, eval func(string) (string, error), do func(root *os.Root, below string) error) error {
	if d.Path == "" || name == "" || strings.IndexByte(name, 0) >= 0 {
		return ErrOutside
	}
	if !filepath.IsAbs(name) {
		if d.Base == "" {
			return ErrOutside
		}
		name = d.Base + "/" + name
	}
	root, err := os.OpenRoot(d.Path)
	if err != nil {
		return ErrOutside
	}
	defer func() { _ = root.Close() }()
	if below, ok := relativeTo(d.Path, name); ok {
		if err = do(root, below); err == nil || isSystemError(err) {
			return err
		}
	}
	realName, err := eval(name)
	if err != nil {
		return ErrOutside
	}
	if realPath, err := filepath.EvalSymlinks(d.Path); err == nil {
		if below, ok := relativeTo(realPath, realName); ok {
			return do(root, below)
		}
	}
	return ErrOutside
}

// evalParent evaluates the links in the directory of name, but not name itself if it is a link.
func evalParent(name string) (string, error) {
	dir, last := filepath.Split(name)
	dir, err := filepath.EvalSymlinks(dir)
	return filepath.Join(dir, last), err
}

// relativeTo returns the part of name behind the directory path. It keeps .., whose meaning depends on links.
func relativeTo(path, name string) (below string, ok bool) {
	inside := pathElements(name)
	for _, part := range pathElements(path) {
		if len(inside) == 0 || inside[0] != part {
			return "", false
		}
		inside = inside[1:]
	}
	if len(inside) == 0 {
		return ".", true
	}
	return strings.Join(inside, "/"), true
}

// pathElements returns the elements of a path, without empty ones and dots.
func pathElements(path string) (all []string) {
	for part := range strings.SplitSeq(path, "/") {
		if part != "" && part != "." {
			all = append(all, part)
		}
	}
	return all
}
