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

// A Dir is the directory for clients' files. The zero value has none, and refuses every name.
// Safe for concurrent use.
type Dir struct {
	// Path is the directory, absolute; "" is none.
	Path string
	// Base is the directory that relative names are relative to, the server's data directory; ""
	// has them refused.
	Base string
	// Class is the instrument of the files; nil is none.
	Class *instr.FileClass
}

// newFileMode is what may be done with a file that a client makes, as in MySQL.
const newFileMode = 0o640

// Open opens a file to read it. The error is ErrOutside, or says that the file is not there, is
// no regular one, or may not be read.
func (d Dir) Open(name string) (*instr.File, error) {
	// A pipe without a writer would have the server wait.
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

// A NewFile is a file that is being made. Owned by one goroutine.
type NewFile struct {
	*instr.File
	dir  Dir
	name string
}

// Create makes a file that is not there yet. The error is ErrOutside, or says that the name is
// taken, by a link as well, or why the file cannot be made.
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

// Discard closes the file and takes it away, because it has not been written to its end.
func (f *NewFile) Discard() {
	_ = f.Close()
	_ = f.dir.in(f.name, evalParent, func(root *os.Root, below string) error { return root.Remove(below) })
}

// isSystemError tells whether the operating system has refused something; os.Root's own errors
// are about names that lead out of it.
func isSystemError(err error) bool {
	var e syscall.Errno
	return errors.As(err, &e)
}

// open opens the file that name means.
func (d Dir) open(name string, flag int, eval func(string) (string, error)) (f *instr.File, err error) {
	err = d.in(name, eval, func(root *os.Root, below string) (err error) {
		f, err = d.Class.OpenInRoot(root, below, flag, newFileMode)
		return err
	})
	return f, err
}

// in calls do with what name is below the directory. Where that leads out of it on its way, by an
// absolute link for one, or where the directory is named by a link to it, do is called with what
// eval makes of name. What links mean may change in between: root holds do inside.
func (d Dir) in(name string, eval func(string) (string, error), do func(root *os.Root, below string) error) error {
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
	if below, ok := behind(d.Path, name); ok {
		if err = do(root, below); err == nil || isSystemError(err) {
			return err
		}
	}
	realName, err := eval(name)
	if err != nil {
		return ErrOutside
	}
	if realPath, err := filepath.EvalSymlinks(d.Path); err == nil {
		if below, ok := behind(realPath, realName); ok {
			return do(root, below)
		}
	}
	return ErrOutside
}

// evalParent is name with the links in its directory evaluated, not one that it is itself.
func evalParent(name string) (string, error) {
	dir, last := filepath.Split(name)
	dir, err := filepath.EvalSymlinks(dir)
	return filepath.Join(dir, last), err
}

// behind is the part of name behind the directory path. Its .. stay, as what they mean depends
// on links.
func behind(path, name string) (below string, ok bool) {
	inside := parts(name)
	for _, part := range parts(path) {
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

// parts are the elements of a path, without those that mean nothing.
func parts(path string) (all []string) {
	for part := range strings.SplitSeq(path, "/") {
		if part != "" && part != "." {
			all = append(all, part)
		}
	}
	return all
}
