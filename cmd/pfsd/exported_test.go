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

// exportedForTests are the functions, variables and constants below engine that are exported
// although only tests use them outside of their package, with the reason.
var exportedForTests = map[string]string{
	"engine/mends.All":               "the list is for the test that switches each mend off, and for the page",
	"engine/mysqlfuncs.All":          "the package registers itself when it is imported",
	"engine/privilege.NodeKnown":     "engine's tests compare the list with go-mysql-server's nodes",
	"engine/privilege.Rules":         "engine's tests compare the rules with the statements that there are",
	"engine/rights.AuthorizedKind":   "engine's tests compare the rules with the statements that there are",
	"engine/rights.UnknownStatement": "engine's tests compare the rules with the statements that there are",
	"engine/rights.UsesOf":           "engine's tests compare the rules with the statements that there are",
	"engine/resultsize.Of":           "engine's tests hold the sizes that functions state to results",
	"engine/resultsize.SmallResult":  "engine's tests hold the sizes that functions state to results",
	"engine/statements.ShowKinds":    "engine's tests compare the kinds with the rules for them",
	"engine/usertables.NewTable":     "tableuse's benchmark observes a table without a storage",
	"engine/wire.Passed":             "connection's test names all commands that come to it",
}

// TestExportedNamesAreUsed: what a package below engine exports is used outside of it, and not only
// by tests, or it has a reason. Three kinds of names are not checked: types, because programs may
// use only their values; constants that are declared together, because they may be an enumeration;
// and errors, because they are for errors.Is.
func TestExportedNamesAreUsed(t *testing.T) {
	files := goFiles(t, func(name string) bool { return !strings.HasSuffix(name, "_test.go") })
	forTests := []string{"engine/neighbour", "engine/incident", "engine/mends/mendtest"} // packages that are only for tests
	exported := map[string]bool{}
	declare := func(f goFile, id *ast.Ident) {
		if id.IsExported() && !strings.HasPrefix(id.Name, "Err") && strings.HasPrefix(f.dir, "engine/") && !strings.HasPrefix(f.dir, "engine/bench") && f.dir != "engine/differential" && !slices.Contains(forTests, f.dir) {
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

// goFile is a parsed file of the module, with its directory.
type goFile struct {
	dir, name string
	tree      *ast.File
}

// goFiles parses the files of the module for whose names wanted returns true.
func goFiles(t *testing.T, wanted func(name string) bool) (files []goFile) {
	t.Helper()
	const root = "../.."
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata") || !wanted(d.Name()) {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		files = append(files, goFile{filepath.ToSlash(dir), d.Name(), tree})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// exportedOfInstr are the names of package instr that are exported although only tests use them
// outside of it, with the reason.
var exportedOfInstr = map[string]string{
	"HasGoroutineThreads":  "a program asks whether its goroutines become threads by themselves",
	"HasThreadLookup":      "a program asks whether it must use the methods that take a *Thread",
	"NoTableIO":            "tests of tables compute with it, and it is to TableIO what NoStat is to Stat",
	"Setup.ObjectSwitches": "tests of tables compare it with the rows of setup_objects",
	"Setup.SetClock":       "tests of tables set the clock",
}

// TestExportedNamesOfInstrAreUsed: each exported name of package instr has a use. Another package
// of the module or an example uses it; or it is a constructor of Registry, or the form of one for
// the default registry; or it belongs to a type that programs get: it is a method of a type other
// than Registry, Reader and Setup, or a type in the declaration of another exported name. Constants
// that are declared together count as an enumeration.
func TestExportedNamesOfInstrAreUsed(t *testing.T) {
	const pkg = "instr"
	used, selected := map[string]bool{}, map[string]bool{} // instr.Name and x.Name
	var own []goFile
	for _, f := range goFiles(t, func(name string) bool {
		return !strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "example_")
	}) {
		if f.dir == pkg && !strings.HasSuffix(f.name, "_test.go") {
			own = append(own, f)
			continue
		}
		imported := ""
		for _, i := range f.tree.Imports {
			if p, _ := strconv.Unquote(i.Path.Value); path.Base(p) == pkg {
				imported = pkg
				if i.Name != nil {
					imported = i.Name.Name
				}
			}
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				selected[n.Sel.Name] = true
				if x, ok := n.X.(*ast.Ident); ok && imported != "" && x.Name == imported {
					used[n.Sel.Name] = true
				}
			case *ast.InterfaceType: // such as tables.Model, through which tables read
				for _, m := range n.Methods.List {
					for _, id := range m.Names {
						selected[id.Name] = true
					}
				}
			}
			return true
		})
	}
	methods := map[string]bool{}   // methods of Registry
	exported := map[string]bool{}  // exported names, and whether something uses each
	mentioned := map[string]bool{} // names in the declaration of another exported name
	mention := func(n ast.Node, but string) {
		ast.Inspect(n, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok && len(f.Names) > 0 && !slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) && but != "" {
				return false // an unexported field
			}
			if id, ok := n.(*ast.Ident); ok && id.Name != but {
				mentioned[id.Name] = true
			}
			return true
		})
	}
	isHandle := map[string]bool{"Registry": true, "Reader": true, "Setup": true}
	var types []string
	for _, f := range own {
		for _, d := range f.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !d.Name.IsExported() {
					continue
				}
				mention(d.Type, "")
				if d.Recv == nil {
					exported[d.Name.Name] = used[d.Name.Name]
					continue
				}
				receiver := receiverName(d)
				if receiver == "Registry" {
					methods[d.Name.Name] = true
				} else if isHandle[receiver] {
					exported[receiver+"."+d.Name.Name] = selected[d.Name.Name]
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() {
							types = append(types, s.Name.Name)
							mention(s.Type, s.Name.Name)
						}
					case *ast.ValueSpec:
						if d.Tok == token.CONST && len(d.Specs) > 1 {
							if s.Type != nil {
								mention(s.Type, "")
							}
							continue
						}
						for _, id := range s.Names {
							if id.IsExported() && !strings.HasPrefix(id.Name, "Err") {
								exported[id.Name] = used[id.Name]
							}
						}
					}
				}
			}
		}
	}
	for _, name := range types {
		exported[name] = used[name] || mentioned[name]
	}
	if len(exported) < 200 {
		t.Fatalf("only %d exported names are found", len(exported))
	}
	for name, used := range exported {
		_, hasIn := exported[name+"In"]
		if used || methods[name] || hasIn || strings.HasSuffix(name, "In") {
			if exportedOfInstr[name] != "" {
				t.Errorf("%s needs no reason", name)
			}
		} else if exportedOfInstr[name] == "" {
			t.Errorf("%s.%s is exported, and neither another package nor an example uses it", pkg, name)
		}
	}
	for name := range exportedOfInstr {
		if _, ok := exported[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}
}

// receiverName returns the name of the type that a method belongs to.
func receiverName(f *ast.FuncDecl) string {
	x := f.Recv.List[0].Type
	if p, ok := x.(*ast.StarExpr); ok {
		x = p.X
	}
	if g, ok := x.(*ast.IndexExpr); ok {
		x = g.X
	}
	id, _ := x.(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name
}
