package weave

import (
	"bytes"
	"go/ast"
	"go/build"
	"os"
	"path/filepath"
	"strings"
)

// withoutEnds are the files of package runtime in which the process ends where there may be no goroutine, so that nothing can be written any more.
var withoutEnds = map[string]bool{"cgocall.go": true, "mem_linux.go": true, "os_linux.go": true}

// ends has the recording get a last moment wherever the runtime ends the process: in p, which is proc.go, and in the files that it returns.
func (w *woven) ends(p *file) ([]*file, error) {
	entries, err := os.ReadDir(filepath.Join(w.src, "runtime"))
	if err != nil {
		return nil, err
	}
	system := build.Default
	system.GOOS, system.GOARCH = "linux", Architectures[0]
	var others []*file
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || withoutEnds[name] {
			continue
		}
		if here, err := system.MatchFile(filepath.Join(w.src, "runtime"), name); err != nil || !here {
			continue
		}
		f := p
		if "runtime/"+name != p.name {
			if text, err := os.ReadFile(filepath.Join(w.src, "runtime", name)); err != nil || !bytes.Contains(text, []byte("exit(")) {
				continue
			}
			f = open(w.src, "runtime/"+name)
		}
		if f.beforeExits("recLast()"); name == "signal_unix.go" {
			f.start("dieFromSignal", "recLast()") // it sends the signal to the process itself, and seldom comes back
		}
		if f != p && (f.err != nil || len(f.edits) > 0) {
			others = append(others, f)
		}
	}
	return others, nil
}

// beforeExits adds statements before each call of exit.
func (f *file) beforeExits(text string) {
	if f.err != nil {
		return
	}
	ast.Inspect(f.tree, func(x ast.Node) bool {
		if s, ok := x.(*ast.ExprStmt); ok {
			if c, ok := s.X.(*ast.CallExpr); ok {
				if fn, ok := c.Fun.(*ast.Ident); ok && fn.Name == "exit" {
					f.insert(s.Pos(), text+"; ")
				}
			}
		}
		return true
	})
}
