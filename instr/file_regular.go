package instr

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// The errors of files that OpenRegular and ReadRegular refuse, in an *fs.PathError.
var (
	// ErrNotRegular is the error for a directory, a pipe, a socket or a device.
	ErrNotRegular = errors.New("it is not a regular file")
	// ErrFileTooLarge is the error for a file that is larger than its reader takes.
	ErrFileTooLarge = errors.New("the file is too large")
)

// OpenRegular is Open for a file that must be regular; else the error is ErrNotRegular. It waits for nothing: opening a pipe without a
// writer would.
//
//go:noinline
func (c *FileClass) OpenRegular(name string) (*File, error) {
	f, _, err := c.openRegular(name, callerPC())
	return f, err
}

// openRegular opens a file, and returns its size.
func (c *FileClass) openRegular(name string, caller uintptr) (*File, int64, error) {
	f, err := c.openFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0, caller)
	if errors.Is(err, syscall.ENXIO) { // a socket, or a device without a driver
		return nil, 0, notRegular(name, fs.ModeIrregular)
	}
	if err != nil {
		return nil, 0, err
	}
	info, err := f.stat(caller)
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(name, info.Mode())
	}
	if err != nil {
		_ = f.close(caller)
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// notRegular is the error for a file of a mode.
func notRegular(name string, mode fs.FileMode) error {
	kind := "a socket or a device"
	switch {
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w but %s", ErrNotRegular, kind)}
}

// ReadRegular is ReadFile for a file that must be regular and have at most so many bytes; else the error is ErrNotRegular or
// ErrFileTooLarge, and nothing of it, or not more than that, is read.
//
//go:noinline
func (c *FileClass) ReadRegular(name string, most int64) ([]byte, error) {
	caller := callerPC()
	f, size, err := c.openRegular(name, caller)
	if err != nil {
		return nil, err
	}
	defer f.close(caller)
	tooLarge := &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w: more than %d bytes", ErrFileTooLarge, most)}
	if size > most {
		return nil, tooLarge
	}
	b, err := readToEnd(f, size, most, caller)
	if int64(len(b)) > most { // a file whose size is not known, as in /proc, or that grows
		return nil, tooLarge
	}
	return b, err
}

// readToEnd reads the file up to its end, or a little beyond most bytes. size is how many bytes it may have.
func readToEnd(f *File, size, most int64, caller uintptr) ([]byte, error) {
	const least = 512 // files whose size is not known, as in /proc
	b := make([]byte, 0, max(size+1, least))
	for {
		n, err := f.read(b[len(b):cap(b)], caller)
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil || int64(len(b)) > most {
			return b, err
		}
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
	}
}
