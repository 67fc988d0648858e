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
	// dirMode is the mode of a directory that the server makes.
	dirMode = 0o750
	// temporaryPrefix begins the names of files while they are written.
	temporaryPrefix = ".pfsd-new-"
	// journalName is the file that lists the files that WriteAll is writing.
	journalName = ".pfsd-writing"
	// maxJournal is its largest size in bytes.
	maxJournal = 1 << 20
)

// A Dir is an open data directory. With an empty path there is no directory, and nothing can be written.
// Safe for concurrent use.
type Dir struct {
	path string
	lock atomic.Pointer[lock]
	// warnings say what is unsafe about the directory.
	warnings []string
	// Fault, if not nil, is called before each step of writing a file. If it returns an error, the step
	// fails with it; StepWrite writes half of the text before. For tests. Set it before the directory is
	// used.
	Fault func(step Step, path string) error
}

// Open opens the directory path; "" means that there is none. The error names the process that uses it,
// or says why it cannot be used.
func Open(reg *instr.Registry, path string) (*Dir, error) {
	d := &Dir{path: path}
	if path == "" {
		return d, nil
	}
	class := reg.NewFileClass("sql/datadir")
	_, err := class.Stat(path)
	made := errors.Is(err, fs.ErrNotExist)
	if err := class.MkdirAll(path, dirMode); err != nil {
		return nil, withoutPath(err)
	}
	if made {
		if err := syncDir(class, filepath.Dir(filepath.Clean(path))); err != nil {
			return nil, withoutPath(err)
		}
	}
	l, err := acquire(class, path)
	if err != nil {
		return nil, err
	}
	d.lock.Store(l)
	if err := d.removeLeftovers(class); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.warnings = permissionWarnings(path)
	return d, nil
}

// withoutPath returns an error without its path, for a caller that names the path.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Close unlocks the directory. Only the first call has an effect.
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

// Persistent reports whether there is a directory to write to.
func (d *Dir) Persistent() bool { return d.path != "" }

// Join returns the path of a file in the directory.
func (d *Dir) Join(name string) string { return filepath.Join(d.path, name) }

// Warnings say what is unsafe about the directory: that others can read or change it.
func (d *Dir) Warnings() []string { return d.warnings }

// removeLeftovers removes what a server left that stopped while it was writing.
func (d *Dir) removeLeftovers(class *instr.FileClass) error {
	journal := d.Join(journalName)
	text, err := class.ReadRegular(journal, maxJournal)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read %s: %w", journalName, withoutPath(err))
	}
	if err == nil {
		// The files that the journal lists are incomplete. If the journal itself is incomplete, none of the
		// files was begun.
		var names []string
		_ = json.Unmarshal(text, &names)
		for _, name := range names {
			if err := class.Remove(d.Join(filepath.Base(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("cannot remove %s, which is not whole: %w", name, withoutPath(err))
			}
		}
		if err := class.Remove(journal); err != nil {
			return fmt.Errorf("cannot remove %s: %w", journalName, withoutPath(err))
		}
	}
	entries, err := class.ReadDir(d.path)
	if err != nil {
		return withoutPath(err)
	}
	for _, e := range entries {
		if name := e.Name(); isTemporary(name) && e.Type().IsRegular() {
			if err := class.Remove(d.Join(name)); err != nil {
				return fmt.Errorf("cannot remove %s: %w", name, withoutPath(err))
			}
		}
	}
	return nil
}

// isTemporary reports whether a file is an incomplete new version of another. Earlier versions of pfsd named
// them accounts.json and digits, .pfsd- and digits, mysqld-auto.cnf.backup.
func isTemporary(name string) bool {
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
