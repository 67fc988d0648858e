// Command goroutines tells which tests the race detector helps, from the source of packages.
//
//	goroutines DIR...
//
// prints lines of these kinds, of which the last two name tests as a pattern, TestA|TestB:
//
//	raced DIR              a package whose code or tests start goroutines
//	plain DIR              one without
//	single DIR PATTERN     tests of a raced package that start no goroutine, if it is a server or nothing else in it starts one
//	differs DIR PATTERN    tests of a raced package that ask for the race detector, or count allocations, which differ under it
//
// A server's goroutines do not count: a test that sends it one statement after another waits for each. A test of which another package
// has the name is not single, as go test -skip takes one pattern for all packages.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	starts = []string{"Go", "Parallel", "RunParallel", "AfterFunc"} // methods and functions that start goroutines
	// libraries call what is tested from goroutines of their own.
	libraries = regexp.MustCompile(`^"(net/http|database/sql|google.golang.org/grpc|go.opentelemetry.io)\b`)
	differs   = []string{"raceEnabled", "AllocsPerRun"}
	isTest    = regexp.MustCompile(`^(Test|Fuzz|Example)`)
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("goroutines: ")
	packages := make([]*pkg, len(os.Args)-1)
	named := map[string]int{} // how many packages have a test of this name
	for i, dir := range os.Args[1:] {
		p, err := read(dir)
		if err != nil {
			log.Fatal(err)
		}
		packages[i] = p
		for name := range p.tests {
			named[name]++
		}
	}
	for _, p := range packages {
		concurrent := p.using(func(f *ast.FuncDecl) bool { return has(f, startsGoroutine) })
		if !p.starts && len(concurrent) == 0 {
			fmt.Println("plain", p.dir)
			continue
		}
		fmt.Println("raced", p.dir)
		if !p.starts && !p.called || p.serves {
			p.print("single", func(name string) bool { return !concurrent[name] && named[name] == 1 })
		}
		differing := p.using(func(f *ast.FuncDecl) bool { return has(f, isNamed(differs)) })
		p.print("differs", func(name string) bool { return differing[name] })
	}
}

// pkg is a package, and the functions of its test files by name. Methods have a point before their name, and several types can have one
// of the same name.
type pkg struct {
	dir    string
	starts bool // its own code starts goroutines
	called bool // its tests use a library that does
	serves bool // its tests start a server
	tests  map[string][]*ast.FuncDecl
}

func read(dir string) (*pkg, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	p := &pkg{dir: dir, tests: map[string][]*ast.FuncDecl{}}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(path, "_test.go") {
			p.starts = p.starts || has(file, startsGoroutine)
			continue
		}
		p.serves = p.serves || has(file, onlyServes)
		p.called = p.called || slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return libraries.MatchString(i.Path.Value) })
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				name = "." + name
			}
			p.tests[name] = append(p.tests[name], f)
		}
	}
	return p, nil
}

// print prints a line of a kind, with the tests that are chosen, if any is.
func (p *pkg) print(kind string, chosen func(name string) bool) {
	var names []string
	for name := range p.tests {
		if isTest.MatchString(name) && name != "TestMain" && chosen(name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		slices.Sort(names)
		fmt.Println(kind, p.dir, strings.Join(names, "|"))
	}
}

// using returns the functions of the test files that are of a kind, or use one that is.
func (p *pkg) using(isKind func(*ast.FuncDecl) bool) map[string]bool {
	found := map[string]bool{}
	for name, functions := range p.tests {
		if slices.ContainsFunc(functions, isKind) {
			found[name] = true
		}
	}
	uses := func(f *ast.FuncDecl) bool {
		return has(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				return found["."+n.Sel.Name]
			case *ast.Ident: // that of a variable, where the file declares it as something else than a function
				return found[n.Name] && (n.Obj == nil || n.Obj.Kind == ast.Fun)
			}
			return false
		})
	}
	for before := -1; before < len(found); {
		before = len(found)
		for name, functions := range p.tests {
			if !found[name] && slices.ContainsFunc(functions, uses) {
				found[name] = true
			}
		}
	}
	return found
}

// has tells whether a node or one below it is of a kind.
func has(n ast.Node, isKind func(ast.Node) bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		found = found || n != nil && isKind(n)
		return !found
	})
	return found
}

func isNamed(names []string) func(ast.Node) bool {
	return func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		return ok && slices.Contains(names, id.Name)
	}
}

// startsGoroutine tells whether this node starts a goroutine that does more than serve.
func startsGoroutine(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return !onlyServes(n)
	case *ast.SelectorExpr:
		return slices.Contains(starts, n.Sel.Name)
	}
	return false
}

// onlyServes tells whether this node is a goroutine that runs a server: go func() { served <- s.Serve(ctx) }().
func onlyServes(n ast.Node) bool {
	g, ok := n.(*ast.GoStmt)
	if !ok {
		return false
	}
	f, ok := g.Call.Fun.(*ast.FuncLit)
	if !ok || len(f.Body.List) != 1 {
		return false
	}
	send, ok := f.Body.List[0].(*ast.SendStmt)
	if !ok {
		return false
	}
	call, ok := send.Value.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && method.Sel.Name == "Serve"
}
