package instr

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// DirFS is what package io/fs expects, answers as os.DirFS does, and counts.
func TestFileClassDirFS(t *testing.T) {
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "f"), []byte("hello"), 0o600))
	check(t, os.Mkdir(filepath.Join(dir, "d"), 0o700))
	check(t, os.Symlink("f", filepath.Join(dir, "l")))
	r := NewRegistry()
	c := r.NewFileClass("test/data")
	if err := fstest.TestFS(c.DirFS(dir), "f", "d", "l"); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{dir, ""} {
		plain, ours := os.DirFS(dir), c.DirFS(dir)
		for _, name := range []string{"f", "none", "../f", "/f", "", "d", "."} {
			for what, do := range map[string]func(fs.FS) (any, error){
				"open": func(f fs.FS) (any, error) {
					x, err := f.Open(name)
					if err == nil {
						_ = x.Close()
					}
					return nil, err
				},
				"read":    func(f fs.FS) (any, error) { b, err := fs.ReadFile(f, name); return string(b), err },
				"stat":    func(f fs.FS) (any, error) { _, err := fs.Stat(f, name); return nil, err },
				"readdir": func(f fs.FS) (any, error) { e, err := fs.ReadDir(f, name); return len(e), err },
				"link":    func(f fs.FS) (any, error) { to, err := fs.ReadLink(f, name); return to, err },
			} {
				want, wantErr := do(plain)
				got, err := do(ours)
				if got != want || (err == nil) != (wantErr == nil) {
					t.Errorf("%s of %q below %q: %v, %v, want %v, %v", what, name, dir, got, err, want, wantErr)
				}
				for _, is := range []error{fs.ErrNotExist, fs.ErrInvalid} {
					if errors.Is(err, is) != errors.Is(wantErr, is) && dir != "" {
						t.Errorf("%s of %q: %v, want %v", what, name, err, wantErr)
					}
				}
				if e := (*fs.PathError)(nil); errors.As(err, &e) && e.Path != name {
					t.Errorf("%s of %q: the error names %q", what, name, e.Path)
				}
			}
		}
	}
	c.Class().Reset()
	_ = must(fs.ReadFile(c.DirFS(dir), "f"))
	if got := countsOf(c.Class().IO()); got != (counts{reads: 2, readBytes: 5, misc: 3}) { // open, stat, close
		t.Errorf("counted %+v", got)
	}
}

// What package os does by name is there under the same name, without a class of one's own, too.
func TestOS(t *testing.T) {
	first, second := OS(), OS()
	if first != second || first.Class().Name() != "wait/io/file/os/file" {
		t.Fatal(OS().Class().Name())
	}
	before := OS().Class().IO().All().Count
	dir := must(OS().MkdirTemp(t.TempDir(), "x"))
	name := filepath.Join(dir, "f")
	check(t, OS().Symlink("g", name))
	if to := must(OS().Readlink(name)); to != "g" {
		t.Errorf("the link leads to %q", to)
	}
	check(t, OS().Lchown(name, os.Getuid(), os.Getgid()))
	if n := OS().Class().IO().All().Count - before; n != 4 {
		t.Errorf("%d operations, want 4", n)
	}
	check(t, OS().Remove(name))
}
