package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"

	"pfsd/instr"
)

const (
	// dirMode is what may be done with a directory that the server makes.
	dirMode = 0o750
	// temporaryPrefix begins the names of files that are being written.
	temporaryPrefix = ".pfsd-new-"
	// journalName is the file that lists what WriteAll is writing.
	journalName = ".pfsd-writing"
)

// A Dir is an open data directory; without a path it is none, in which nothing can be kept. Safe
// for concurrent use.
type Dir struct {
	path string
	lock atomic.Pointer[lock]
	// warnings are what is unsafe about the directory.
	warnings []string
	// Fault, if it is not nil, is called before each step of writing a file; the step fails with
	// its error, after half of its work if it is StepWrite. It is for tests, and set before the
	// directory is used.
	Fault func(step Step, path string) error
}

// Open opens the directory path for one server; "" is none. The error says who has it, or why it
// cannot be used.
func Open(reg *instr.Registry, path string) (*Dir, error) {
	d := &Dir{path: path}
	if path == "" {
		return d, nil
	}
	class := reg.NewFileClass("sql/datadir")
	_, err := class.Stat(path)
	made := errors.Is(err, fs.ErrNotExist)
	if err := class.MkdirAll(path, dirMode); err != nil {
		return nil, inner(err)
	}
	if made {
		if err := syncDir(class, filepath.Dir(filepath.Clean(path))); err != nil {
			return nil, inner(err)
		}
	}
	l, err := acquire(class, path)
	if err != nil {
		return nil, err
	}
	d.lock.Store(l)
	if err := d.sweep(class); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.warnings = exposure(path)
	return d, nil
}

// inner is an error without the path, which the caller names.
func inner(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Close gives the directory to the next server. Only the first call does anything.
func (d *Dir) Close() error {
	if d == nil {
		return nil
	}
	l := d.lock.Swap(nil)
	if l == nil {
		return nil
	}
	return l.release()
}

// Kept tells whether there is a directory.
func (d *Dir) Kept() bool { return d.path != "" }

// Join is the path of a file in the directory.
func (d *Dir) Join(name string) string { return filepath.Join(d.path, name) }

// Warnings are what is unsafe about the directory: that others can read or change it.
func (d *Dir) Warnings() []string { return d.warnings }

// sweep clears away what a server has left that stopped in the middle of writing.
func (d *Dir) sweep(class *instr.FileClass) error {
	journal := d.Join(journalName)
	if text, err := class.ReadFile(journal); err == nil {
		// What it lists is not whole; a journal that cannot be read was not written to its end, and so
		// nothing that it would list has been begun.
		var names []string
		_ = json.Unmarshal(text, &names)
		for _, name := range names {
			if err := class.Remove(d.Join(filepath.Base(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("cannot remove %s, which is not whole: %w", name, inner(err))
			}
		}
		if err := class.Remove(journal); err != nil {
			return fmt.Errorf("cannot remove %s: %w", journalName, inner(err))
		}
	}
	entries, err := class.ReadDir(d.path)
	if err != nil {
		return inner(err)
	}
	for _, e := range entries {
		if name := e.Name(); temporary(name) && e.Type().IsRegular() {
			if err := class.Remove(d.Join(name)); err != nil {
				return fmt.Errorf("cannot remove %s: %w", name, inner(err))
			}
		}
	}
	return nil
}

// temporary tells whether a file is one that was being written. Earlier servers named them
// otherwise: accounts.json and digits, .pfsd- and digits, mysqld-auto.cnf.backup.
func temporary(name string) bool {
	if strings.HasPrefix(name, temporaryPrefix) || name == "mysqld-auto.cnf.backup" {
		return true
	}
	for _, prefix := range []string{"accounts.json.", ".pfsd-"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && strings.Trim(rest, "0123456789") == "" {
			return true
		}
	}
	return false
}
