package main

import (
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pfsd/instr"
)

// modulePath is the path of this module.
var modulePath = strings.TrimSuffix(reflect.TypeFor[instr.Mutex]().PkgPath(), "/instr")

// TestRename: make rename changes the module's path everywhere: in code, modules beside it, documents, golden files.
func TestRename(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip(err)
	}
	const root = "../.."
	to := t.TempDir()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		local, err := filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "bin" || d.Name() == "tmp"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, local), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, local), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	const other = "example.org/a/watch"
	rename := exec.Command("make", "rename", "MODULE="+other)
	rename.Dir = to
	if out, err := rename.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	list := exec.Command("go", "list", "-m")
	list.Dir = to
	if out, err := list.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != other {
		t.Errorf("the module is %s, %v", out, err)
	}
	// A path of a file, such as cmd/pfsd/main.go, and the program's name stay.
	left := regexp.MustCompile(`(?m)(^|thread/go/|[^A-Za-z0-9_./-])` + regexp.QuoteMeta(modulePath) + `(/(engine|instr|ringbuf|tables|timers)\b|@v|=| => )`)
	err = filepath.WalkDir(to, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if at := left.FindIndex(text); at != nil {
			t.Errorf("%s: %s", name, text[at[0]:min(at[1]+40, len(text))])
		}
		if err != nil || !strings.HasSuffix(name, ".go") || strings.Contains(name, "/testdata/") {
			return err
		}
		formatted, err := format.Source(text)
		if err == nil && string(formatted) != string(text) {
			t.Errorf("%s is not formatted", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
