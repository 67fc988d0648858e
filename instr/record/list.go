package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// prefix is what the names of recordings begin with: the process's number and the time of its start follow.
const prefix = "pfsd."

// Directory is where recordings are by default: the directory that PFSD_RECORD names, else a
// directory of the user's own, which need not exist yet.
func Directory() string {
	if dir := os.Getenv("PFSD_RECORD"); dir != "" {
		return dir
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		return filepath.Join(dir, "pfsd")
	}
	return filepath.Join(os.TempDir(), "pfsd-"+strconv.Itoa(os.Getuid()))
}

// RunPrefix is how the names of those directories within a Directory begin that have recordings of
// their own.
const RunPrefix = "run-"

// List opens the recordings in a directory, and in its directories whose names begin with
// RunPrefix, in the order of their starts. Files that are no recordings are left out.
func List(dir string) ([]*Recording, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []*Recording
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && strings.HasPrefix(e.Name(), RunPrefix):
			if inner, err := List(path); err == nil {
				list = append(list, inner...)
			}
		case e.Type().IsRegular() && strings.HasPrefix(e.Name(), prefix):
			if r, err := Open(path); err == nil {
				list = append(list, r)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *Recording) int { return a.info.Started.Compare(b.info.Started) })
	return list, nil
}

// ErrNoRecording says that a directory or process has no recording.
var ErrNoRecording = errors.New("no recording")

// Find opens a recording: what is the name of its file, or of a directory, whose newest one is
// opened, or the number of a process. That of a process which runs is the file that the process
// has open, wherever it is; of one that has ended it is the newest one in Directory.
func Find(what string) (*Recording, error) {
	info, err := os.Stat(what)
	switch {
	case err == nil && info.IsDir():
		return newest(what, 0)
	case err == nil:
		return Open(what)
	}
	pid, err := strconv.ParseUint(what, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is no file, directory or process", ErrNoRecording, what)
	}
	if r := ofProcess(pid); r != nil {
		return r, nil
	}
	r, err := newest(Directory(), pid)
	if errors.Is(err, ErrNoRecording) || errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w of process %d in %s: name its file or directory, if it has one", ErrNoRecording, pid, Directory())
	}
	return r, err
}

// newest opens the newest recording in a directory, of the process pid if that is not 0.
func newest(dir string, pid uint64) (*Recording, error) {
	list, err := List(dir)
	if err != nil {
		return nil, err
	}
	var found *Recording
	for _, r := range list {
		if pid == 0 || r.Info().PID == pid {
			r, found = found, r
		}
		if r != nil {
			_ = r.Close()
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%w in %s", ErrNoRecording, dir)
	}
	return found, nil
}
