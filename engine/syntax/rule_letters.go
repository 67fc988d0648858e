package syntax

import (
	"reflect"
	"strconv"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// letters quotes names with letters that vitess does not accept: dollar signs and non-ASCII
// letters. It replaces the name of a user variable by a placeholder until the text is parsed.
// Quotes are not enough there: vitess does not accept these letters in the quotes of a variable,
// and splits its name at a dot.
//
//	SELECT * FROM sys.x$processlist  becomes  SELECT * FROM sys.`x$processlist`
//	SELECT größe FROM t              becomes  SELECT `größe` FROM t
//	SELECT a INTO @sys.a FROM t      becomes  SELECT a INTO @_variable_0 FROM t
//
// go-mysql-server: "syntax error near '$'". MySQL: names without quotes can have these letters. A
// dollar sign can also be the first letter, which 8.4 deprecates.
func letters(r *rewriting) {
	for i, t := range r.tokens {
		w := r.word(i)
		dots := t.kind == kindVariable && !strings.HasPrefix(w, "@@")
		if strings.IndexFunc(w, func(c rune) bool { return c == '$' || c >= 0x80 || c == '.' && dots }) < 0 || r.replaced(i) {
			continue
		}
		switch {
		case t.kind == kindWord && !strings.HasPrefix(w, "$$"):
			r.quote(i)
		case t.kind == kindVariable && len(w) > 1 && (IsWordByte(w[1]) || w[1] == '`'):
			name := strings.ReplaceAll(strings.Trim(w[1:], "`"), "``", "`")
			r.replace(i, i, "@"+r.placeholder("@"+name))
		}
	}
}

// placeholder returns a name that vitess accepts, which stands for a user variable.
func (r *rewriting) placeholder(variable string) string {
	if name := r.placeholders[variable]; name != "" {
		return name
	}
	const begin = "_variable_"
	if r.variables == nil {
		r.variables, r.placeholders, r.numbers = map[string]string{}, map[string]string{}, map[string]bool{}
		for rest, ok := strings.ToLower(r.text), true; ok; {
			if _, rest, ok = strings.Cut(rest, begin); ok {
				digits := 0
				for digits < len(rest) && isDigit(rest[digits]) {
					digits++
				}
				r.numbers[rest[:digits]] = true
			}
		}
	}
	for r.next++; r.numbers[strconv.Itoa(r.next-1)]; r.next++ {
		r.visits++
	}
	name := begin + strconv.Itoa(r.next-1)
	r.placeholders[variable] = name
	r.variables["@"+name] = variable
	r.variables[name] = strings.TrimPrefix(variable, "@") // as in the syntax tree of SET
	return name
}

// variableNames finds the strings that may be names of user variables.
var variableNames = NewWalker(func(t reflect.Type) bool { return t == colIdent || t.Kind() == reflect.String })

var colIdent = reflect.TypeFor[ast.ColIdent]()

// rename puts the names of user variables in the place of their placeholders in s.
func (r *rewriting) rename(s ast.Statement) {
	if len(r.variables) == 0 {
		return
	}
	variableNames.Walk(reflect.ValueOf(s), func(v reflect.Value) {
		switch {
		case !v.CanSet():
		case v.Type() == colIdent:
			if meant, ok := r.variables[v.Addr().Interface().(*ast.ColIdent).Lowered()]; ok {
				v.Set(reflect.ValueOf(ast.NewColIdent(meant)))
			}
		default:
			if meant, ok := r.variables[v.String()]; ok {
				v.SetString(meant)
			}
		}
	})
}
