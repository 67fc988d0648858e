package tables

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tableComment is the fixed parts of the comment above a table's declaration.
type tableComment struct {
	text, file string
	mysql      string   // the last line's "performance_schema.x, since y", or "none"
	differs    []string // the texts of the Differs lines
}

var mysqlLine = regexp.MustCompile(`^MySQL: (none|performance_schema\.\w+, since \d+\.\d+(?:\.\d+)?)\.$`)

// tableComments reads the package's own source: the comment of each registered table.
func tableComments(t *testing.T) map[string]tableComment {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]tableComment{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.VAR {
				continue
			}
			if name, ok := registered(decl); ok {
				comments[name] = parseComment(file, decl.Doc.Text())
			}
		}
	}
	return comments
}

// registered returns the name of the table that a declaration registers.
func registered(decl *ast.GenDecl) (string, bool) {
	spec := decl.Specs[0].(*ast.ValueSpec)
	if len(spec.Values) != 1 {
		return "", false
	}
	call, ok := spec.Values[0].(*ast.CallExpr)
	if !ok {
		return "", false
	}
	if fun, ok := call.Fun.(*ast.Ident); !ok || fun.Name != "register" {
		return "", false
	}
	for _, e := range call.Args[0].(*ast.CompositeLit).Elts {
		kv := e.(*ast.KeyValueExpr)
		if kv.Key.(*ast.Ident).Name == "Name" {
			return strings.Trim(kv.Value.(*ast.BasicLit).Value, `"`), true
		}
	}
	return "", false
}

func parseComment(file, text string) tableComment {
	c := tableComment{text: text, file: file}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if d, ok := strings.CutPrefix(line, "Differs: "); ok {
			c.differs = append(c.differs, d)
		}
		c.mysql = ""
		if m := mysqlLine.FindStringSubmatch(line); m != nil {
			c.mysql = m[1]
		}
	}
	return c
}

func TestTableComments(t *testing.T) {
	comments := tableComments(t)
	for _, tb := range All() {
		c, ok := comments[tb.Name()]
		switch {
		case !ok:
			t.Errorf("%s is not declared by a single var with a comment", tb.Name())
		case c.file != tb.Name()+".go":
			t.Errorf("%s is declared in %s", tb.Name(), c.file)
		case c.mysql == "":
			t.Errorf("%s: the comment does not end with its MySQL line:\n%s", tb.Name(), c.text)
		case c.mysql != "none" && !strings.HasPrefix(c.mysql, "performance_schema."+tb.Name()+","):
			t.Errorf("%s: the comment is about %s", tb.Name(), c.mysql)
		}
		if !strings.HasSuffix(tb.Doc(), ".") || strings.Contains(tb.Doc(), "\n") {
			t.Errorf("%s: the documentation %q is not one sentence", tb.Name(), tb.Doc())
		}
	}
}

// units are the words that the documentation of a column must contain, by the column's name.
var units = []struct {
	column *regexp.Regexp
	unit   string
}{
	{regexp.MustCompile(`TIMER_(START|END|WAIT|READ|WRITE|MISC)$`), "picoseconds"},
	{regexp.MustCompile(`^BUCKET_TIMER_(LOW|HIGH)$`), "picoseconds"},
	{regexp.MustCompile(`^BUCKET_QUANTILE$`), "fraction"},
	{regexp.MustCompile(`^QUANTILE_`), "picoseconds"},
	{regexp.MustCompile(`BYTES`), "bytes"},
	{regexp.MustCompile(`MEMORY$`), "bytes"},
	{regexp.MustCompile(`^(PROCESSLIST_)?TIME$`), "seconds"},
	{regexp.MustCompile(`^TIMER_FREQUENCY$`), "per second"},
	{regexp.MustCompile(`^TIMER_RESOLUTION$`), "timer units"},
	{regexp.MustCompile(`^TIMER_OVERHEAD$`), "cycles"},
	{regexp.MustCompile(`COUNT|CONNECTIONS`), "ow many"},
}

func TestColumnDocumentation(t *testing.T) {
	for _, tb := range All() {
		for _, c := range tb.Columns() {
			if !strings.HasSuffix(c.Doc, ".") {
				t.Errorf("%s.%s: %q is not a sentence", tb.Name(), c.Name, c.Doc)
			}
			for _, u := range units {
				if u.column.MatchString(c.Name) && !strings.Contains(c.Doc, u.unit) {
					t.Errorf("%s.%s: %q does not say %s", tb.Name(), c.Name, c.Doc, u.unit)
				}
			}
		}
	}
}
