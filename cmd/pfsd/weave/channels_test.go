package weave

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// otherChannels are functions in which values leave a channel that nobody receives, by the reason.
var otherChannels = map[string]string{"a timer that is stopped takes back what nobody has received": "timerchandrain"}

// Wherever a value goes into a channel or out of it, or is handed over to a goroutine that waits, the channel is told who has done that, with the sources of each version of Go.
func TestEachOperationOnAChannel(t *testing.T) {
	others := names(otherChannels)
	for _, src := range distributions(t) {
		w := woven{src: src, files: map[string][]byte{}}
		if err := w.channels(); err != nil {
			t.Fatal(err)
		}
		found := 0
		for name, text := range w.files {
			set := token.NewFileSet()
			tree, err := parser.ParseFile(set, name, text, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range tree.Decls {
				fd, ok := d.(*ast.FuncDecl)
				if !ok || fd.Body == nil || others[fd.Name.Name] {
					continue
				}
				found += operationsIn(fd, func(p token.Pos) { t.Errorf("%s: %s: who has done it is not told", src, set.Position(p)) })
			}
			for _, name := range []string{"send", "recv"} {
				if !strings.HasSuffix(set.File(tree.Pos()).Name(), "chan.go") {
					continue
				}
				if !strings.Contains(string(text), "func "+name+"(c *hchan, sg *sudog, ep unsafe.Pointer, unlockf func(), skip int) { if recOn { rec") {
					t.Errorf("%s: in %s who waits is not told", src, name)
				}
			}
		}
		if found != 8 {
			t.Errorf("%s: %d operations on channels, not 8: two of a buffer and two with who waits, in channel operations and in select statements", src, found)
		}
	}
}

// operationsIn counts the operations on channels in a function, and calls missing for those before which nothing is recorded.
func operationsIn(fd *ast.FuncDecl, missing func(token.Pos)) (n int) {
	look := func(list []ast.Stmt) {
		for i, s := range list {
			if l, ok := s.(*ast.LabeledStmt); ok {
				s = l.Stmt
			}
			if !operates(s) {
				continue
			}
			n++
			if i > 0 {
				if before, ok := list[i-1].(*ast.IfStmt); ok {
					if cond, ok := before.Cond.(*ast.Ident); ok && cond.Name == "recOn" {
						continue
					}
				}
				if l, ok := list[i-1].(*ast.LabeledStmt); ok {
					if _, ok := l.Stmt.(*ast.IfStmt); ok {
						continue
					}
				}
			}
			missing(s.Pos())
		}
	}
	ast.Inspect(fd.Body, func(x ast.Node) bool {
		switch b := x.(type) {
		case *ast.BlockStmt:
			look(b.List)
		case *ast.CaseClause:
			look(b.Body)
		case *ast.CommClause:
			look(b.Body)
		}
		return true
	})
	return n
}

// operates reports whether a statement changes how many values are in a channel, or hands one over.
func operates(s ast.Stmt) bool {
	var of ast.Expr
	switch s := s.(type) {
	case *ast.IncDecStmt:
		of = s.X
	case *ast.AssignStmt:
		of = s.Lhs[0]
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok {
			f, ok := call.Fun.(*ast.Ident)
			return ok && (f.Name == "send" || f.Name == "recv")
		}
	}
	x, ok := of.(*ast.SelectorExpr)
	return ok && x.Sel.Name == "qcount"
}
