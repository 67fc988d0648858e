package sqltree

import (
	"reflect"
	"regexp"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
	"pfsd/engine/syntax"
)

// Names changes the names with dots in the statement s: a function gets its database in its name,
// and a user variable its whole name. query is the text of s.
//
// go-mysql-server: forgets the database of a function, and finds any function in any database; @a.b
// is a column b of a table @a. MySQL: a function with a database is a stored function of that
// database; the name of a user variable can have dots.
func Names(s ast.Statement, query string) {
	if !mends.DottedNames.On() {
		return
	}
	if strings.IndexByte(query, '@') >= 0 && dottedVariable.MatchString(query) || callsQualified(query) {
		named.Walk(reflect.ValueOf(s), mendName)
	}
}

// dottedVariable matches a user variable whose name has a dot. It may also match inside a text.
var dottedVariable = regexp.MustCompile(`(^|[^@\w$])@[\w$]+\.`)

// callsQualified reports whether a text may call a function with its database: a parenthesis behind
// a name behind a dot. It may report true for a text that does not. It reads the text once.
func callsQualified(query string) bool {
	comment := false // one begins in the line, perhaps
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

// inComment reports whether the last line of text may begin a comment up to the end of the line.
// before is the answer for what precedes text in its first line.
func inComment(text string, before bool) bool {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return before && len(line) == len(text) || strings.Contains(line, "#") || strings.Contains(line, "--")
}

// named finds the nodes with such names.
var named = syntax.NewWalker(func(t reflect.Type) bool {
	return t == reflect.TypeFor[*ast.FuncExpr]() || t == reflect.TypeFor[*ast.SetVarExpr]() || t == reflect.TypeFor[*ast.ColName]()
})

// mendName is Names for a part of a syntax tree.
func mendName(v reflect.Value) {
	switch n := v.Interface().(type) {
	case *ast.FuncExpr:
		if n != nil && !n.Qualifier.IsEmpty() {
			n.Name = ast.NewColIdent(n.Qualifier.String() + "." + n.Name.String())
			n.Qualifier = ast.NewTableIdent("")
		}
	case *ast.SetVarExpr: // the variable has its whole name
		if n != nil && n.Scope == ast.SetScope_None && strings.HasPrefix(n.Name.Name.String(), "@") && !strings.HasPrefix(n.Name.Name.String(), "@@") {
			n.Scope, n.Name = ast.SetScope_User, ast.NewColName(n.Name.Name.String()[1:])
		}
	case *ast.ColName:
		if n != nil {
			mendVariable(n)
		}
	}
}

// mendVariable sets the whole name of a user variable.
func mendVariable(c *ast.ColName) {
	whole := c.Qualifier.Name.String() + "." + c.Name.String()
	if !c.Qualifier.DbQualifier.IsEmpty() {
		whole = c.Qualifier.DbQualifier.String() + "." + whole
	}
	if strings.HasPrefix(whole, "@") && !strings.HasPrefix(whole, "@@") {
		c.Name, c.Qualifier = ast.NewColIdent(whole), ast.TableName{}
	}
}
