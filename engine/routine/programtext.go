package routine

import (
	"slices"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
	"pfsd/engine/syntax"
)

// ProgramTexts returns the text of each statement of a stored program, as the body has it. It
// returns nil if the statements that it finds are not those that vitess finds.
//
// go-mysql-server: a statement of a program is a syntax tree without a text. MySQL: it has the text
// of the definition.
func ProgramTexts(body string, tree ast.Statement) map[ast.Statement]string {
	if !mends.ProgramTexts.On() {
		return nil
	}
	p := newTextParser(body)
	p.scan()
	p.statement()
	all := leaves(nil, tree)
	if len(all) != len(p.found) {
		return nil
	}
	texts := make(map[ast.Statement]string, len(all))
	for i, s := range all {
		texts[s] = p.found[i]
	}
	return texts
}

// ProgramStatements returns the statements of a program in the order of its text, without those of
// handlers.
func ProgramStatements(tree ast.Statement) []ast.Statement {
	handled := map[ast.Statement]bool{}
	all := leaves(nil, tree)
	for _, s := range all {
		if d, ok := s.(*ast.Declare); ok && d.Handler != nil {
			for _, s := range leaves(nil, d.Handler.Statement) {
				handled[s] = true
			}
		}
	}
	return slices.DeleteFunc(all, func(s ast.Statement) bool { return handled[s] })
}

// ProgramParts returns the statements of a program, those of handlers too, and the conditions of
// its IF, CASE and loops.
func ProgramParts(tree ast.Statement) (all []ast.SQLNode) {
	for _, s := range leaves(nil, tree) {
		all = append(all, s)
		if d, ok := s.(*ast.Declare); ok && d.Handler != nil {
			all = append(all, conditions(d.Handler.Statement)...)
		}
	}
	return append(all, conditions(tree)...)
}

// conditions returns the conditions of the statements that contain others, without those in handlers.
func conditions(s ast.Statement) (all []ast.SQLNode) {
	list := func(statements ast.Statements) {
		for _, s := range statements {
			all = append(all, conditions(s)...)
		}
	}
	add := func(e ast.Expr) {
		if e != nil {
			all = append(all, e)
		}
	}
	switch s := s.(type) {
	case *ast.BeginEndBlock:
		list(s.Statements)
	case *ast.IfStatement:
		for _, c := range s.Conditions {
			add(c.Expr)
			list(c.Statements)
		}
		list(s.Else)
	case *ast.CaseStatement:
		add(s.Expr)
		for _, c := range s.Cases {
			add(c.Case)
			list(c.Statements)
		}
		list(s.Else)
	case *ast.While:
		add(s.Condition)
		list(s.Statements)
	case *ast.Repeat:
		add(s.Condition)
		list(s.Statements)
	case *ast.Loop:
		list(s.Statements)
	}
	return all
}

// ProgramHeadings sets the names of the result columns of a program's queries. text is the text
// that was parsed.
//
// go-mysql-server: names the columns of a statement that creates a program as it prints
// expressions. MySQL: names them as they are written.
func ProgramHeadings(text string, tree ast.Statement) {
	if !mends.ProgramHeadings.On() {
		return
	}
	for _, s := range leaves(nil, tree) {
		if d, ok := s.(*ast.Declare); ok {
			if d.Cursor == nil {
				continue
			}
			s, _ = d.Cursor.SelectStmt.(ast.Statement)
		}
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			e, ok := n.(*ast.AliasedExpr)
			if !ok || e.StartParsePos < 0 || e.EndParsePos <= e.StartParsePos || e.EndParsePos > len(text) {
				return true, nil
			}
			if _, ok := e.Expr.(*ast.ColName); !ok {
				e.InputExpression = syntax.Heading(text[e.StartParsePos:e.EndParsePos], syntax.Mode{})
			}
			return true, nil
		}, s)
	}
}

// ProgramAnswers reports whether a program may send rows to the client.
func ProgramAnswers(tree ast.Statement) bool {
	return slices.ContainsFunc(leaves(nil, tree), func(s ast.Statement) bool {
		switch s := s.(type) {
		case ast.SelectStatement:
			return s.GetInto() == nil
		case *ast.Show, *ast.Explain, *ast.Execute, *ast.Analyze, ast.InjectedStatement:
			return true
		}
		return false
	})
}

// leaves appends the statements of s that contain no other statements, in the order of the text.
func leaves(to []ast.Statement, s ast.Statement) []ast.Statement {
	list := func(all ast.Statements) {
		for _, s := range all {
			to = leaves(to, s)
		}
	}
	switch s := s.(type) {
	case *ast.BeginEndBlock:
		list(s.Statements)
	case *ast.IfStatement:
		for _, c := range s.Conditions {
			list(c.Statements)
		}
		list(s.Else)
	case *ast.CaseStatement:
		for _, c := range s.Cases {
			list(c.Statements)
		}
		list(s.Else)
	case *ast.While:
		list(s.Statements)
	case *ast.Repeat:
		list(s.Statements)
	case *ast.Loop:
		list(s.Statements)
	case *ast.Declare:
		to = append(to, s)
		if s.Handler != nil {
			to = leaves(to, s.Handler.Statement)
		}
	default:
		to = append(to, s)
	}
	return to
}

// textParser finds the statements of a body. Owned by one goroutine.
type textParser struct {
	syntax.Reader
	found []string
	word  string // the token: a word or a mark in upper case, "'" for a name or a text in quotes, "" at the end
	last  int    // where the previous token ends
}

func newTextParser(body string) *textParser {
	return &textParser{Reader: syntax.Reader{Text: body, NewCode: true}}
}

// scan goes to the next token.
func (p *textParser) scan() {
	p.last = p.End
	p.Next()
	p.word = p.Word
	if p.Kind == syntax.Name || p.IsMark(`"`) || p.IsMark("`") {
		p.word = "'"
	}
}

// statement skips a statement.
func (p *textParser) statement() {
	start := p.At
	if p.Kind == syntax.Word || p.word == "'" {
		saved := *p
		if p.scan(); p.word == ":" { // a label
			p.scan()
			start = p.At
		} else {
			*p = saved
		}
	}
	switch p.word {
	case "BEGIN":
		p.scan()
		p.list()
	case "IF":
		p.skipPast("THEN")
		p.list()
		for p.word == "ELSEIF" {
			p.skipPast("THEN")
			p.list()
		}
		if p.word == "ELSE" {
			p.scan()
			p.list()
		}
	case "CASE":
		p.scan()
		if p.word != "WHEN" {
			p.skipTo("WHEN")
		}
		for p.word == "WHEN" {
			p.skipPast("THEN")
			p.list()
		}
		if p.word == "ELSE" {
			p.scan()
			p.list()
		}
	case "WHILE":
		p.skipPast("DO")
		p.list()
	case "LOOP":
		p.scan()
		p.list()
	case "REPEAT":
		p.scan()
		p.list()
		p.skipTo("END")
	case "DECLARE":
		p.scan()
		action := p.word
		p.scan()
		if p.word == "HANDLER" && (action == "CONTINUE" || action == "EXIT" || action == "UNDO") {
			p.found = append(p.found, "")
			p.skipPast("FOR")
			p.conditions()
			p.statement()
			return
		}
		p.simple(start)
		return
	default:
		p.simple(start)
		return
	}
	for p.word != ";" && p.word != "" { // END and what follows it
		p.scan()
	}
}

// simple skips the rest of a statement that begins at start and contains no other statements.
func (p *textParser) simple(start int) {
	for p.word != ";" && p.word != "" {
		p.scan()
	}
	// An empty statement begins after white space, so the previous token ends before start.
	p.found = append(p.found, strings.TrimSpace(p.Text[start:max(start, p.last)]))
}

// list skips statements up to the word that ends them.
func (p *textParser) list() {
	for {
		switch p.word {
		case "END", "ELSE", "ELSEIF", "WHEN", "UNTIL", "":
			return
		case ";":
			p.scan()
		default:
			p.statement()
		}
	}
}

// skipTo skips to a word that is outside of expressions; skipPast also skips the word.
func (p *textParser) skipTo(word string) {
	for cases := 0; p.word != "" && (p.word != word || cases > 0); p.scan() {
		switch p.word {
		case "CASE":
			cases++
		case "END":
			cases--
		}
	}
}

func (p *textParser) skipPast(word string) {
	p.scan()
	p.skipTo(word)
	p.scan()
}

// conditions skips the conditions of a handler.
func (p *textParser) conditions() {
	for {
		switch p.word {
		case "SQLSTATE":
			if p.scan(); p.word == "VALUE" {
				p.scan()
			}
		case "NOT":
			p.scan()
		}
		if p.scan(); p.word != "," {
			return
		}
		p.scan()
	}
}

// Markers counts the parameters ? of a statement.
func Markers(text string) (n int) {
	r := syntax.Reader{Text: text}
	for r.Next(); r.Kind != syntax.End; r.Next() {
		if r.IsMark("?") {
			n++
		}
	}
	return n
}
