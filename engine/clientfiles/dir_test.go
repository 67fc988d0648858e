package clientfiles

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/dolthub/vitess/go/mysql"

	"pfsd/instr"
)

// place is a directory for clients' files, and a secret beside it.
type place struct {
	Dir
	outside, secret string
}

func newPlace(t *testing.T) place {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{outside: filepath.Join(top, "outside"), secret: filepath.Join(top, "outside", "secret")}
	p.Path, p.Class = filepath.Join(top, "files"), instr.NewRegistry().NewFileClass("sql/file")
	for _, dir := range []string{p.Path, p.outside, filepath.Join(p.Path, "sub"), filepath.Join(top, "files2")} {
		must(t, os.Mkdir(dir, 0o755))
	}
	must(t, os.WriteFile(p.secret, []byte("secret"), 0o644))
	must(t, os.WriteFile(filepath.Join(top, "files2", "f"), []byte("secret"), 0o644))
	must(t, os.WriteFile(filepath.Join(p.Path, "f"), []byte("open"), 0o644))
	must(t, os.WriteFile(filepath.Join(p.Path, "sub", "f"), []byte("open"), 0o644))
	return p
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// number is that of MySQL's error err, 0 for none.
func number(err error) int {
	var e *mysql.SQLError
	if errors.As(err, &e) {
		return e.Num
	}
	if err != nil {
		return -1
	}
	return 0
}

// link makes a symbolic link in the directory.
func (p place) link(t *testing.T, to, name string) {
	t.Helper()
	must(t, os.Symlink(to, filepath.Join(p.Path, name)))
}

// No name leads out of the directory, in whatever way it tries to.
func TestNamesStayInside(t *testing.T) {
	p := newPlace(t)
	p.link(t, p.secret, "absolute")
	p.link(t, "../outside/secret", "relative")
	p.link(t, "../outside", "dir")
	p.link(t, p.outside, "absdir")
	p.link(t, "relative", "chain")
	p.link(t, "f", "inside")
	p.link(t, filepath.Join(p.Path, "f"), "insideabs")
	p.link(t, "sub", "insidedir")
	p.link(t, "nowhere", "dangling")
	p.link(t, "../outside/new", "danglingout")
	p.link(t, "loop", "loop")
	must(t, syscall.Mkfifo(filepath.Join(p.Path, "pipe"), 0o644))
	must(t, os.Symlink(p.Path, filepath.Join(p.outside, "in")))
	files := p.Path
	for _, c := range []struct {
		name string
		want int // the error of opening it
	}{
		{files + "/f", 0}, {files + "//./f", 0}, {files + "/sub/../f", 0}, {files + "/inside", 0}, {files + "/insideabs", 0},
		{files + "/insidedir/f", 0}, {files + "/insidedir/../f", 0}, {p.outside + "/in/f", 0}, {files + "/../files/f", 0},
		{files + "/absolute", 1290}, {files + "/relative", 1290}, {files + "/chain", 1290}, {files + "/dir/secret", 1290},
		{files + "/absdir/secret", 1290}, {files + "/dir/../f", 1290}, {files + "/../outside/secret", 1290},
		{files + "/sub/../../outside/secret", 1290}, {p.secret, 1290}, {"/etc/passwd", 1290}, {"/proc/self/environ", 1290},
		{files + "2/f", 1290}, {"f", 1290}, {"", 1290}, {files + "/f\x00", 1290}, {"../outside/secret", 1290},
		{p.outside + "/in/relative", 1290},
		{files, 1085}, {files + "/", 1085}, {files + "/sub", 1085}, {files + "/insidedir", 1085}, {files + "/pipe", 1085},
		{files + "/nosuch", 13}, {files + "/f/x", 13}, {files + "/dangling", 13}, {files + "/danglingout", 1290}, {files + "/loop", 29},
	} {
		f, err := p.Open(c.name)
		if got := number(err); got != c.want {
			t.Errorf("open %s: %v, want %d", c.name, err, c.want)
		}
		if err == nil {
			if text, err := io.ReadAll(f); string(text) != "open" || err != nil {
				t.Errorf("%s has %q, %v", c.name, text, err)
			}
			must(t, f.Close())
		}
	}
	before := count(t, p.outside)
	for _, c := range []struct {
		name string
		want int
	}{
		{files + "/new", 0}, {files + "/sub/new", 0}, {files + "/insidedir/new2", 0}, {p.outside + "/in/new3", 0},
		{files + "/f", 1086}, {files + "/inside", 1086}, {files + "/sub", 1086}, {files + "/dangling", 1086}, {files + "/danglingout", 1086},
		{files + "/absolute", 1086}, {files + "/pipe", 1086}, {files + "/loop", 1086},
		{files + "/dir/new", 1290}, {files + "/absdir/new", 1290}, {files + "/../outside/new", 1290}, {p.outside + "/new", 1290},
		{files + "/nosuch/new", 1}, {files + "2/new", 1290}, {"new", 1290},
	} {
		f, err := p.Create(c.name)
		if got := number(err); got != c.want {
			t.Errorf("create %s: %v, want %d", c.name, err, c.want)
		}
		if err != nil {
			continue
		}
		info, err := f.Stat()
		if must(t, err); info.Mode().Perm()&^newFileMode != 0 {
			t.Errorf("%s has mode %v", c.name, info.Mode())
		}
		f.Discard()
		if _, err := os.Lstat(c.name); err == nil {
			t.Errorf("%s stays", c.name)
		}
	}
	if got := count(t, p.outside); got != before {
		t.Errorf("%d files outside, want %d", got, before)
	}
	if text, err := os.ReadFile(p.secret); string(text) != "secret" || err != nil {
		t.Errorf("the secret is %q, %v", text, err)
	}
	p.Base = filepath.Dir(p.Path)
	f, err := p.Open("files/f")
	must(t, err)
	must(t, f.Close())
	for _, d := range []Dir{{}, {Path: filepath.Join(p.Path, "nosuch"), Class: p.Class}} {
		if _, err := d.Open(files + "/f"); number(err) != 1290 {
			t.Errorf("open in %q: %v", d.Path, err)
		}
	}
}

func count(t *testing.T, dir string) int {
	t.Helper()
	all, err := os.ReadDir(dir)
	must(t, err)
	return len(all)
}

// A directory that turns into a link, again and again, while names are looked up in it leads
// nowhere else.
func TestReplacedDirectory(t *testing.T) {
	p := newPlace(t)
	must(t, os.WriteFile(filepath.Join(p.outside, "f"), []byte("secret"), 0o644))
	sub, kept := filepath.Join(p.Path, "sub"), filepath.Join(p.Path, "kept")
	done := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			_ = os.Rename(sub, kept)
			_ = os.Symlink("../outside", sub)
			_ = os.Remove(sub)
			_ = os.Rename(kept, sub)
		}
	})
	defer swapping.Wait()
	defer close(done)
	before := count(t, p.outside)
	for range 5000 {
		if f, err := p.Open(sub + "/f"); err == nil {
			if text, err := io.ReadAll(f); string(text) != "open" || err != nil {
				t.Fatalf("read %q, %v", text, err)
			}
			must(t, f.Close())
		}
		if f, err := p.Create(sub + "/new"); err == nil {
			if _, err := os.Lstat(p.outside + "/new"); err == nil {
				t.Fatal("a file outside")
			}
			f.Discard()
		}
		_ = os.Remove(kept + "/new") // whose directory was elsewhere when it was discarded
		_ = os.Remove(sub + "/new")
	}
	if got := count(t, p.outside); got != before {
		t.Errorf("%d files outside, want %d", got, before)
	}
}
