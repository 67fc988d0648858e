//go:build !unix

package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"pfsd/instr"
)

// lockName is the file that exists while a server uses the directory.
const lockName = "pfsd.lock"

// lock is the lock of a directory. The lock does not end with the process: after a server was killed, the
// file must be removed by hand.
type lock struct {
	class *instr.FileClass
	path  string
}

// acquire locks a directory.
func acquire(class *instr.FileClass, dir string) (*lock, error) {
	path := filepath.Join(dir, lockName)
	f, err := class.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if errors.Is(err, os.ErrExist) {
		holder, _ := class.ReadRegular(path, 1<<10)
		return nil, fmt.Errorf("process %.20s uses it, or has ended without removing %s", holder, path)
	}
	if err != nil {
		return nil, withoutPath(err)
	}
	_, err = fmt.Fprintf(f, "%d", os.Getpid())
	return &lock{class, path}, errors.Join(err, f.Close())
}

// release unlocks the directory.
func (l *lock) release() error { return l.class.Remove(l.path) }
