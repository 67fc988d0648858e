package sqltree

import (
	"reflect"
	"regexp"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
	"pfsd/engine/syntax"
)

// Names changes the names with dots in the statement s. The name of a function includes the
// database of the function then, and the name of a user variable is its whole name. query is the
// text of s.
//
// go-mysql-server: ignores the database of a function, so that each database seems to have all
// functions. @a.b is a column b of a table @a. MySQL: a function with a database is a stored
// function of that database. The name of a user variable can have dots.
func Names(s ast.Statement, query string) {
	if !mends.DottedNames.On() {
		return
	}
	if strings.IndexByte(query, '@') >= 0 && dottedVariable.MatchString(query) || callsQualified(query) {
		nodesWithNames.Walk(reflect.ValueOf(s), completeName)
	}
}

// dottedVariable matches a user variable whose name has a dot. It can also match inside a string
// literal.
var dottedVariable = regexp.MustCompile(`(^|[^@\w$])@[\w$]+\.`)

// callsQualified reports whether a query can have a call of a function with its database, which is
// a dot, a name and a parenthesis. It sometimes reports true for a query without such a call. It
// reads the query once.
func callsQualified(query string) bool {
	comment := false // whether a comment may have begun in the current line
	for {
		part, rest, found := strings.Cut(query, "(")
		if !found {
			return false
		}
		before := strings.TrimRight(part, " \t\r\n")
		if strings.HasSuffix(before, "*/") || strings.HasSuffix(before, "`") || inComment(before, comment) {
			return true
		}
		name := strings.TrimRightFunc(before, func(c rune) bool { return c >= 0x80 || syntax.IsWordByte(byte(c)) })
		if name = strings.TrimRight(name, " \t\r\n"); strings.HasSuffix(name, ".") || strings.HasSuffix(name, "*/") {
			return true
		}
		comment, query = inComment(part, comment), rest
	}
}

// inComment reports whether a comment that reaches to the end of the line may have begun in the
// last line of text. before is the answer for the part of text's first line that precedes text.
func inComment(text string, before bool) bool {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return before && len(line) == len(text) || strings.Contains(line, "#") || strings.Contains(line, "--")
}

// nodesWithNames finds the nodes whose names can have dots.
var nodesWithNames = syntax.NewWalker(func(t reflect.Type) bool {
	return t == reflect.TypeFor[*ast.FuncExpr]() || t == reflect.TypeFor[*ast.SetVarExpr]() || t == reflect.TypeFor[*ast.ColName]()
})

// completeName is [Names] for one node of a syntax tree.
func completeName(v reflect.Value) {
	switch n := v.Interface().(type) {
	case *ast.FuncExpr:
		if n != nil && !n.Qualifier.IsEmpty() {
			n.Name = ast.NewColIdent(n.Qualifier.String() + "." + n.Name.String())
			n.Qualifier = ast.NewTableIdent("")
		}
	case *ast.SetVarExpr: // vitess sets the whole name, but not the scope
		if n != nil && n.Scope == ast.SetScope_None && strings.HasPrefix(n.Name.Name.String(), "@") && !strings.HasPrefix(n.Name.Name.String(), "@@") {
			n.Scope, n.Name = ast.SetScope_User, ast.NewColName(n.Name.Name.String()[1:])
		}
	case *ast.ColName:
		if n != nil {
			completeVariable(n)
		}
	}
}

// completeVariable makes c the whole name of a user variable, if it is one.
func completeVariable(c *ast.ColName) {
	whole := c.Qualifier.Name.String() + "." + c.Name.String()
	if !c.Qualifier.DbQualifier.IsEmpty() {
		whole = c.Qualifier.DbQualifier.String() + "." + whole
	}
	if strings.HasPrefix(whole, "@") && !strings.HasPrefix(whole, "@@") {
		c.Name, c.Qualifier = ast.NewColIdent(whole), ast.TableName{}
	}
}
