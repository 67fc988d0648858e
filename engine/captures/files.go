package captures

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"pfsd/tables"
)

// files is the directory of captures. Safe for concurrent use.
type files struct {
	keep bool // the directory stays when the server ends

	mu  sync.Mutex
	dir string // "" until a temporary one is made; guarded by mu
}

var suffixes = map[string]string{CPU: "pprof", Trace: "trace"}

// write writes a file, and returns its name.
func (f *files) write(id uint64, kind string, text []byte) (name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.keep:
		err = os.MkdirAll(f.dir, 0o700)
	case f.dir == "":
		f.dir, err = os.MkdirTemp("", "pfsd-captures-")
	}
	if err != nil {
		return "", err
	}
	name = filepath.Join(f.dir, fmt.Sprintf("capture-%d.%s", id, suffixes[kind]))
	if err := os.WriteFile(name, text, 0o600); err != nil {
		_ = os.Remove(name) // half of it may be there
		return "", err
	}
	return name, nil
}

// remove removes a file that write has written.
func (f *files) remove(name string) { _ = os.Remove(name) }

// found returns the captures whose files are in the directory, by their numbers.
func (f *files) found() (all []tables.Capture) {
	if !f.keep {
		return nil
	}
	entries, _ := os.ReadDir(f.dir) // without the directory there are none
	for _, e := range entries {
		var id uint64
		for kind, suffix := range suffixes {
			if n, err := fmt.Sscanf(e.Name(), "capture-%d."+suffix, &id); n != 1 || err != nil || e.Name() != fmt.Sprintf("capture-%d.%s", id, suffix) {
				continue
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				all = append(all, tables.Capture{
					ID: id, Kind: kind, Condition: Now, Seconds: 1, WaitFor: 1, State: done, Taken: info.ModTime(), File: filepath.Join(f.dir, e.Name()), Bytes: uint64(info.Size()),
					Reason: "taken before the server was started",
				})
			}
		}
	}
	slices.SortFunc(all, func(a, b tables.Capture) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// close removes a temporary directory.
func (f *files) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.keep && f.dir != "" {
		_ = os.RemoveAll(f.dir)
	}
}
