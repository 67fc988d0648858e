package engine

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestClientsAreNeeded: every test of the module that runs a program which a machine can lack, itself or by a function that it
// calls, says needClient first, and make clients runs each test of a client. The go command, make, the test's own binary, and
// what the test builds (a variable of the name built) are always there.
func TestClientsAreNeeded(t *testing.T) {
	oneAtATime(t)
	packages := map[string]map[string]*testFunction{} // by directory, and by the function's name
	files := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "node_modules" || d.Name() == "clients" || d.Name() == ".git") {
			if err == nil {
				err = filepath.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := goparser.ParseFile(files, path, nil, goparser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		if packages[dir] == nil {
			packages[dir] = map[string]*testFunction{}
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
				packages[dir][fn.Name.Name] = newTestFunction(fn)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(clientDir + "/run")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`-run '(\S+)' ./engine `).FindSubmatch(script)
	if list == nil {
		t.Fatal("testdata/clients/run has no list of the engine's tests")
	}
	listed := regexp.MustCompile(string(list[1]))
	clients := 0
	for dir, all := range packages {
		for name, f := range all {
			if !strings.HasPrefix(name, "Test") && !strings.HasPrefix(name, "Benchmark") && !strings.HasPrefix(name, "Fuzz") {
				continue
			}
			runs, needs := f.reaches(all, map[*testFunction]bool{})
			if runs && !needs {
				t.Errorf("%s of %s runs a program, and does not call needClient", name, dir)
			}
			if needs && strings.HasPrefix(name, "Test") && (dir != filepath.FromSlash("../engine") || !listed.MatchString(name)) {
				t.Errorf("testdata/clients/run does not run %s of %s", name, dir)
			}
			if runs && needs {
				clients++
			}
		}
	}
	if clients < 10 {
		t.Errorf("only %d tests run clients", clients)
	}
}

// testFunction is what a function of a test does and names.
type testFunction struct {
	runs, needs bool // a program that can be missing; it calls needClient
	names       []string
}

func newTestFunction(fn *ast.FuncDecl) *testFunction {
	f := &testFunction{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			f.needs = f.needs || n.Name == "needClient"
			f.names = append(f.names, n.Name)
		case *ast.CallExpr:
			s, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := s.X.(*ast.Ident)
			if !ok || of.Name != "exec" || !strings.HasPrefix(s.Sel.Name, "Command") {
				return true
			}
			program := n.Args[0]
			if s.Sel.Name == "CommandContext" {
				program = n.Args[1]
			}
			literal, ok := program.(*ast.BasicLit)
			own, isIndex := program.(*ast.IndexExpr) // os.Args[0]
			if isIndex {
				args, ok := own.X.(*ast.SelectorExpr)
				isIndex = ok && args.Sel.Name == "Args"
			}
			name, isName := program.(*ast.Ident)
			isOwn := isIndex || isName && (name.Name == "tested" || name.Name == "built") // a link to os.Args[0], what the test has built
			f.runs = f.runs || !isOwn && (!ok || literal.Value != `"go"` && literal.Value != `"sh"` && literal.Value != `"make"`)
		}
		return true
	})
	return f
}

// reaches tells what the function and those that it names do.
func (f *testFunction) reaches(all map[string]*testFunction, seen map[*testFunction]bool) (runs, needs bool) {
	if f == nil || seen[f] {
		return false, false
	}
	seen[f] = true
	runs, needs = f.runs, f.needs
	for _, name := range f.names {
		if name == "missing" || name == "needClient" {
			continue // these look for the program
		}
		r, n := all[name].reaches(all, seen)
		runs, needs = runs || r, needs || n
	}
	return runs, needs
}
