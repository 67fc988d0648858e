package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// exportedForTests are the functions, variables and constants below engine that are exported although tests alone use them
// outside of their package, with the reason.
var exportedForTests = map[string]string{
	"engine/catalog.Functions":       "engine's tests go through all functions that a statement can call",
	"engine/mends.All":               "the list is for the test that switches each mend off, and for the page",
	"engine/mysqlfuncs.All":          "the package registers itself when it is imported",
	"engine/privilege.NodeKnown":     "engine's tests compare the list with go-mysql-server's nodes",
	"engine/privilege.Rules":         "engine's tests compare the rules with the statements that there are",
	"engine/rights.AuthorizedKind":   "engine's tests compare the rules with the statements that there are",
	"engine/rights.UnknownStatement": "engine's tests compare the rules with the statements that there are",
	"engine/rights.UsesOf":           "engine's tests compare the rules with the statements that there are",
	"engine/sqlexpr.ResultSizeOf":    "engine's tests hold the sizes that functions state to results",
	"engine/sqlexpr.SmallResult":     "engine's tests hold the sizes that functions state to results",
	"engine/statements.ShowKinds":    "engine's tests compare the kinds with the rules for them",
	"engine/usertables.NewTable":     "tableuse's benchmark observes a table without a storage",
	"engine/wire.Passed":             "connection's test names all commands that come to it",
}

// TestExportedNamesAreUsed: what a package below engine exports is used outside of it by more than tests, or has a reason. Types may
// have their names for values alone, constants that are declared together may be an enumeration, and errors are for errors.Is.
func TestExportedNamesAreUsed(t *testing.T) {
	const root = "../.."
	type file struct {
		dir  string
		tree *ast.File
	}
	var files []file
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata") {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		files = append(files, file{filepath.ToSlash(dir), tree})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	forTests := []string{"engine/neighbour", "engine/mends/mendtest"} // packages
	exported := map[string]bool{}
	declare := func(f file, id *ast.Ident) {
		if id.IsExported() && !strings.HasPrefix(id.Name, "Err") && strings.HasPrefix(f.dir, "engine/") && !strings.HasPrefix(f.dir, "engine/bench") && !slices.Contains(forTests, f.dir) {
			exported[f.dir+"."+id.Name] = true
		}
	}
	used := map[string]bool{}
	for _, f := range files {
		for _, d := range f.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					declare(f, d.Name)
				}
			case *ast.GenDecl:
				if d.Tok == token.CONST && len(d.Specs) > 1 {
					continue
				}
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok {
						for _, id := range v.Names {
							declare(f, id)
						}
					}
				}
			}
		}
		imports := map[string]string{}
		for _, i := range f.tree.Imports {
			p, _ := strconv.Unquote(i.Path.Value)
			name := path.Base(p)
			if i.Name != nil {
				name = i.Name.Name
			}
			if at := strings.Index(p, "engine/"); at >= 0 {
				imports[name] = p[at:]
			}
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && imports[x.Name] != "" {
					used[imports[x.Name]+"."+s.Sel.Name] = true
				}
			}
			return true
		})
	}
	for name := range exported {
		if !used[name] && exportedForTests[name] == "" {
			t.Errorf("%s is exported, and nothing but tests uses it outside of its package", name)
		}
	}
	for name := range exportedForTests {
		if !exported[name] || used[name] {
			t.Errorf("%s needs no reason", name)
		}
	}
}
