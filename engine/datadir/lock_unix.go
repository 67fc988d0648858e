//go:build unix

package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"pfsd/instr"
)

// lockName is the file that the server locks, and in which it writes its process id. It is never removed: a
// process that opened it before could then lock a file that no longer has this name.
const lockName = "pfsd.lock"

// lock is the lock of a directory.
type lock struct{ file *instr.File }

// acquire locks a directory, against other servers of this process as well. The error names the process
// that holds the lock.
func acquire(class *instr.FileClass, dir string) (*lock, error) {
	path := filepath.Join(dir, lockName)
	f, err := class.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o640)
	if err != nil {
		return nil, withoutPath(err)
	}
	if err := tryLock(f); err != nil {
		holder := make([]byte, 32)
		n, _ := f.ReadAt(holder, 0)
		_ = f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("cannot lock %s: %w", path, err)
		}
		pid, _, ok := strings.Cut(string(holder[:n]), "\n")
		if !ok {
			pid = "of unknown id"
		}
		return nil, fmt.Errorf("process %s uses it, which holds the lock of %s", pid, path)
	}
	l := &lock{f}
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot write %s: %w", path, withoutPath(err)), l.release())
	}
	return l, nil
}

// tryLock locks a file, or fails at once.
func tryLock(f *instr.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	if err := raw.Control(func(fd uintptr) {
		for locked = syscall.EINTR; locked == syscall.EINTR; {
			locked = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB)
		}
	}); err != nil {
		return err
	}
	return locked
}

// release unlocks the directory.
func (l *lock) release() error { return l.file.Close() }
