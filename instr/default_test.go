package instr

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"strings"
	"testing"
)

// Each exported method of Registry has a function of the same name and type for the default registry. Only the two handles have
// none: their names are those of types, and Default.Reader() and Default.Setup() are as short. A constructor with type
// parameters, which cannot be a method, has a form ...In for a registry. So a program that has no registry of its own needs none.
func TestRegistryMethodsHavePackageForms(t *testing.T) {
	fset := token.NewFileSet()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	functions, methods, types := map[string]*ast.FuncDecl{}, map[string]*ast.FuncDecl{}, map[string]bool{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, f.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch {
				case !d.Name.IsExported():
				case d.Recv == nil:
					functions[d.Name.Name] = d
				case source(t, fset, d.Recv.List[0].Type) == "*Registry":
					methods[d.Name.Name] = d
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						types[s.Name.Name] = true
					}
				}
			}
		}
	}
	if len(methods) < 30 {
		t.Fatalf("only %d methods are found", len(methods))
	}
	forDefault := func(name string, f *ast.FuncDecl) {
		if !strings.Contains(source(t, fset, f.Body), "Default") {
			t.Errorf("%s is not for the default registry", name)
		}
	}
	for name, m := range methods {
		f := functions[name]
		switch {
		case types[name]:
		case f == nil:
			t.Errorf("Registry.%s has no form for the default registry", name)
		default:
			if got, want := source(t, fset, f.Type), source(t, fset, m.Type); got != want {
				t.Errorf("%s is a %s, and the method a %s", name, got, want)
			}
			forDefault(name, f)
		}
	}
	for name, f := range functions {
		if f.Type.TypeParams == nil || strings.HasSuffix(name, "In") {
			continue
		}
		in := functions[name+"In"]
		if in == nil {
			t.Errorf("%s has no form for a registry, %sIn", name, name)
			continue
		}
		got, want := source(t, fset, in.Type), source(t, fset, f.Type)
		if !strings.Contains(got, "(r *Registry, ") || strings.Replace(got, "r *Registry, ", "", 1) != want {
			t.Errorf("%sIn is a %s, and %s a %s", name, got, name, want)
		}
		forDefault(name, f)
	}
}

// source prints a part of a file.
func source(t *testing.T, fset *token.FileSet, n ast.Node) string {
	t.Helper()
	var b bytes.Buffer
	if err := printer.Fprint(&b, fset, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
