package weave

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// file is a file of the distribution that changes. err is the error for the first place that is not
// found.
type file struct {
	name  string
	text  []byte
	set   *token.FileSet
	tree  *ast.File
	edits []edit
	err   error
}

// edit replaces the bytes from at to end.
type edit struct {
	at, end int
	text    string
}

// open parses the file src/name.
func open(src, name string) *file {
	f := &file{name: name, set: token.NewFileSet()}
	if f.text, f.err = os.ReadFile(filepath.Join(src, filepath.FromSlash(name))); f.err == nil {
		f.tree, f.err = parser.ParseFile(f.set, name, f.text, parser.ParseComments|parser.SkipObjectResolution)
	}
	return f
}

// missing sets the error for a place that is not as expected.
func (f *file) missing(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("%s: %s", f.name, fmt.Sprintf(format, args...))
	}
}

func (f *file) offset(p token.Pos) int { return f.set.Position(p).Offset }

// source returns the text of a node.
func (f *file) source(n ast.Node) string { return string(f.text[f.offset(n.Pos()):f.offset(n.End())]) }

func (f *file) insert(at token.Pos, s string) {
	f.edits = append(f.edits, edit{f.offset(at), f.offset(at), s})
}

// function returns the only function or method with this name in the file, nil if there is none. The
// name can be that of a method of a type, such as Rows.close.
func (f *file) function(name string) *ast.FuncDecl {
	if f.err != nil {
		return nil
	}
	var found *ast.FuncDecl
	of, method, ofType := strings.Cut(name, ".")
	for _, d := range f.tree.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body == nil {
			continue
		}
		if fd.Name.Name == name || ofType && fd.Name.Name == method && fd.Recv != nil && strings.TrimPrefix(f.source(fd.Recv.List[0].Type), "*") == of {
			if found != nil {
				f.missing("two functions %s", name)
			}
			found = fd
		}
	}
	if found == nil {
		f.missing("no function %s", name)
	}
	return found
}

// structure returns the struct type with this name, nil if there is none.
func (f *file) structure(name string) *ast.StructType {
	if f.err != nil {
		return nil
	}
	var found *ast.StructType
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if ts, ok := n.(*ast.TypeSpec); ok && ts.Name.Name == name {
			found, _ = ts.Type.(*ast.StructType)
		}
		return true
	})
	if found == nil {
		f.missing("no struct %s", name)
	}
	return found
}

// field adds a field at the end of a struct.
func (f *file) field(structure, text string) {
	if s := f.structure(structure); s != nil {
		f.insert(s.Fields.Closing, text+"; ")
	}
}

// fieldAfter adds a field to a struct behind another one, which is "name type".
func (f *file) fieldAfter(structure, field, text string) {
	s := f.structure(structure)
	if s == nil {
		return
	}
	for _, l := range s.Fields.List {
		if len(l.Names) == 1 && l.Names[0].Name+" "+f.source(l.Type) == field {
			f.insert(l.End(), "; "+text)
			return
		}
	}
	f.missing("struct %s has no field %s", structure, field)
}

// fields checks the first fields of a struct. want has the expected fields as "name type".
func (f *file) fields(structure string, want ...string) {
	s := f.structure(structure)
	if s == nil {
		return
	}
	var have []string
	for _, l := range s.Fields.List {
		if len(l.Names) == 0 {
			have = append(have, f.source(l.Type))
		}
		for _, n := range l.Names {
			have = append(have, n.Name+" "+f.source(l.Type))
		}
	}
	if len(have) < len(want) || !slices.Equal(have[:len(want)], want) {
		f.missing("struct %s does not begin with %q", structure, want)
	}
}

// start adds statements at the start of a function.
func (f *file) start(function, text string) {
	if fd := f.function(function); fd != nil {
		f.insert(fd.Body.Lbrace+1, " "+text+";")
	}
}

// last adds statements before the last statement of a function.
func (f *file) last(function, text string) {
	if fd := f.function(function); fd != nil {
		if len(fd.Body.List) == 0 {
			f.missing("%s is empty", function)
			return
		}
		f.insert(fd.Body.List[len(fd.Body.List)-1].Pos(), text+"; ")
	}
}

// around adds statements before and after each statement of a function that has the text of
// statement. There must be exactly one, or with many at least one.
func (f *file) around(function, statement, before, after string, many bool) {
	fd := f.function(function)
	if fd == nil {
		return
	}
	n := 0
	ast.Inspect(fd.Body, func(x ast.Node) bool {
		s, ok := x.(ast.Stmt)
		if !ok || f.source(s) != statement {
			return true
		}
		n++
		if before != "" {
			f.insert(s.Pos(), before+"; ")
		}
		if after != "" {
			f.insert(s.End(), "; "+after)
		}
		return false
	})
	if n == 0 || n > 1 && !many {
		f.missing("%s has %q %d times", function, statement, n)
	}
}

// replace replaces calls within a function.
func (f *file) replace(function, call, by string) {
	fd := f.function(function)
	if fd == nil {
		return
	}
	n := 0
	ast.Inspect(fd.Body, func(x ast.Node) bool {
		if c, ok := x.(*ast.CallExpr); ok && f.source(c) == call {
			n++
			f.edits = append(f.edits, edit{f.offset(c.Pos()), f.offset(c.End()), by})
		}
		return true
	})
	if n == 0 {
		f.missing("%s has no %s", function, call)
	}
}

// clause adds statements at the start of the case of a function's select statement that waits for
// this.
func (f *file) clause(function, comm, text string) {
	fd := f.function(function)
	if fd == nil {
		return
	}
	n := 0
	ast.Inspect(fd.Body, func(x ast.Node) bool {
		if c, ok := x.(*ast.CommClause); ok && c.Comm != nil && f.source(c.Comm) == comm {
			n++
			f.insert(c.Colon+1, " "+text+";")
		}
		return true
	})
	if n != 1 {
		f.missing("%s waits for %q %d times", function, comm, n)
	}
}

// wait adds statements before the only select statement of a function that has no default, and at
// the start of each of its cases.
func (f *file) wait(function, before, after string) {
	fd := f.function(function)
	if fd == nil {
		return
	}
	n := 0
	ast.Inspect(fd.Body, func(x ast.Node) bool {
		s, ok := x.(*ast.SelectStmt)
		if !ok || slices.ContainsFunc(s.Body.List, func(c ast.Stmt) bool { return c.(*ast.CommClause).Comm == nil }) {
			return true
		}
		n++
		f.insert(s.Pos(), before+"; ")
		for _, c := range s.Body.List {
			f.insert(c.(*ast.CommClause).Colon+1, " "+after+";")
		}
		return true
	})
	if n != 1 {
		f.missing("%s has %d select statements that wait", function, n)
	}
}

// beforeIf adds statements before the only if statement of a function with this condition.
func (f *file) beforeIf(function, cond, text string) {
	fd := f.function(function)
	if fd == nil {
		return
	}
	n := 0
	ast.Inspect(fd.Body, func(x ast.Node) bool {
		if s, ok := x.(*ast.IfStmt); ok && f.source(s.Cond) == cond {
			n++
			f.insert(s.Pos(), text+"; ")
		}
		return true
	})
	if n != 1 {
		f.missing("%s asks %q %d times", function, cond, n)
	}
}

// literals sets a field in each literal of a struct in a function that sets another one so.
func (f *file) literals(function, structure, field, text string) {
	fd := f.function(function)
	if fd == nil {
		return
	}
	n := 0
	ast.Inspect(fd.Body, func(x ast.Node) bool {
		if l, ok := x.(*ast.CompositeLit); ok && l.Type != nil && f.source(l.Type) == structure && slices.ContainsFunc(l.Elts, func(e ast.Expr) bool { return f.source(e) == field }) {
			n++
			f.insert(l.Lbrace+1, text+", ")
		}
		return true
	})
	if n == 0 {
		f.missing("%s makes no %s with %s", function, structure, field)
	}
}

// parameter adds a parameter before the others of a function.
func (f *file) parameter(function, text string) {
	if fd := f.function(function); fd != nil {
		f.insert(fd.Type.Params.Opening+1, text+", ")
	}
}

// rename gives a function another name.
func (f *file) rename(fd *ast.FuncDecl, to string) {
	f.edits = append(f.edits, edit{f.offset(fd.Name.Pos()), f.offset(fd.Name.End()), to})
}

// renamed gives a function, or a method of a type, another name, so that another one can have its name.
func (f *file) renamed(function, to string) {
	if fd := f.function(function); fd != nil {
		f.rename(fd, to)
	}
}

// changed returns the text with the edits. It checks that the text still parses and has the same
// number of lines.
func (f *file) changed() ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	slices.SortStableFunc(f.edits, func(a, b edit) int { return a.at - b.at })
	var out []byte
	from := 0
	for _, e := range f.edits {
		out = append(append(out, f.text[from:e.at]...), e.text...)
		from = e.end
	}
	out = append(out, f.text[from:]...)
	if _, err := parser.ParseFile(token.NewFileSet(), f.name, out, parser.SkipObjectResolution); err != nil {
		return nil, fmt.Errorf("changed: %w", err)
	}
	return out, nil
}
