package sys

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// Schema is the name of the database.
const Schema = "sys"

// Definer is who has made the views.
const Definer = "`mysql.sys`@`localhost`"

// View is a view of the sys schema.
type View struct {
	// Name is its name, and Doc what its rows are.
	Name, Doc string
	// Columns are those that it has, in their order.
	Columns []Column
	// Select is the query that it stands for.
	Select string
	// Algorithm is how MySQL would carry it out.
	Algorithm string
}

// Column is a column of a view.
type Column struct {
	// Name is its name, and Type its SQL type in lower case, as in "bigint unsigned".
	Name, Type string
	// NotNull tells that it never holds NULL.
	NotNull bool
	// Words is the marker that the column is: "time", "bytes", "path", "statement", "" if it is more.
	// It is the same in both twins.
	Words string
}

// Create is the statement that makes the view.
func (v View) Create() string {
	names := make([]string, len(v.Columns))
	for i, c := range v.Columns {
		names[i] = "`" + c.Name + "`"
	}
	return fmt.Sprintf("CREATE ALGORITHM=%s DEFINER=%s SQL SECURITY INVOKER VIEW `%s`.`%s` (%s) AS %s",
		v.Algorithm, Definer, Schema, v.Name, strings.Join(names, ","), v.Select)
}

//go:embed views/*.sql
var files embed.FS

// marker is how a marker is written in a view that people read, and of which type it is there.
type marker struct{ function, typ string }

var markers = map[string]marker{
	"time":      {"format_pico_time", "varchar(11)"},
	"bytes":     {"format_bytes", "varchar(11)"},
	"path":      {"sys.format_path", "varchar(512)"},
	"statement": {"sys.format_statement", "longtext"},
}

// Is tells whether a database is sys.
func Is(db string) bool { return strings.EqualFold(db, Schema) }

// ViewNamed is the view of a name, nil if there is none.
func ViewNamed(name string) *View { return byName[strings.ToLower(name)] }

var byName = func() map[string]*View {
	m := map[string]*View{}
	for i := range Views {
		m[Views[i].Name] = &Views[i]
	}
	return m
}()

// Views are all views, by name.
var Views = load()

func load() []View {
	entries, err := files.ReadDir("views")
	if err != nil {
		panic("sys: " + err.Error())
	}
	var plain, raw []View
	for _, e := range entries {
		text, err := files.ReadFile("views/" + e.Name())
		if err != nil {
			panic("sys: " + err.Error())
		}
		twins, err := parse(strings.TrimSuffix(e.Name(), path.Ext(e.Name())), string(text))
		if err != nil {
			panic("sys: " + e.Name() + ": " + err.Error())
		}
		if !strings.HasPrefix(twins[0].Name, "x$") {
			plain = append(plain, twins[0])
			twins = twins[1:]
		}
		raw = append(raw, twins...)
	}
	return append(plain, raw...)
}

var (
	only   = "x$ only:"
	merged = regexp.MustCompile(`(?i)\b(GROUP BY|UNION|LIMIT|DISTINCT|SUM\(|COUNT\()`)
)

// parse reads a file: the view, and its twin if it has one.
func parse(name, text string) ([]View, error) {
	var doc []string
	for strings.HasPrefix(text, "--") {
		line, rest, _ := strings.Cut(text, "\n")
		doc = append(doc, strings.TrimSpace(strings.TrimPrefix(line, "--")))
		text = rest
	}
	if len(doc) == 0 {
		return nil, fmt.Errorf("no comment says what its rows are")
	}
	if !strings.HasPrefix(text, "SELECT ") {
		return nil, fmt.Errorf("SELECT does not begin the query")
	}
	v := View{Name: name, Doc: strings.Join(doc, " "), Algorithm: "MERGE"}
	if merged.MatchString(text) {
		v.Algorithm = "TEMPTABLE"
	}
	plain, marked, err := v.expand(text, false)
	if err != nil || !marked {
		return []View{plain}, err
	}
	v.Name = "x$" + name
	raw, _, err := v.expand(text, true)
	return []View{plain, raw}, err
}

// expand is the view with its query, for the twin that raw says; marked tells whether there are two.
func (v View) expand(text string, raw bool) (_ View, marked bool, err error) {
	var query strings.Builder
	start := 0 // of the column in query
	for line := range strings.Lines(text) {
		code, comment, typed := strings.Cut(line, " -- ")
		if typed {
			column := query.String()[start:] + strings.TrimRight(code, " ")
			typ := strings.TrimSpace(comment)
			if t, ok := strings.CutPrefix(typ, only); ok {
				if !raw {
					kept := query.String()[:start]
					query.Reset()
					query.WriteString(kept)
					continue
				}
				typ = strings.TrimSpace(t)
			}
			c, err := columnOf(column, typ, raw)
			if err != nil {
				return v, false, err
			}
			v.Columns = append(v.Columns, c)
			code = strings.TrimRight(code, " ") + "\n"
		}
		query.WriteString(code)
		if typed {
			start = query.Len()
		}
	}
	v.Select, marked, err = expandMarkers(strings.TrimSpace(query.String()), raw)
	return v, marked, err
}

// columnOf is the column that an expression makes whose type a comment tells.
func columnOf(expression, comment string, raw bool) (Column, error) {
	before, name, ok := cutName(expression)
	if !ok {
		return Column{}, fmt.Errorf("no name of a column in %q", expression)
	}
	kind := soleMarker(strings.TrimSpace(strings.TrimPrefix(before, "SELECT ")))
	plain, x, both := strings.Cut(comment, " / ")
	if !both {
		x = plain
		if kind != "" {
			plain = markers[kind].typ
		}
	}
	typ := plain
	if raw {
		typ = x
	}
	typ, notNull := strings.CutSuffix(strings.TrimSpace(typ), " NOT NULL")
	return Column{Name: name, Type: typ, NotNull: notNull, Words: kind}, nil
}

// cutName cuts "AS name" off the end of an expression of a SELECT list.
func cutName(expression string) (before, name string, ok bool) {
	text := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(expression, " \n"), ","), " \n")
	at := strings.LastIndexAny(text, " \n")
	name = strings.Trim(text[at+1:], "`")
	before, ok = strings.CutSuffix(strings.TrimRight(text[:max(at, 0)], " \n"), "AS")
	return before, name, ok && strings.TrimRight(before, " \n") != before && name != ""
}

// soleMarker is the marker that an expression is, "" if it is none or more.
func soleMarker(expression string) string {
	if !strings.HasPrefix(expression, "{") {
		return ""
	}
	if end, err := closing(expression); err != nil || end != len(expression)-1 {
		return ""
	}
	kind, _, _ := strings.Cut(expression[1:], ":")
	return kind
}

// closing is where the brace is closed that text begins with.
func closing(text string) (int, error) {
	depth := 0
	for i, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i, nil
			}
		}
	}
	return 0, fmt.Errorf("a brace is not closed in %q", text)
}

// expandMarkers is text with what its markers stand for.
func expandMarkers(text string, raw bool) (_ string, marked bool, err error) {
	var out strings.Builder
	for {
		before, _, found := strings.Cut(text, "{")
		out.WriteString(before)
		if !found {
			return out.String(), marked, nil
		}
		text = text[len(before):]
		end, err := closing(text)
		if err != nil {
			return "", false, err
		}
		kind, inner, _ := strings.Cut(text[1:end], ":")
		m, ok := markers[kind]
		if !ok {
			return "", false, fmt.Errorf("no marker %q", kind)
		}
		if inner, _, err = expandMarkers(strings.TrimSpace(inner), raw); err != nil {
			return "", false, err
		}
		if raw {
			out.WriteString(inner)
		} else {
			out.WriteString(m.function + "(" + inner + ")")
		}
		marked, text = true, text[end+1:]
	}
}
