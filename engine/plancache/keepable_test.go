package plancache

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// TestKeptTypesAreThere: each type that plans may have is there; one that has another name is refused from then on, and nobody sees why
// statements are slower.
func TestKeptTypesAreThere(t *testing.T) {
	types := map[string]bool{} // by package and name
	for _, where := range []string{
		"engine/alldigits", "engine/collations", "engine/executor", "engine/functions", "engine/sqlexpr", "engine/sysschema",
		"github.com/dolthub/go-mysql-server/sql", "github.com/dolthub/go-mysql-server/sql/expression", "github.com/dolthub/go-mysql-server/sql/expression/function",
		"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation", "github.com/dolthub/go-mysql-server/sql/expression/function/aggregation/window",
		"github.com/dolthub/go-mysql-server/sql/plan",
	} {
		dir := filepath.Join("..", path.Base(where))
		if !strings.HasPrefix(where, "engine/") {
			p, err := build.Import(where, ".", build.FindOnly)
			if err != nil {
				t.Fatal(err)
			}
			dir = p.Dir
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", where, len(files), err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.TypeSpec); ok {
					types[path.Base(where)+"."+s.Name.Name] = true
				}
				return true
			})
		}
	}
	for _, set := range []map[string]bool{keptNodes, keptExpressions} {
		for name := range maps.Keys(set) {
			if !types[strings.TrimPrefix(name, "*")] {
				t.Errorf("no package has a type %s", name)
			}
		}
	}
}
