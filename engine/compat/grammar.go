package compat

import (
	"slices"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Statement is a statement that Grammar recognises.
type Statement struct {
	// Kind is what MySQL calls it: the last part of the name of its instrument statement/sql/KIND.
	Kind string
	// Names are the tables, views, functions that it is about.
	Names []Name
	// Engine is the one that SHOW ENGINE is about.
	Engine string
	// Options are the words of it that matter, in upper case.
	Options []string
	// Limit says which rows of the answer are wanted.
	Limit Limit
	// Diagnostics is what GET DIAGNOSTICS asks for.
	Diagnostics *Diagnostics
	// Explain is EXPLAIN.
	Explain *Explain
	// Signal is SIGNAL, which go-mysql-server parses.
	Signal *ast.Signal
	// Server tells that it is one about the server as a whole, or the session; Tail is what follows its first words.
	Server bool
	Tail   string
	// Instead is not empty where the same can be said in words that go-mysql-server knows.
	Instead string
	// Text is the statement, Rest what stands behind it and its semicolon.
	Text, Rest string
}

// Limit is how many rows are left out, and how many are wanted of the others.
type Limit struct{ Skip, Rows uint64 }

// Name is a name that may say its database.
type Name struct{ Database, Name string }

// Grammar recognises the statement that query begins with, one of those that MySQL's grammar has
// and go-mysql-server's has not; nil if it is none of these. It is to be asked about what
// go-mysql-server cannot parse.
//
// go-mysql-server: syntax errors. MySQL: CHECK, CHECKSUM, OPTIMIZE and REPAIR TABLE, ANALYZE LOCAL
// TABLE, HANDLER, SHOW ENGINE, SHOW STORAGE ENGINES, SHOW CREATE FUNCTION, LOCK TABLE, CREATE and DROP FUNCTION, ALTER VIEW, an
// ENGINE before AS SELECT, RESET PERSIST, ALTER INSTANCE RELOAD TLS, EXPLAIN with its
// formats and of connections, GET DIAGNOSTICS, by itself and in procedures.
func Grammar(query string) *Statement {
	p := &grammarParser{text: query}
	p.next()
	start := p.at
	s := p.statement()
	if s == nil {
		return nil
	}
	if p.kind != tokenEnd && !p.mark(";") {
		return nil
	}
	s.Text = strings.TrimSpace(query[start:p.at])
	if p.kind != tokenEnd {
		s.Rest = query[p.end:]
		if p.next(); p.kind == tokenEnd {
			s.Rest = ""
		}
	}
	return s
}

type tokenKind uint8

const (
	tokenEnd   tokenKind = iota
	tokenWord            // a keyword or a name without quotes
	tokenName            // a name in backquotes
	tokenOther           // a text, or a mark
)

// grammarParser reads tokens. What it does not understand, such as code of a newer MySQL in a comment, it takes
// for a mark that fits nowhere. Owned by one goroutine.
type grammarParser struct {
	text    string
	kind    tokenKind
	at, end int    // of the token
	word    string // a word in upper case, a name as it is meant, a mark
	raw     string // a word as it is written
	code    bool   // in a comment with code for MySQL of this version or an older one
}

// codeStart is how long the beginning of a comment is whose text is code, such as /*!50000; 0 if
// there is none.
func codeStart(s string) int {
	digits, ok := strings.CutPrefix(s, "/*!")
	n := 0
	for n < len(digits) && '0' <= digits[n] && digits[n] <= '9' {
		n++
	}
	if !ok || n != 5 || digits[:n] > oldestCode {
		return 0
	}
	return len("/*!") + n
}

// oldestCode is the version of MySQL of which every server here is at least.
const oldestCode = "80400"

// next goes to the next token.
func (p *grammarParser) next() {
	for {
		for p.end < len(p.text) && strings.ContainsRune(" \t\r\n\v\f", rune(p.text[p.end])) {
			p.end++
		}
		rest := p.text[p.end:]
		if n := codeStart(rest); n > 0 {
			p.end, p.code = p.end+n, true
			continue
		}
		if p.code && strings.HasPrefix(rest, "*/") {
			p.end, p.code = p.end+len("*/"), false
			continue
		}
		if strings.HasPrefix(rest, "/*!") || strings.HasPrefix(rest, "/*+") {
			break
		}
		n := commentLength(rest)
		if n == 0 || strings.HasPrefix(rest, "*/") {
			break
		}
		p.end += n
	}
	p.at = p.end
	rest := p.text[p.end:]
	switch {
	case rest == "":
		p.kind, p.word, p.raw = tokenEnd, "", ""
	case rest[0] == '`':
		n := quotedLength(rest)
		p.kind, p.end = tokenName, p.end+n
		if n < 2 || rest[n-1] != '`' {
			p.kind, p.word = tokenOther, "`"
			return
		}
		p.word = strings.ReplaceAll(rest[1:n-1], "``", "`")
		p.raw = p.word
	case rest[0] == '\'' || rest[0] == '"':
		p.kind, p.word, p.end = tokenOther, rest[:1], p.end+quotedLength(rest)
	case isWordByte(rest[0]):
		n := 1
		for n < len(rest) && isWordByte(rest[n]) {
			n++
		}
		p.kind, p.raw, p.end = tokenWord, rest[:n], p.end+n
		p.word = strings.ToUpper(p.raw)
		if strings.Contains(p.raw, "@") {
			p.kind = tokenOther // a variable, or an account
		}
	default:
		p.kind, p.word, p.end = tokenOther, rest[:1], p.end+1
	}
}

func (p *grammarParser) mark(m string) bool { return p.kind == tokenOther && p.word == m }

// take goes on if the token is one of these keywords, and reports whether it was.
func (p *grammarParser) take(words ...string) bool {
	if p.kind != tokenWord || !slices.Contains(words, p.word) {
		return false
	}
	p.next()
	return true
}

// sequence goes on over these keywords; if the first is there, all must be.
func (p *grammarParser) sequence(words ...string) bool {
	if p.kind != tokenWord || p.word != words[0] {
		return true
	}
	for _, w := range words {
		if !p.take(w) {
			return false
		}
	}
	return true
}

// name reads a name that may say its database.
func (p *grammarParser) name() (n Name, ok bool) {
	if p.kind != tokenWord && p.kind != tokenName {
		return n, false
	}
	n.Name = p.raw
	p.next()
	if !p.mark(".") {
		return n, true
	}
	p.next()
	if p.kind != tokenWord && p.kind != tokenName {
		return n, false
	}
	n.Database, n.Name = n.Name, p.raw
	p.next()
	return n, true
}

func (p *grammarParser) names() (all []Name, ok bool) {
	for {
		n, ok := p.name()
		if !ok {
			return nil, false
		}
		all = append(all, n)
		if !p.mark(",") {
			return all, true
		}
		p.next()
	}
}

// skip goes on to the end of the statement; of one whose body may have semicolons, to the end.
func (p *grammarParser) skip(body bool) {
	for p.kind != tokenEnd && (body || !p.mark(";")) {
		p.next()
	}
}

// statement reads one of the statements; nil if it is none, and then where it is says nothing.
func (p *grammarParser) statement() *Statement {
	start := p.at
	if p.kind != tokenWord {
		return nil
	}
	if s := p.serverStatement(); s != nil {
		return s
	}
	first := p.word
	p.next()
	switch first {
	case "ANALYZE", "CHECK", "CHECKSUM", "OPTIMIZE", "REPAIR":
		return p.maintenance(strings.ToLower(first))
	case "HANDLER":
		return p.handler()
	case "SHOW":
		at, end := p.at, p.end
		if p.take("LOCAL") {
			return p.showLocal(p.text[start:at], end)
		}
		return p.show()
	case "LOCK":
		at, end := p.at, p.end
		if !p.take("TABLE") {
			return nil
		}
		p.skip(false)
		return &Statement{Kind: "lock_tables", Instead: p.text[start:at] + "TABLES" + p.text[end:p.at]}
	case "CREATE":
		return p.create()
	case "ALTER":
		if p.kind == tokenWord && p.word == "INSTANCE" {
			return p.alterInstance()
		}
		return p.alterView()
	case "DROP":
		return p.dropFunction()
	case "RESET":
		return p.resetPersist()
	case "EXPLAIN", "DESCRIBE", "DESC":
		return p.explain()
	case "GET":
		p.skip(false)
		return p.getDiagnostics(start)
	}
	return nil
}

// alterInstance reads ALTER INSTANCE RELOAD TLS, for the channel of clients, which is the only one
// here. It has an option if there is to be no TLS where something is wrong.
func (p *grammarParser) alterInstance() *Statement {
	if !p.sequence("INSTANCE", "RELOAD", "TLS") {
		return nil
	}
	s := &Statement{Kind: "alter_instance"}
	if p.kind == tokenWord && p.word == "FOR" && !p.sequence("FOR", "CHANNEL", "MYSQL_MAIN") {
		return nil
	}
	if p.kind == tokenWord && p.word == "NO" {
		if !p.sequence("NO", "ROLLBACK", "ON", "ERROR") {
			return nil
		}
		s.Options = []string{"NO ROLLBACK"}
	}
	return s
}

// resetPersist reads RESET PERSIST, of one variable or of all.
func (p *grammarParser) resetPersist() *Statement {
	if !p.take("PERSIST") {
		return nil
	}
	s := &Statement{Kind: "reset"}
	if p.kind == tokenWord && p.word == "IF" {
		if !p.sequence("IF", "EXISTS") {
			return nil
		}
		s.Options = []string{"IF EXISTS"}
	}
	if p.kind != tokenWord && p.kind != tokenName {
		if len(s.Options) > 0 {
			return nil
		}
		return s
	}
	n, ok := p.name()
	if !ok {
		return nil
	}
	s.Names = []Name{n}
	return s
}

// maintenance reads what follows the verb of a statement that looks after tables.
func (p *grammarParser) maintenance(verb string) *Statement {
	if verb == "analyze" || verb == "optimize" || verb == "repair" {
		p.take("LOCAL", "NO_WRITE_TO_BINLOG")
	}
	if !p.take("TABLE", "TABLES") {
		return nil
	}
	s := &Statement{Kind: verb}
	var ok bool
	if s.Names, ok = p.names(); !ok {
		return nil
	}
	options := map[string][]string{
		"check":    {"QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED", "FOR"},
		"checksum": {"QUICK", "EXTENDED"},
		"repair":   {"QUICK", "EXTENDED", "USE_FRM"},
	}[verb]
	for p.kind == tokenWord && slices.Contains(options, p.word) {
		s.Options = append(s.Options, p.word)
		upgrade := p.word == "FOR"
		if p.next(); upgrade && !p.take("UPGRADE") {
			return nil
		}
	}
	return s
}

func (p *grammarParser) handler() *Statement {
	n, ok := p.name()
	if !ok {
		return nil
	}
	s := &Statement{Names: []Name{n}}
	switch {
	case p.take("OPEN"):
		s.Kind = "ha_open"
		p.take("AS")
		if p.kind == tokenWord || p.kind == tokenName {
			p.next()
		}
	case p.take("CLOSE"):
		s.Kind = "ha_close"
	case p.take("READ"):
		s.Kind = "ha_read"
		p.skip(false)
	default:
		return nil
	}
	return s
}

// showLocal reads SHOW LOCAL STATUS and SHOW LOCAL VARIABLES, which are those of the session; show is
// the word SHOW, and end where LOCAL ends.
func (p *grammarParser) showLocal(show string, end int) *Statement {
	kind := "show_" + strings.ToLower(p.word)
	if !p.take("STATUS") && !p.take("VARIABLES") {
		return nil
	}
	p.skip(false)
	return &Statement{Kind: kind, Instead: show + "SESSION" + p.text[end:p.at]}
}

func (p *grammarParser) show() *Statement {
	if p.take("STORAGE") {
		if !p.take("ENGINES") {
			return nil
		}
		return &Statement{Kind: "show_storage_engines", Instead: "SHOW ENGINES"}
	}
	if p.take("CREATE") {
		if !p.take("FUNCTION") {
			return nil
		}
		n, ok := p.name()
		if !ok {
			return nil
		}
		return &Statement{Kind: "show_create_func", Names: []Name{n}}
	}
	if !p.take("ENGINE") || p.kind != tokenWord && p.kind != tokenName {
		return nil
	}
	s := &Statement{Engine: p.raw}
	p.next()
	switch {
	case p.take("STATUS"):
		s.Kind = "show_engine_status"
	case p.take("MUTEX"):
		s.Kind = "show_engine_mutex"
	case p.take("LOGS"):
		s.Kind = "show_engine_logs"
	default:
		return nil
	}
	return s
}

// create reads CREATE FUNCTION, CREATE TABLE with an ENGINE that must not be, and CREATE PROCEDURE
// with GET DIAGNOSTICS.
func (p *grammarParser) create() *Statement {
	if p.take("TEMPORARY") || p.word == "TABLE" {
		return p.createTable()
	}
	p.definer()
	if p.kind == tokenWord && p.word == "PROCEDURE" {
		p.skip(true)
		instead, found := DiagnosticsAsSet(p.text)
		if !found {
			return nil
		}
		return &Statement{Kind: "create_procedure", Instead: instead}
	}
	p.take("AGGREGATE")
	if !p.take("FUNCTION") || !p.sequence("IF", "NOT", "EXISTS") {
		return nil
	}
	n, ok := p.name()
	if !ok {
		return nil
	}
	p.skip(true)
	return &Statement{Kind: "create_function", Names: []Name{n}}
}

// definer reads DEFINER = USER, which may be missing.
func (p *grammarParser) definer() {
	if !p.take("DEFINER") {
		return
	}
	for p.kind != tokenEnd && !(p.kind == tokenWord && slices.Contains([]string{"AGGREGATE", "FUNCTION", "PROCEDURE", "SQL", "VIEW"}, p.word)) {
		p.next()
	}
}

func (p *grammarParser) createTable() *Statement {
	if !p.take("TABLE") || !p.sequence("IF", "NOT", "EXISTS") {
		return nil
	}
	n, ok := p.name()
	if !ok {
		return nil
	}
	s := &Statement{Kind: "create_table", Names: []Name{n}}
	for depth := 0; p.kind != tokenEnd && !p.mark(";"); p.next() {
		switch {
		case p.mark("("):
			depth++
		case p.mark(")"):
			depth--
		case depth == 0 && p.kind == tokenWord && p.word == "ENGINE":
			p.next()
			if p.mark("=") {
				p.next()
			}
			if p.kind == tokenWord || p.kind == tokenName {
				s.Engine = p.raw
			}
		}
	}
	if s.Engine == "" {
		return nil
	}
	return s
}

func (p *grammarParser) alterView() *Statement {
	if p.take("ALGORITHM") {
		if !p.mark("=") {
			return nil
		}
		p.next()
		p.next()
	}
	p.definer()
	if p.take("SQL") {
		if !p.take("SECURITY") || !p.take("DEFINER", "INVOKER") {
			return nil
		}
	}
	if !p.take("VIEW") {
		return nil
	}
	n, ok := p.name()
	if !ok {
		return nil
	}
	p.skip(false)
	return &Statement{Kind: "alter_view", Names: []Name{n}}
}

func (p *grammarParser) dropFunction() *Statement {
	if !p.take("FUNCTION") {
		return nil
	}
	s := &Statement{Kind: "drop_function"}
	if p.word == "IF" && p.kind == tokenWord {
		if !p.sequence("IF", "EXISTS") {
			return nil
		}
		s.Options = []string{"IF EXISTS"}
	}
	n, ok := p.name()
	if !ok {
		return nil
	}
	s.Names = []Name{n}
	return s
}
