package mends

import (
	"flag"
	"fmt"
	goast "go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var rewritePage = flag.Bool("rewrite", false, "write docs/mends.md anew")

const mendsPage = "../../docs/mends.md"

// TestMendsDocumented: docs/mends.md is what the list of mends says.
func TestMendsDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Mends of go-mysql-server

go-mysql-server, and the parser vitess that it uses, do some things otherwise than MySQL. This is the list of what the server does as MySQL
instead. It attaches to them through their public extension points, where a table, a view of ` + "`sys`" + ` or a recorded statement of a client ([clients.md](clients.md)) needs it. A function is mended for no other reason:
general compatibility is go-mysql-server's work. The general functions that there are stand apart in ` + "`engine/mysqlfuncs`" + `, which the build
tag ` + "`nomysqlfuncs`" + ` leaves out. The rules for texts that vitess cannot parse have a list of their own, ` + "`engine/syntax`" + `; ` + "`TestExamplesOfRules`" + ` there
fails when one of them is no longer needed.

Each mend has a canary. Most canaries are statements: with the mend the last of them has MySQL's answer, and without it another one.
` + "`TestMendsAreNeeded`" + ` switches each mend off alone, and fails where the answer is still MySQL's: then the mend can be dropped. Where no
statement shows the difference, the canary is a test that asks go-mysql-server without the mend.

The column "files" says where each one is, from ` + "`engine`" + `: a package for each topic, ` + "`engine/mends/doc.go`" + ` names them.

To add a mend, write it in a file of its topic's package, with a comment "go-mysql-server: ... MySQL: ...", and put it on the list in
` + "`engine/mends/mends.go`" + ` with its files and its canary; ` + "`make mends`" + ` makes this page. ` + "`TestEveryMendIsListed`" + ` finds files with such a comment
that no mend of the list names.
`)
	way := Way("")
	for _, m := range All() {
		byStatements := len(m.Canary.Statements) > 0 && m.Canary.Answer != ""
		if m.Name == "" || m.GMS == "" || m.MySQL == "" || len(m.Files) == 0 || byStatements == (m.Canary.Test != "") {
			t.Errorf("%q says too little", m.Name)
		}
		if m.Way != way {
			way = m.Way
			fmt.Fprintf(&b, "\n## By way of: %s\n\n| mend | go-mysql-server | MySQL | canary | files | reported |\n| --- | --- | --- | --- | --- | --- |\n", way)
		}
		reported := m.Upstream
		if reported == "" {
			reported = "not reported"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", cell(m.Name), cell(m.GMS), cell(m.MySQL), canaryCell(m.Canary), strings.Join(m.Files, " "), reported)
	}
	if *rewritePage {
		if err := os.WriteFile(mendsPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(mendsPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != b.String() {
		t.Error("docs/mends.md is not what the list of mends says: make mends writes it")
	}
}

// cell is a text for a cell of a table of the page.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(s)
}

// maxStatement is how many characters of a canary's statement the page shows.
const maxStatement = 250

// canaryCell is a canary for the page.
func canaryCell(c Canary) string {
	if c.Test != "" {
		return "`" + c.Test + "`"
	}
	last := c.Statements[len(c.Statements)-1]
	if len(last) > maxStatement {
		last = last[:maxStatement] + " ..."
	}
	code := func(s string) string {
		if strings.Contains(s, "`") {
			return "`` " + cell(s) + " ``"
		}
		return "`" + cell(s) + "`"
	}
	return code(last) + " is " + code(c.Answer)
}

// TestMendsAreNamedOnce: no two mends have the same name.
func TestMendsAreNamedOnce(t *testing.T) {
	names := map[string]bool{}
	for _, m := range All() {
		if names[m.Name] {
			t.Errorf("%s stands twice in the list", m.Name)
		}
		names[m.Name] = true
	}
}

// topics are the packages that have nothing but mends, each with its files that several mends share.
var topics = map[string][]string{
	"grammar":  {"renamedtable.go"},
	"sqlvalue": {"decimals.go", "documents.go", "jsonpath.go", "number.go", "pace.go", "packet.go", "temporal.go"},
	"sqlexpr": {
		"call.go", "decimaldefaults.go", "expressionrules.go", "internalnames.go", "numberclass.go", "typecache.go", "weight.go",
	},
	"builtins":   {"fraction.go", "valuefunction.go"},
	"resultsize": nil,
	"alldigits":  nil,
	"settypes":   nil,
	"executor":   {"order.go", "rowhash.go", "rowset.go", "sortfields.go"},
	"sqltree":    {"treerules.go"},
	"routine":    nil,
	"planning":   {"rules.go"},
	"globals":    nil,
}

// mendComment is in the comment of what differs from go-mysql-server or vitess.
var mendComment = regexp.MustCompile(`(?m)^\s*//(.*[.!])? (go-mysql-server|vitess): `)

// asksMend is where a file asks whether a mend is on.
var asksMend = regexp.MustCompile(`\bmends\.[A-Z]\w*\.On\(\)`)

// TestEveryMendIsListed: each file of the topics belongs to a mend of the list or is shared by several, and each other file of the engine
// that says in a comment what go-mysql-server does and what MySQL does belongs to one.
func TestEveryMendIsListed(t *testing.T) {
	belongs := map[string]bool{}
	for topic, shared := range topics {
		for _, f := range append(shared, "doc.go") {
			belongs[topic+"/"+f] = true
		}
	}
	for _, m := range All() {
		for _, f := range m.Files {
			belongs[f] = true
			if _, err := os.Stat(filepath.Join("..", f)); err != nil {
				t.Errorf("%s: %v", m.Name, err)
			}
		}
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel("..", path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		dir := filepath.ToSlash(filepath.Dir(name))
		if belongs[name] || dir != "." && belongs[dir+"/"] || dir == "syntax" || dir == "mends" {
			return nil
		}
		text, err := os.ReadFile(path)
		switch {
		case err != nil:
			return err
		case mendComment.Match(text) && !asksMend.Match(text):
			t.Errorf("engine/%s says what go-mysql-server does otherwise, and belongs to no mend of the list", name)
		case slices.Contains(slices.Collect(maps.Keys(topics)), dir):
			t.Errorf("engine/%s belongs to no mend of the list", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCanariesOfTests: a test that is the canary of a mend is there, and asks go-mysql-server without it. The file that
// it says can go is there.
func TestCanariesOfTests(t *testing.T) {
	files, err := filepath.Glob("../*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	asks := map[string]bool{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if f, ok := d.(*goast.FuncDecl); ok {
				goast.Inspect(f, func(n goast.Node) bool {
					if id, ok := n.(*goast.Ident); ok && id.Name == "NoLongerNeeded" {
						asks[f.Name.Name] = true
					}
					if call, ok := n.(*goast.CallExpr); ok && len(call.Args) == 2 && strings.HasSuffix(types.ExprString(call.Fun), "NoLongerNeeded") {
						if text, ok := call.Args[1].(*goast.BasicLit); ok {
							names := strings.Fields(strings.Trim(text.Value, `"`))
							if _, err := os.Stat(filepath.Join(filepath.Dir(name), names[len(names)-1])); err != nil {
								t.Errorf("%s: %s names a file that can go: %v", name, f.Name.Name, err)
							}
						}
					}
					return true
				})
			}
		}
	}
	for _, m := range All() {
		if test := m.Canary.Test; test != "" && !asks[test] {
			t.Errorf("%s: no test %s asks go-mysql-server without it", m.Name, test)
		}
	}
}
