package instr

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
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

// limitedFS is a file system whose files have only some of the further methods.
type limitedFS struct {
	fstest.MapFS
	open func(fs.File) fs.File
}

func (l limitedFS) Open(name string) (fs.File, error) {
	f, err := l.MapFS.Open(name)
	if err != nil {
		return nil, err
	}
	return l.open(f), nil
}

// A wrapped file system is what package io/fs expects, answers as the one below does, and counts.
func TestFileClassWrapFS(t *testing.T) {
	files := fstest.MapFS{"f": {Data: []byte("hello")}, "d/g": {Data: []byte("inside")}, "l": {Data: []byte("f"), Mode: fs.ModeSymlink}}
	r := NewRegistry()
	c := r.NewFileClass("test/data")
	wrapped := c.WrapFS(files, "data")
	if err := fstest.TestFS(wrapped, "f", "d/g", "l"); err != nil {
		t.Error(err)
	}
	if in := must(fs.Sub(wrapped, "d")); string(must(fs.ReadFile(in, "g"))) != "inside" || len(must(fs.Glob(wrapped, "*"))) != 3 {
		t.Error("Sub or Glob does not find the files")
	}
	if to := must(fs.ReadLink(wrapped, "l")); to != "f" {
		t.Errorf("the link leads to %q", to)
	}
	if _, err := wrapped.Open("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	c.Class().Reset()
	f := must(wrapped.Open("f"))
	in := r.files.lookup("data:f")
	if in == nil || in.instance.OpenCount() != 1 {
		t.Fatal("the open file has no instance")
	}
	_ = must(io.ReadAll(f))
	_ = must(f.(io.Seeker).Seek(0, io.SeekStart))
	_ = must(f.(io.ReaderAt).ReadAt(make([]byte, 2), 1))
	_ = must(f.Stat())
	check(t, f.Close())
	_ = f.Close()
	if got := countsOf(c.Class().IO()); got != (counts{reads: 3, readBytes: 7, misc: 5}) { // open, seek, stat, close, close
		t.Errorf("counted %+v", got)
	}
	if n := in.instance.OpenCount(); n != 0 {
		t.Errorf("%d are open", n)
	}
	var none *FileClass
	if b := must(fs.ReadFile(none.WrapFS(files, "x"), "f")); string(b) != "hello" {
		t.Errorf("%q", b)
	}
}

// A wrapped file has the methods of the file below, and no others.
func TestWrappedFilesHaveTheirMethods(t *testing.T) {
	type (
		seeker interface {
			fs.File
			io.Seeker
		}
		readerAt interface {
			fs.File
			io.ReaderAt
		}
		lister interface{ fs.ReadDirFile }
	)
	all := fstest.MapFS{"f": {Data: []byte("hello")}}
	c := NewRegistry().NewFileClass("test/data")
	for i, open := range []func(fs.File) fs.File{
		func(f fs.File) fs.File { return struct{ fs.File }{f} },
		func(f fs.File) fs.File { return struct{ seeker }{f.(seeker)} },
		func(f fs.File) fs.File { return struct{ readerAt }{f.(readerAt)} },
		func(f fs.File) fs.File {
			return struct {
				seeker
				io.ReaderAt
			}{f.(seeker), f.(io.ReaderAt)}
		},
		func(f fs.File) fs.File { return lists{f} },
		func(f fs.File) fs.File {
			return struct {
				lists
				io.Seeker
			}{lists{f}, f.(io.Seeker)}
		},
		func(f fs.File) fs.File {
			return struct {
				lists
				io.ReaderAt
			}{lists{f}, f.(io.ReaderAt)}
		},
		func(f fs.File) fs.File {
			return struct {
				lists
				io.Seeker
				io.ReaderAt
			}{lists{f}, f.(io.Seeker), f.(io.ReaderAt)}
		},
	} {
		f := must(c.WrapFS(limitedFS{all, open}, "data").Open("f"))
		_, seeks := f.(io.Seeker)
		_, readsAt := f.(io.ReaderAt)
		list, isLister := f.(lister)
		if seeks != (i&1 != 0) || readsAt != (i&2 != 0) || isLister != (i&4 != 0) {
			t.Errorf("%d: seeks %v, reads at an offset %v, lists %v", i, seeks, readsAt, isLister)
		}
		if isLister {
			if entries, err := list.ReadDir(-1); len(entries) != 1 || err != nil {
				t.Errorf("%d: %v, %v", i, entries, err)
			}
		}
		if b := must(io.ReadAll(f)); string(b) != "hello" {
			t.Errorf("%d: %q", i, b)
		}
		check(t, f.Close())
	}
}

// lists is a file that is a directory, too.
type lists struct{ fs.File }

func (l lists) ReadDir(int) ([]fs.DirEntry, error) {
	info, err := l.Stat()
	return []fs.DirEntry{fs.FileInfoToDirEntry(info)}, err
}

// CopyFS does what os.CopyFS does, and counts.
func TestFileClassCopyFS(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"files": {"f": {Data: []byte("hello"), Mode: 0o755}, "d/e/g": {Data: []byte("inside"), Mode: 0o600}, "l": {Data: []byte("f"), Mode: fs.ModeSymlink}, "empty": {Mode: fs.ModeDir | 0o700}},
		"pipe":  {"a": {Data: []byte("x")}, "p": {Mode: fs.ModeNamedPipe}},
		"none":  {},
		"there": {"exists": {Data: []byte("new")}},
	} {
		tree := func(copyFS func(string, fs.FS) error) (found map[string]string, failed bool) {
			dir := t.TempDir()
			check(t, os.WriteFile(filepath.Join(dir, "exists"), []byte("old"), 0o600))
			err := copyFS(dir, files)
			if is := errors.Is(err, fs.ErrExist); is != (name == "there") {
				t.Errorf("%s: %v", name, err)
			}
			found = map[string]string{}
			check(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				info := must(d.Info())
				found[path] = info.Mode().String()
				if d.Type().IsRegular() {
					found[path] += string(must(os.ReadFile(filepath.Join(dir, path))))
				} else if d.Type() == fs.ModeSymlink {
					found[path] += must(os.Readlink(filepath.Join(dir, path)))
				}
				return nil
			}))
			return found, err != nil
		}
		c := NewRegistry().NewFileClass("test/data")
		want, wantFailed := tree(os.CopyFS)
		got, failed := tree(c.CopyFS)
		if !reflect.DeepEqual(got, want) || failed != wantFailed {
			t.Errorf("%s: copied %v, %v, os.CopyFS %v, %v", name, got, failed, want, wantFailed)
		}
		if n := countsOf(c.Class().IO()); name == "files" && n != (counts{writes: 2, writeBytes: 11, misc: 9}) { // 4 mkdir, 2 create, 2 close, 1 link
			t.Errorf("counted %+v", n)
		}
	}
}
