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
// RunPrefix, in the order of their starts. refused are the errors of those that cannot be read,
// ErrCut and ErrVersion, which name the files. Files that are no recordings are left out.
func List(dir string) (list []*Recording, refused []error, err error) {
	all, err := candidates(dir)
	for _, c := range all {
		if c.err != nil {
			refused = append(refused, c.err)
		} else {
			list = append(list, c.Recording)
		}
	}
	return list, refused, err
}

// candidate is a recording, or one that cannot be read, with its Info and the error.
type candidate struct {
	*Recording
	err error
}

func candidates(dir string) ([]candidate, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []candidate
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && strings.HasPrefix(e.Name(), RunPrefix):
			if inner, err := candidates(path); err == nil {
				list = append(list, inner...)
			}
		case e.Type().IsRegular() && strings.HasPrefix(e.Name(), prefix):
			if r, err := open(path); err == nil || isRefusal(err) {
				list = append(list, candidate{r, err})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return a.info.Started.Compare(b.info.Started) })
	return list, nil
}

// isRefusal reports whether a file is a recording, and cannot be read.
func isRefusal(err error) bool { return errors.Is(err, ErrCut) || errors.Is(err, ErrVersion) }

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
	if r, err := ofProcess(pid); r != nil || err != nil {
		return r, err
	}
	r, err := newest(Directory(), pid)
	if errors.Is(err, ErrNoRecording) || errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w of process %d in %s: name its file or directory, if it has one", ErrNoRecording, pid, Directory())
	}
	return r, err
}

// newest opens the newest recording in a directory, of the process pid if that is not 0. If that one
// cannot be read, the result is its error, and not an older one.
func newest(dir string, pid uint64) (*Recording, error) {
	list, err := candidates(dir)
	if err != nil {
		return nil, err
	}
	var found candidate
	for _, c := range list {
		if pid == 0 || c.info.PID == pid {
			c, found = found, c
		}
		if c.Recording != nil {
			_ = c.Close() // again, if it was refused
		}
	}
	switch {
	case found.err != nil:
		return nil, found.err
	case found.Recording == nil:
		return nil, fmt.Errorf("%w in %s", ErrNoRecording, dir)
	}
	return found.Recording, nil
}
