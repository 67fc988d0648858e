package weave

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// installed returns the toolchain that runs the tests.
func installed(t *testing.T) Toolchain {
	t.Helper()
	tc, err := Find("")
	if err != nil {
		t.Fatal(err)
	}
	if !tc.Recorded() {
		t.Skipf("programs for %s/%s are not recorded", tc.GOOS, tc.GOARCH)
	}
	return tc
}

// Each changed file has the same number of lines as before, and the same text between the edits.
func TestLinesStay(t *testing.T) {
	tc := installed(t)
	w := woven{src: filepath.Join(tc.GOROOT, "src"), goVersion: tc.GOVERSION}
	if err := w.all(); err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, name := range w.paths() {
		before, err := os.ReadFile(filepath.Join(w.src, name))
		if errors.Is(err, fs.ErrNotExist) {
			if !strings.Contains(name, "zpfsd") {
				t.Errorf("%s is added under a name that Go may use", name)
			}
			continue
		}
		changed++
		after := w.files[name]
		if bytes.Count(before, []byte("\n")) != bytes.Count(after, []byte("\n")) {
			t.Errorf("%s has other lines", name)
		}
		if bytes.Equal(before, after) {
			t.Errorf("%s does not change", name)
		}
	}
	if changed != 33 {
		t.Errorf("%d files change, not 33", changed)
	}
}

func TestCache(t *testing.T) {
	tc, cache := installed(t), t.TempDir()
	one, err := Make(tc, cache)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(one.File)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Make(tc, cache)
	if err != nil || two != one {
		t.Fatalf("%v %v, not %v", two, err, one)
	}
	if again, err := os.Stat(two.File); err != nil || !again.ModTime().Equal(info.ModTime()) {
		t.Error("the overlay was made again")
	}
	if entries, err := os.ReadDir(cache); err != nil || len(entries) != 1 {
		t.Errorf("the cache has %v", entries)
	}
}

// A distribution in the module cache is used through a link.
func TestDownloadedToolchain(t *testing.T) {
	tc := installed(t)
	tc.GOMODCACHE = filepath.Dir(tc.GOROOT)
	o, err := Make(tc, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(o.File)
	if err != nil {
		t.Fatal(err)
	}
	if o.Root == "" || !bytes.Contains(text, []byte(filepath.Join(o.Root, "src", "runtime", "proc.go"))) {
		t.Errorf("root %q", o.Root)
	}
	out, err := o.Command("env", "GOROOT").Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != o.Root {
		t.Errorf("GOROOT is %q, %v", got, err)
	}
}

func TestUnknownGo(t *testing.T) {
	tc := installed(t)
	for _, version := range []string{"go1.23.4", "go1.99", "go2.0", "devel go1.27-abc", "go1.", ""} {
		tc.GOVERSION = version
		cache := t.TempDir()
		if _, err := Make(tc, cache); !errors.Is(err, ErrUnknownGo) {
			t.Errorf("%q: %v", version, err)
		}
		if entries, err := os.ReadDir(cache); err != nil || len(entries) > 0 {
			t.Errorf("%q: the cache has %v", version, entries)
		}
	}
}

// If a place is not as expected, the error names it, and nothing is written.
func TestMissingPlaces(t *testing.T) {
	tc := installed(t)
	w := woven{src: filepath.Join(tc.GOROOT, "src")}
	if err := w.all(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ file, old, by, want string }{
		{"runtime/proc.go", "mcall(park_m)", "mcall(parkM)", `runtime/proc.go: gopark has "mcall(park_m)" 0 times`},
		{"runtime/proc.go", "func gdestroy(", "func gdestroys(", "runtime/proc.go: no function gdestroy"},
		{"internal/sync/mutex.go", "state int32\n\tsema  uint32", "sema  uint32\n\tstate int32", "struct Mutex does not begin with"},
		{"sync/rwmutex.go", "writerSem   uint32", "writerSem   uint64", "struct RWMutex does not begin with"},
		{"internal/poll/fd_unix.go", "func (fd *FD) Pread(", "func (fd *FD) PRead(", "internal/poll: FD has"},
		{"runtime/sema.go", "cansemacquire(addr)", "canSemacquire(addr)", "runtime/sema.go: semacquire1 has no cansemacquire(addr)"},
		{"net/fd_posix.go", "package net", "package net {", "net/fd_posix.go:"},
		{"net/http/server.go", "func (sh serverHandler) ServeHTTP(", "func (sh serverHandler) Serve(", "net/http/server.go: no function serverHandler.ServeHTTP"},
		{"net/http/transport.go", "case err := <-writeErrCh:", "case err := <-writeErrs:", `net/http/transport.go: persistConn.roundTrip waits for "err := <-writeErrCh" 0 times`},
		{"net/http/transport.go", "cacheKey: pconn.cacheKey", "cacheKey: pconn.key", "net/http/transport.go: Transport.dialConn makes no persistConn"},
		{"database/sql/sql.go", "if rs.lasterr != nil {", "if nil != rs.lasterr {", `database/sql/sql.go: Rows.nextLocked asks "rs.lasterr != nil" 0 times`},
		{"database/sql/sql.go", "\t\tselect {\n\t\tcase <-ctx.Done():\n\t\t\t// Remove", "\t\tselect {\n\t\tdefault:\n\t\tcase <-ctx.Done():\n\t\t\t// Remove", "database/sql/sql.go: DB.conn has 0 select statements that wait"},
	} {
		root, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
		for _, name := range append(w.paths(), "sync/rwmutex.go", "sync/mutex.go", "internal/poll/fd_unixjs.go") {
			text, err := os.ReadFile(filepath.Join(w.src, name))
			if err != nil {
				continue // a file of the recorder
			}
			if name == test.file {
				if !bytes.Contains(text, []byte(test.old)) {
					t.Fatalf("%s has no %q", name, test.old)
				}
				text = bytes.ReplaceAll(text, []byte(test.old), []byte(test.by))
			}
			to := filepath.Join(root, "src", name)
			if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(to, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		broken := tc
		broken.GOROOT = root
		if _, err := Make(broken, cache); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.old, err, test.want)
		}
		if _, err := os.Stat(cache); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something was written", test.old)
		}
	}
}
