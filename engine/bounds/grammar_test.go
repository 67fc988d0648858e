package bounds

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// grammar is the grammar of go-mysql-server's parser, with the shortest texts that the parser
// accepts.
type grammar struct {
	rules    map[string][][]string // the productions of each nonterminal
	words    map[string]string     // the text of each terminal
	shortest map[string][]string   // the tokens of the shortest text of each symbol
	listed   map[string][]string   // the same for the shortest text with a comma
	lists    bool                  // texts have commas if possible
	all      []recursion
}

// around is the text before and the text behind a symbol.
type around struct{ before, behind []string }

func (a around) length() int { return len(a.before) + len(a.behind) }

func (a around) with(in around) around {
	return around{slices.Concat(a.before, in.before), slices.Concat(in.behind, a.behind)}
}

// readGrammar reads the grammar file of the parser.
func readGrammar(t *testing.T) *grammar {
	t.Helper()
	g, err := theGrammar()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

var theGrammar = sync.OnceValues(newGrammar)

func newGrammar() (*grammar, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/dolthub/vitess").Output()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "go/vt/sqlparser")
	keywords, err := os.ReadFile(filepath.Join(dir, "keywords.go"))
	if err != nil {
		return nil, err
	}
	rules, err := os.ReadFile(filepath.Join(dir, "sql.y"))
	if err != nil {
		return nil, err
	}
	g := &grammar{rules: map[string][][]string{}, shortest: map[string][]string{}, listed: map[string][]string{}, words: map[string]string{
		"ID": "a", "STRING": "'s'", "INTEGRAL": "1", "FLOAT": "1.5", "HEX": "x'01'", "HEXNUM": "0x1", "BIT_LITERAL": "b'1'",
		"VALUE_ARG": "?", "NE": "<>", "LE": "<=", "GE": ">=", "NULL_SAFE_EQUAL": "<=>", "SHIFT_LEFT": "<<", "SHIFT_RIGHT": ">>",
		"ASSIGNMENT_OP": ":=", "JSON_EXTRACT_OP": "->", "JSON_UNQUOTE_EXTRACT_OP": "->>", "FOR_SYSTEM_TIME": "FOR SYSTEM_TIME",
		"FOR_VERSION": "FOR VERSION", "NOT_ENFORCED": "NOT ENFORCED", "CONCAT": "||",
	}}
	for _, m := range regexp.MustCompile(`(?m)^\s*"([^"]+)":\s+(\w+),`).FindAllStringSubmatch(string(keywords), -1) {
		if g.words[m[2]] == "" && m[2] != "UNUSED" {
			g.words[m[2]] = m[1]
		}
	}
	_, text, _ := strings.Cut(string(rules), "\n%%\n")
	g.parse(text)
	for changed := true; changed; {
		changed = false
		for _, name := range slices.Sorted(maps.Keys(g.rules)) {
			for _, p := range g.rules[name] {
				tokens, ok := g.tokens(p)
				if s, known := g.shortest[name]; ok && (!known || len(tokens) < len(s)) {
					g.shortest[name], changed = tokens, true
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, name := range slices.Sorted(maps.Keys(g.rules)) {
			for _, p := range g.rules[name] {
				for i, symbol := range p {
					in := g.listed[symbol]
					if symbol == "','" {
						in = []string{","}
					}
					before, ok := g.tokens(p[:i])
					behind, ok2 := g.tokens(p[i+1:])
					if in == nil || !ok || !ok2 {
						continue
					}
					tokens := slices.Concat(before, in, behind)
					if known := g.listed[name]; known == nil || len(tokens) < len(known) {
						g.listed[name], changed = tokens, true
					}
				}
			}
		}
	}
	g.all = g.recursions()
	return g, nil
}

// parse reads the productions in text, without their actions.
func (g *grammar) parse(text string) {
	var b strings.Builder
	for i, depth := 0, 0; i < len(text); i++ {
		rest := text[i:]
		switch c := text[i]; {
		case strings.HasPrefix(rest, "//"):
			i += strings.IndexByte(rest, '\n')
			b.WriteByte('\n')
		case strings.HasPrefix(rest, "/*"):
			i += strings.Index(rest, "*/") + 1
		case depth == 0 && c == '\'':
			b.WriteString(" " + rest[:3] + " ")
			i += 2
		case depth > 0 && (c == '"' || c == '\''):
			for i++; text[i] != c; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '{':
			depth++
		case c == '}':
			depth--
		case depth == 0:
			b.WriteByte(c)
		}
	}
	name := ""
	fields := strings.Fields(regexp.MustCompile(`(?m)^(\w+):`).ReplaceAllString(b.String(), " $1 := "))
	for i := 0; i < len(fields); i++ {
		switch f := fields[i]; {
		case i+1 < len(fields) && fields[i+1] == ":=":
			name = f
			g.rules[name] = [][]string{nil}
			i++
		case f == "|":
			g.rules[name] = append(g.rules[name], nil)
		case f == "%prec":
			i++
		default:
			last := len(g.rules[name]) - 1
			g.rules[name][last] = append(g.rules[name][last], f)
		}
	}
}

// tokens returns the shortest text of symbols. It returns false if no text is known.
func (g *grammar) tokens(symbols []string) (all []string, ok bool) {
	for _, s := range symbols {
		switch {
		case g.lists && g.listed[s] != nil:
			all = append(all, g.listed[s]...)
		case g.rules[s] != nil:
			known, ok := g.shortest[s]
			if !ok {
				return nil, false
			}
			all = append(all, known...)
		case s[0] == '\'':
			all = append(all, s[1:2])
		case g.words[s] != "":
			all = append(all, g.words[s])
		default:
			return nil, false
		}
	}
	return all, true
}

// step is one symbol of a production of a nonterminal, at the position at.
type step struct {
	rule       string
	production []string
	at         int
}

// around returns the text around the symbol of a step. It returns false if there is no text.
func (g *grammar) around(s step) (a around, ok bool) {
	before, ok := g.tokens(s.production[:s.at])
	if !ok {
		return a, false
	}
	behind, ok := g.tokens(s.production[s.at+1:])
	return around{before, behind}, ok
}

// steps returns all steps whose symbol is a nonterminal.
func (g *grammar) steps() (all []step) {
	for _, name := range slices.Sorted(maps.Keys(g.rules)) {
		for _, p := range g.rules[name] {
			for i, s := range p {
				if g.rules[s] != nil {
					all = append(all, step{name, p, i})
				}
			}
		}
	}
	return all
}

// within returns, for each nonterminal, the shortest text around it in a text of the nonterminal
// from.
func (g *grammar) within(from string, all []step) map[string]around {
	found := map[string]around{from: {}}
	for changed := true; changed; {
		changed = false
		for _, s := range all {
			out, ok := found[s.rule]
			if !ok {
				continue
			}
			in, ok := g.around(s)
			if !ok {
				continue
			}
			a := out.with(in)
			if known, ok := found[s.production[s.at]]; !ok || a.length() < known.length() {
				found[s.production[s.at]], changed = a, true
			}
		}
	}
	return found
}

// recursion is a text that can be put around a nonterminal again and again.
type recursion struct {
	around
	symbol string
	step   step
}

// recursions returns a recursion for each symbol of a production through which a nonterminal can
// contain itself.
func (g *grammar) recursions() (all []recursion) {
	steps := g.steps()
	reach := map[string]map[string]around{}
	for _, s := range steps {
		child := s.production[s.at]
		if reach[child] == nil {
			reach[child] = g.within(child, steps)
		}
		back, ok := reach[child][s.rule]
		if !ok {
			continue
		}
		for _, g.lists = range []bool{false, true} {
			if out, ok := g.around(s); ok {
				all = append(all, recursion{out.with(back), s.rule, s})
			}
		}
		g.lists = false
	}
	return all
}

// depthOf returns how deep the structures of a tree are nested.
func depthOf(v reflect.Value) int {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return 0
		}
		return depthOf(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return 0
		}
		deepest := 0
		for i := range v.Len() {
			deepest = max(deepest, depthOf(v.Index(i)))
		}
		return deepest
	case reflect.Struct:
		deepest := 0
		for i := range v.NumField() {
			deepest = max(deepest, depthOf(v.Field(i)))
		}
		return 1 + deepest
	}
	return 0
}

// levels is the largest number of nested structures that one token can add to a tree. first is the
// number that each statement has.
const levels, first = 4, 12

// checkDepth parses a text and compares the depth of its tree with its weight. parsed is false if
// the text cannot be parsed.
func checkDepth(t *testing.T, text string, o ast.ParserOptions) (parsed bool, depth int, w Weight) {
	t.Helper()
	s, n, err := ast.ParseOneWithOptions(t.Context(), text, o)
	if err != nil {
		return false, 0, w
	}
	w = Measure(text, o.AnsiQuotes)
	depth = depthOf(reflect.ValueOf(s))
	if depth > levels*w.Depth+first {
		t.Errorf("the tree has %d levels, the weight is %d: %.300s", depth, w.Depth, text)
	}
	if n > w.End {
		t.Errorf("of the text, %d of %d bytes are parsed and %d are measured: %.300s", n, len(text), w.End, text)
	}
	return true, depth, w
}

// modes are the SQL modes in which texts are parsed.
var modes = []ast.ParserOptions{{}, {AnsiQuotes: true}, {PipesAsConcat: true}, {AnsiQuotes: true, PipesAsConcat: true}}

// The weight grows with the depth of the tree for each part of the grammar that can be nested in
// itself again and again.
func TestGrammar(t *testing.T) {
	g := readGrammar(t)
	contexts := g.within("any_command", g.steps())
	all := g.all
	taken, deep, seen := 0, 0, map[string]bool{}
	for _, r := range all {
		key := fmt.Sprint(r.symbol, r.around)
		context, ok := contexts[r.symbol]
		inner, known := g.shortest[r.symbol]
		if !ok || !known || seen[key] {
			continue
		}
		seen[key] = true
		text := func(n int) string {
			return strings.Join(slices.Concat(context.before, slices.Repeat(r.before, n), inner, slices.Repeat(r.behind, n), context.behind), " ")
		}
		few, shallow, _ := checkDepth(t, text(2), ast.ParserOptions{PipesAsConcat: strings.Contains(key, "||")})
		many, deeper, _ := checkDepth(t, text(60), ast.ParserOptions{PipesAsConcat: strings.Contains(key, "||")})
		if few {
			taken++
		} else if testing.Verbose() {
			t.Logf("not parsed: %s: %s", r.symbol, text(2))
		}
		if many && deeper > shallow+50 {
			deep++
		}
	}
	t.Logf("%d recursions, %d are parsed, %d make deep trees", len(seen), taken, deep)
	if taken < 100 || deep < 50 {
		t.Error("the grammar was not read")
	}
}

// The weight is at least the depth of the tree, in whatever way parts of the grammar are nested.
func TestRandomTexts(t *testing.T) {
	g := readGrammar(t)
	contexts := g.within("any_command", g.steps())
	of := map[string][]recursion{}
	for _, r := range g.all {
		if _, ok := contexts[r.symbol]; ok && r.length() > 0 {
			of[r.symbol] = append(of[r.symbol], r)
		}
	}
	symbols := slices.SortedFunc(maps.Keys(of), cmp.Compare)
	random := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 8_000 {
		symbol := symbols[random.IntN(len(symbols))]
		a := contexts[symbol]
		few := 1 + random.IntN(4)
		some := make([]recursion, few)
		for i := range some {
			some[i] = of[symbol][random.IntN(len(of[symbol]))]
		}
		for range 1 + random.IntN(12) {
			a = a.with(some[random.IntN(few)].around)
		}
		text := strings.Join(slices.Concat(a.before, g.shortest[symbol], a.behind), " ")
		if parsed, _, _ := checkDepth(t, text, modes[random.IntN(len(modes))]); parsed {
			taken++
		}
	}
	t.Logf("%d of 8000 texts are parsed", taken)
	if taken < 1000 {
		t.Error("too few texts are parsed")
	}
}
