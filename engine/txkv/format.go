package txkv

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// formatText is the text of the format file, which says that a directory is a store, and its
// version.
const formatText = "txkv 1\n"

// openFormat makes the directory of a new store, or checks whether it has a store that this code
// can read.
func (s *Store) openFormat() error {
	path := s.fs.PathJoin(s.dir, formatFile)
	f, err := openRegular(s.fs, path)
	if err == nil {
		text, err := io.ReadAll(io.LimitReader(f, 100))
		_ = f.Close()
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrIO, path, err)
		}
		if string(text) != formatText {
			return fmt.Errorf("%w: %s says %q where %q is expected", ErrCorrupt, path, text, formatText)
		}
		return nil
	}
	if errors.Is(err, ErrCorrupt) {
		return err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrIO, err)
	}
	names, err := s.fs.List(s.dir)
	names = slices.DeleteFunc(names, func(name string) bool { return name == formatFile+".new" }) // of an Open that found no room
	if err == nil && len(names) > 0 {
		return fmt.Errorf("%w: %s is no store's: it has %s but no %s", ErrCorrupt, s.dir, names[0], formatFile)
	}
	if err := makeDir(s.fs, s.dir); err != nil {
		return ioError(err)
	}
	return s.writeFormat(s.dir)
}

// writeFormat writes the format file, completely or not at all.
func (s *Store) writeFormat(dir string) error {
	return ioError(s.replaceFile(dir, formatFile, formatText))
}

func (s *Store) replaceFile(dir, name, text string) error {
	temporary := s.fs.PathJoin(dir, name+".new")
	f, err := s.fs.Create(temporary, "txkv")
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := s.fs.Rename(temporary, s.fs.PathJoin(dir, name)); err != nil {
		return err
	}
	return syncDir(s.fs, dir)
}

// makeDir makes a directory, durably.
func makeDir(fs vfs.FS, dir string) error {
	if err := fs.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return syncDir(fs, fs.PathDir(dir))
}

func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
