package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The largest sizes of packages and functions in which one can find one's way, in lines of Go
// without tests.
const (
	packageLines  = 6_000
	engineLines   = 3_000 // engine only connects other packages
	functionLines = 80    // the comment of a longer function says why it is long
)

// largePackages are packages with more than packageLines, with the reason.
var largePackages = map[string]string{
	"instr": "it is one protocol over fields that are nobody else's: a second package would export what writers and readers must agree on",
	"tables": "a table is one file, and there are more than a hundred; the row sources and column groups that they share are 1,800 lines, so that a " +
		"package without them would still be over the limit, and all that they share would have to be exported",
}

// longReason matches the reason in the comment of a long function.
var longReason = regexp.MustCompile(`\bone case for each\b|\bin one case\b|\bin one piece\b|\bone entry for each\b`)

// packageDoc are statements that each doc.go contains, in addition to the purpose of the package.
var packageDoc = []struct {
	what string
	says *regexp.Regexp
}{
	{"who calls it", regexp.MustCompile(`\bCalled by\b`)},
	{"what it calls", regexp.MustCompile(`\b[Cc]alls\b|\bCalls?:`)},
	{"where to begin reading", regexp.MustCompile(`\bBegin reading\b`)},
}

// fileName matches the name of a Go file in a comment.
var fileName = regexp.MustCompile(`(^|[\s(])([a-z0-9_]+\.go)\b`)

// TestYardsticks: no package is too large and no function too long without a reason, and each package says what it is for, who calls it,
// what it calls, and where to begin reading.
func TestYardsticks(t *testing.T) {
	const root = "../.."
	type pkg struct {
		lines    int
		exported int // names, methods of exported types included
		doc      string
		files    map[string]bool
	}
	packages := map[string]*pkg{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		if dir = filepath.ToSlash(dir); !inOrder(dir) {
			return nil // data of tests and of the recorder
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p := packages[dir]
		if p == nil {
			p = &pkg{files: map[string]bool{}}
			packages[dir] = p
		}
		p.lines += set.File(tree.Pos()).LineCount()
		p.files[filepath.Base(name)] = true
		if filepath.Base(name) == "doc.go" {
			p.doc = strings.Join(strings.Fields(tree.Doc.Text()), " ")
		}
		for _, d := range tree.Decls {
			p.exported += exportedNames(d)
			f, ok := d.(*ast.FuncDecl)
			if !ok || set.Position(f.End()).Line-set.Position(f.Pos()).Line < functionLines {
				continue
			}
			if comment := strings.Join(strings.Fields(f.Doc.Text()), " "); !longReason.MatchString(comment) {
				t.Errorf("%s: %s has more than %d lines, and its comment does not say why", set.Position(f.Pos()), f.Name.Name, functionLines)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		p, limit := packages[dir], packageLines
		t.Logf("%-24s %3d files %6d lines %5d exported names", dir, len(p.files), p.lines, p.exported)
		if dir == "engine" {
			limit = engineLines
		}
		_, large := largePackages[dir]
		if p.lines > limit && !large {
			t.Errorf("%s has %d lines, more than %d", dir, p.lines, limit)
		}
		if p.lines <= limit && large {
			t.Errorf("%s has %d lines and needs no exception", dir, p.lines)
		}
		if p.doc == "" {
			t.Errorf("%s has no doc.go with the comment of the package", dir)
			continue
		}
		for _, want := range packageDoc {
			if !want.says.MatchString(p.doc) {
				t.Errorf("%s/doc.go does not say %s", dir, want.what)
			}
		}
		for _, m := range fileName.FindAllStringSubmatch(p.doc, -1) {
			if !p.files[m[2]] && !strings.HasSuffix(m[2], "_test.go") {
				t.Errorf("%s/doc.go names %s, which does not exist", dir, m[2])
			}
		}
	}
}

// exportedNames counts the names that a declaration exports.
func exportedNames(d ast.Decl) (n int) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() {
			return 0
		}
		if d.Recv == nil {
			return 1
		}
		of := d.Recv.List[0].Type
		if s, ok := of.(*ast.StarExpr); ok {
			of = s.X
		}
		if x, ok := of.(*ast.IndexExpr); ok {
			of = x.X
		}
		if name, ok := of.(*ast.Ident); ok && name.IsExported() {
			return 1
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						n++
					}
				}
			}
		}
	}
	return n
}

// TestReadmeLinksDocs: README.md links each page of docs.
func TestReadmeLinksDocs(t *testing.T) {
	const root = "../.."
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		if link := "(docs/" + filepath.Base(page) + ")"; !strings.Contains(string(readme), link) {
			t.Errorf("README.md does not link %s", link)
		}
	}
}

// inOrder tells whether a package is in the order.
func inOrder(dir string) bool {
	for _, p := range order {
		if p.path == path.Clean(dir) {
			return true
		}
	}
	return false
}
