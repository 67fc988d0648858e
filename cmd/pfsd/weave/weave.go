package weave

import (
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"pfsd/instr/record"
)

// Architectures are the architectures of linux on which programs are recorded.
var Architectures = []string{"amd64", "arm64"}

// The oldest and newest minor versions of Go 1 whose places are known.
const oldestGo, newestGo = 24, 27

// generator has the source of this package: the cache key of an overlay depends on it.
//
//go:embed weave.go edit.go ends.go places.go calls.go channels.go
var generator embed.FS

// ErrUnknownGo is the error for a version of Go whose places are not known.
var ErrUnknownGo = errors.New("unknown version of Go")

// Toolchain is a Go distribution, and the target that it builds for. Its fields are those of go
// env.
type Toolchain struct {
	GOROOT, GOVERSION, GOMODCACHE string
	GOOS, GOARCH                  string
}

// Find returns the toolchain of the go command in a directory, "" for the current one, and in the environment.
func Find(dir string) (Toolchain, error) {
	var t Toolchain
	cmd := exec.Command("go", "env", "-json", "GOROOT", "GOVERSION", "GOMODCACHE", "GOOS", "GOARCH")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &t)
	}
	if err != nil {
		return t, fmt.Errorf("go env: %w", err)
	}
	return t, nil
}

// Recorded reports whether programs for the toolchain's target are recorded.
func (t Toolchain) Recorded() bool {
	return t.GOOS == "linux" && slices.Contains(Architectures, t.GOARCH)
}

// Overlay is a file for go build -overlay, and the distribution that it is for.
type Overlay struct {
	File string
	// Root is the GOROOT for the go command, which must be Root's own bin/go. It is "" if any go
	// command works. The go command does not replace files in the module cache, where it keeps
	// distributions that it has downloaded. Root is then a link to the distribution, which the go
	// command takes for another directory.
	Root string
}

// Command is the go command for builds with the overlay.
func (o Overlay) Command(args ...string) *exec.Cmd {
	if o.Root == "" {
		return exec.Command("go", args...)
	}
	cmd := exec.Command(filepath.Join(o.Root, "bin", "go"), args...)
	cmd.Env = append(os.Environ(), "GOROOT="+o.Root, "GOTOOLCHAIN=local")
	return cmd
}

// Make returns the overlay of a toolchain. It keeps overlays in the directory cache, and makes the
// overlay if the cache does not have it. The error wraps ErrUnknownGo, or names a place that was
// not found. Several processes may make the same overlay at the same time.
func Make(t Toolchain, cache string) (Overlay, error) {
	if err := t.known(); err != nil {
		return Overlay{}, err
	}
	dir, err := filepath.Abs(filepath.Join(cache, t.key()))
	if err != nil {
		return Overlay{}, err
	}
	o := Overlay{File: filepath.Join(dir, "overlay.json")}
	root := t.GOROOT
	if rel, err := filepath.Rel(t.GOMODCACHE, t.GOROOT); err == nil && filepath.IsLocal(rel) {
		o.Root = filepath.Join(dir, "goroot")
		root = o.Root
	}
	if _, err := os.Stat(o.File); err == nil {
		return o, nil
	}
	w := woven{src: filepath.Join(t.GOROOT, "src"), goVersion: t.GOVERSION, overlay: t.key()}
	if err := w.all(); err != nil {
		return Overlay{}, fmt.Errorf("%s in %s is not as expected: %w", t.GOVERSION, t.GOROOT, err)
	}
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return Overlay{}, err
	}
	temp, err := os.MkdirTemp(cache, "new-")
	if err != nil {
		return Overlay{}, err
	}
	defer os.RemoveAll(temp)
	if err := w.write(temp, dir, filepath.Join(root, "src")); err != nil {
		return Overlay{}, err
	}
	if o.Root != "" {
		if err := os.Symlink(t.GOROOT, filepath.Join(temp, "goroot")); err != nil {
			return Overlay{}, err
		}
	}
	// The rename makes the directory visible only when it is complete.
	if err := os.Rename(temp, dir); err != nil {
		if _, there := os.Stat(o.File); there != nil {
			return Overlay{}, err
		}
	}
	return o, nil
}

// write writes the files into temp, which will become dir, for a distribution whose sources are in src.
func (w *woven) write(temp, dir, src string) error {
	replace := map[string]string{}
	for _, name := range w.paths() {
		file := filepath.FromSlash(name) // with its own name, by which -toolexec tools know files of the standard library
		if err := os.MkdirAll(filepath.Dir(filepath.Join(temp, file)), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(temp, file), w.files[name], 0o666); err != nil {
			return err
		}
		replace[filepath.Join(src, file)] = filepath.Join(dir, file)
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(temp, "overlay.json"), text, 0o666)
}

// known returns an error if the places of the Go version are not known.
func (t Toolchain) known() error {
	version, _, _ := strings.Cut(t.GOVERSION, " ")
	if rest, ok := strings.CutPrefix(version, "go1."); ok {
		digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
		if minor, err := strconv.Atoi(digits); err == nil && oldestGo <= minor && minor <= newestGo {
			return nil
		}
	}
	return fmt.Errorf("%w: %q, not go1.%d to go1.%d", ErrUnknownGo, t.GOVERSION, oldestGo, newestGo)
}

// key returns a text that identifies an overlay: it depends on the distribution, the generator, and
// the files that are added.
func (t Toolchain) key() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n%s\n", t.GOROOT, t.GOVERSION, runtime.Version(), record.Layout)
	for _, files := range []embed.FS{generator, recorder} {
		err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := files.ReadFile(path)
			fmt.Fprintf(h, "%s\n%s\n", path, text)
			return err
		})
		if err != nil {
			panic(err) // they are embedded
		}
	}
	return fmt.Sprintf("%s-%x", strings.Fields(t.GOVERSION)[0], h.Sum(nil)[:8])
}
