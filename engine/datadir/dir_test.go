package datadir

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pfsd/instr"
)

var class = instr.NewRegistry().NewFileClass("test/file")

func open(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := Open(instr.NewRegistry(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestHolder is no test: it is the other process of TestOneServer, which holds a directory until
// it is killed.
func TestHolder(t *testing.T) {
	path := os.Getenv("PFSD_TEST_HOLD")
	if path == "" {
		t.Skip("only as another test's process")
	}
	_, err := Open(instr.NewRegistry(), path)
	must(t, err)
	fmt.Println("held")
	select {}
}

// A directory has one server, in this process and among all, until that ends in whatever way.
func TestOneServer(t *testing.T) {
	path := t.TempDir() + "/data"
	d := open(t, path)
	link := t.TempDir() + "/link"
	must(t, os.Symlink(path, link))
	want := fmt.Sprintf("process %d uses it, which holds the lock of ", os.Getpid())
	for _, p := range []string{path, link, path + "/.", path + "/"} {
		if _, err := Open(instr.NewRegistry(), p); err == nil || err.Error() != want+filepath.Join(p, lockName) {
			t.Errorf("opened twice: %v", err)
		}
	}
	must(t, d.Close())
	must(t, d.Close())

	other := exec.Command(os.Args[0], "-test.run=^TestHolder$", "-test.v")
	other.Env = append(os.Environ(), "PFSD_TEST_HOLD="+path)
	out, err := other.StdoutPipe()
	must(t, err)
	must(t, other.Start())
	said := ""
	for buf := make([]byte, 100); !strings.Contains(said, "held"); {
		n, err := out.Read(buf)
		must(t, err)
		said += string(buf[:n])
	}
	if _, err := Open(instr.NewRegistry(), path); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d uses it", other.Process.Pid)) {
		t.Errorf("another process has it: %v", err)
	}
	must(t, other.Process.Kill())
	_ = other.Wait()
	must(t, open(t, path).Close())

	// Of many at a time, one.
	var wait sync.WaitGroup
	got := make(chan *Dir, 20)
	for range 20 {
		wait.Go(func() {
			if d, err := Open(instr.NewRegistry(), path); err == nil {
				got <- d
			}
		})
	}
	wait.Wait()
	if len(got) != 1 {
		t.Errorf("%d servers", len(got))
	}
	must(t, (<-got).Close())
}

// A lock that is a link is none.
func TestLockIsNoLink(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(outside, []byte("text"), 0o600))
	must(t, os.Symlink(outside, filepath.Join(dir, lockName)))
	if _, err := Open(instr.NewRegistry(), dir); err == nil {
		t.Error("the link was taken")
	}
	if text, _ := os.ReadFile(outside); string(text) != "text" {
		t.Errorf("the link's file is %q", text)
	}
}

// errFault is what a step fails with, crash what it ends with.
var errFault = errors.New("no space left")

type crash struct{}

// failAt has the given step of writing path fail, or end as if the process were killed.
func failAt(d *Dir, step Step, name string, crashes bool) {
	d.Fault = func(s Step, path string) error {
		if s != step || filepath.Base(path) != name {
			return nil
		}
		if crashes {
			panic(crash{})
		}
		return errFault
	}
}

// crashing calls do, which may crash.
func crashing(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(crash); !ok {
				panic(p)
			}
			err = errFault
		}
	}()
	return do()
}

// Whatever step of writing fails, or is the last that the process does, the file is the old or the
// new one as a whole, and nothing else stays behind.
func TestWriteIsWholeOrNothing(t *testing.T) {
	for step := range Steps {
		for _, crashes := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/crash=%v", step, crashes), func(t *testing.T) {
				dir := t.TempDir()
				d := open(t, dir)
				path := d.Join("file")
				must(t, d.Write(class, path, []byte("old text"), 0o600))
				failAt(d, step, "file", crashes)
				if err := crashing(func() error { return d.Write(class, path, []byte("new text"), 0o600) }); !errors.Is(err, errFault) {
					t.Fatalf("the error is %v", err)
				}
				if !crashes {
					assertFiles(t, dir, "file", lockName)
				}
				must(t, d.Close())
				again := open(t, dir)
				text, err := os.ReadFile(path)
				must(t, err)
				want := "old text"
				if step == StepSyncDir {
					want = "new text"
				}
				if string(text) != want {
					t.Errorf("the file has %q, want %q", text, want)
				}
				assertFiles(t, dir, "file", lockName)
				must(t, again.Write(class, path, []byte("last"), 0o600))
			})
		}
	}
}

// Files that belong together are there all or not at all, whatever step is the last.
func TestWriteAllIsWholeOrNothing(t *testing.T) {
	files := []File{{"a", []byte("text of a"), 0o600}, {"b", []byte("text of b"), 0o644}, {"c", []byte("text of c"), 0o600}}
	for _, name := range []string{journalName, "a", "b", "c"} {
		for step := range Steps {
			for _, crashes := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%v/crash=%v", name, step, crashes), func(t *testing.T) {
					dir := t.TempDir()
					d := open(t, dir)
					failAt(d, step, name, crashes)
					if err := crashing(func() error { return d.WriteAll(class, files) }); !errors.Is(err, errFault) {
						t.Fatalf("the error is %v", err)
					}
					must(t, d.Close())
					again := open(t, dir)
					assertFiles(t, dir, lockName)
					must(t, again.WriteAll(class, files))
					assertFiles(t, dir, "a", "b", "c", lockName)
					must(t, again.Close())
					open(t, dir)
					assertFiles(t, dir, "a", "b", "c", lockName)
				})
			}
		}
	}
}

// assertFiles fails unless these are the files in a directory.
func assertFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the files are %q, want %q", got, want)
	}
}

// What earlier servers have left is cleared away, and nothing else.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	keep := []string{".pfsd-", "accounts.json", "accounts.json.", "accounts.json.old", "mysqld-auto.cnf", lockName}
	for _, name := range append([]string{".pfsd-new-accounts.json-123", ".pfsd-123", "accounts.json.4567", "mysqld-auto.cnf.backup"}, keep...) {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	must(t, os.Mkdir(filepath.Join(dir, ".pfsd-new-dir"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, journalName), []byte(`["../outside", "broken`), 0o600))
	open(t, dir)
	assertFiles(t, dir, append([]string{".pfsd-", ".pfsd-new-dir"}, keep[1:]...)...)
}

// Directories and files are for the server's user; what others may use is told.
func TestPermissions(t *testing.T) {
	path := t.TempDir() + "/a/b"
	d := open(t, path)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&^0o750 != 0 || len(d.Warnings()) != 0 {
		t.Errorf("the directory has %v, %v, %q", info.Mode(), err, d.Warnings())
	}
	must(t, d.Write(class, d.Join("f"), []byte("x"), 0o600))
	if info, err := os.Stat(d.Join("f")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has %v, %v", info.Mode(), err)
	}
	must(t, d.Close())
	for perm, warns := range map[os.FileMode]bool{0o700: false, 0o750: false, 0o755: true, 0o770: true, 0o701: true} {
		must(t, os.Chmod(path, perm))
		d := open(t, path)
		if got := strings.Contains(strings.Join(d.Warnings(), ""), "accessible to other OS users"); got != warns {
			t.Errorf("%v: %q", perm, d.Warnings())
		}
		must(t, d.Close())
	}
	if os.Geteuid() == 0 {
		must(t, os.Chown(path, 12345, -1))
		if w := open(t, path).Warnings(); !strings.Contains(strings.Join(w, ""), "belongs to the user with id 12345") {
			t.Errorf("another user's: %q", w)
		}
	}
}

// Without a path nothing is locked.
func TestNoDirectory(t *testing.T) {
	a, b := open(t, ""), open(t, "")
	if a.Persistent() || b.Persistent() {
		t.Error("there is a directory")
	}
}
