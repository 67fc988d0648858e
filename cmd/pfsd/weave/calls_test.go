package weave

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// distributions are the sources of the toolchain that runs the tests, and of all others in the module cache whose places are known.
func distributions(t *testing.T) (all []string) {
	t.Helper()
	tc := installed(t)
	all = append(all, filepath.Join(tc.GOROOT, "src"))
	others, err := filepath.Glob(filepath.Join(tc.GOMODCACHE, "golang.org", "toolchain@v0.0.1-go*."+tc.GOOS+"-"+tc.GOARCH))
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range others {
		_, version, _ := strings.Cut(filepath.Base(root), "-")
		if src := filepath.Join(root, "src"); (Toolchain{GOVERSION: strings.TrimSuffix(version, "."+tc.GOOS+"-"+tc.GOARCH)}).known() == nil && src != all[0] {
			all = append(all, src)
		}
	}
	return all
}

// names are the words of a list by reasons.
func names(lists map[string]string) map[string]bool {
	all := map[string]bool{}
	for _, list := range lists {
		for _, name := range strings.Fields(list) {
			all[name] = true
		}
	}
	return all
}

// sources calls each with the files of a package that are built for linux on an architecture, and have a word.
func sources(t *testing.T, src, dir, arch, word string, each func(f *ast.File)) {
	t.Helper()
	target := build.Default
	target.GOOS, target.GOARCH, target.CgoEnabled = "linux", arch, true
	entries, err := os.ReadDir(filepath.Join(src, dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		if ok, err := target.MatchFile(filepath.Join(src, dir), e.Name()); err != nil || !ok {
			continue
		}
		text, err := os.ReadFile(filepath.Join(src, dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(word)) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		each(f)
	}
}

// TestAllOfPoll: of each function of internal/poll that moves data, waits, or can be called from outside, it is known whether it is an
// operation.
func TestAllOfPoll(t *testing.T) {
	others, there := names(otherPolls), map[string]bool{}
	for _, src := range distributions(t) {
		sources(t, src, "internal/poll", "amd64", "func ", func(f *ast.File) {
			for _, d := range f.Decls {
				fd, ok := d.(*ast.FuncDecl)
				if !ok || fd.Body == nil {
					continue
				}
				name := fd.Name.Name
				if fd.Recv != nil {
					p, ok := fd.Recv.List[0].Type.(*ast.StarExpr)
					if !ok || p.X.(*ast.Ident).Name != "FD" {
						continue
					}
				}
				there[name] = true
				_, operation := operations[name]
				_, transfer := transfers[name]
				if known := operation || transfer || others[name] || strings.HasPrefix(name, "Setsockopt") || name == "String" || name == "Error"; !known && (fd.Name.IsExported() || waits(fd)) {
					t.Errorf("%s: internal/poll.%s is in no list", src, name)
				}
			}
		})
	}
	for name := range others {
		if !there[name] {
			t.Errorf("internal/poll has no %s", name)
		}
	}
}

// waits reports whether a function waits for a descriptor.
func waits(fd *ast.FuncDecl) (found bool) {
	ast.Inspect(fd.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "waitRead" || s.Sel.Name == "waitWrite") {
			found = true
		}
		return true
	})
	return found && fd.Name.Name != "waitRead" && fd.Name.Name != "waitWrite"
}

var numbered = regexp.MustCompile(`(?m)^\tSYS_([A-Z0-9_]+)\s*= (\d+)`)

// TestAllSystemCalls: each system call that the standard library makes is in a list, and each number is that of the distribution.
func TestAllSystemCalls(t *testing.T) {
	others, made := names(otherCalls), map[string]bool{}
	for _, src := range distributions(t) {
		for _, arch := range Architectures {
			text, err := os.ReadFile(filepath.Join(src, "syscall", "zsysnum_linux_"+arch+".go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range numbered.FindAllStringSubmatch(string(text), -1) {
				c, ok := calls[n[1]]
				number := c.amd64
				if arch == "arm64" {
					number = c.arm64
				}
				if ok && strconv.Itoa(number) != n[2] {
					t.Errorf("%s: the number of %s is %s on %s, and %d in the list", src, n[1], n[2], arch, number)
				}
			}
			for _, dir := range packages(t, src) {
				systemCallsOf(t, src, dir, arch, func(name string) {
					made[name] = true
					if _, ok := calls[name]; !ok && !others[name] {
						t.Errorf("%s, %s: %s makes the system call %s, which is in no list", src, arch, dir, name)
					}
				})
			}
		}
	}
	for name := range others {
		if _, ok := calls[name]; ok {
			t.Errorf("%s is in two lists", name)
		}
	}
	for _, name := range []string{"READ", "WRITE", "COPY_FILE_RANGE", "SENDFILE", "SPLICE", "WRITEV", "UNLINKAT"} {
		if !made[name] {
			t.Errorf("nothing makes the system call %s: it was not found", name)
		}
	}
}

// packages are the directories of the standard library, but for the runtime, whose system calls are none of the program.
func packages(t *testing.T, src string) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(src, path)
		switch {
		case err != nil || !d.IsDir():
			return err
		case rel == "cmd" || rel == "runtime" || rel == "vendor" || rel == "internal/runtime" || d.Name() == "testdata":
			return fs.SkipDir
		}
		dirs = append(dirs, rel)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// systemCallsOf calls each with the names of the system calls that a package makes.
func systemCallsOf(t *testing.T, src, dir, arch string, each func(name string)) {
	t.Helper()
	traps := map[string]string{} // constants of the package that stand for others
	var found []string
	sources(t, src, dir, arch, "yscall", func(f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if strings.HasSuffix(name.Name, "Trap") && i < len(n.Values) {
						traps[name.Name] = systemCallName(n.Values[i])
					}
				}
			case *ast.CallExpr:
				function := last(n.Fun)
				if len(n.Args) > 1 && strings.Contains(strings.ToLower(function), "syscall") {
					found = append(found, systemCallName(n.Args[0]))
				}
			}
			return true
		})
	})
	for _, name := range found {
		if of := traps[name]; of != "" {
			name = of
		}
		if strings.HasPrefix(name, "SYS_") {
			each(strings.TrimPrefix(name, "SYS_"))
		} else if strings.HasSuffix(name, "Trap") {
			each(map[string]string{"copyFileRangeTrap": "COPY_FILE_RANGE"}[name] + strings.TrimPrefix(name, "copyFileRangeTrap"))
		}
	}
}

// systemCallName is the name of a system call in an expression, "" if there is none.
func systemCallName(e ast.Expr) string {
	if name := last(e); strings.HasPrefix(name, "SYS_") || strings.HasSuffix(name, "Trap") {
		return name
	}
	return ""
}

// last is the last name of an expression such as syscall.SYS_READ.
func last(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.CallExpr: // a conversion
		if len(e.Args) == 1 {
			return last(e.Args[0])
		}
	}
	return ""
}
