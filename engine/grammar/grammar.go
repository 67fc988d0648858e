package grammar

import (
	"slices"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
	"pfsd/engine/syntax"
)

// Statement is a statement that [Grammar] or [ShowConditions] recognises.
type Statement struct {
	// Kind is MySQL's name of the statement: the last part of its instrument statement/sql/KIND.
	Kind string
	// Names are the tables, views or functions of the statement.
	Names []Name
	// Engine is the engine of SHOW ENGINE, or of CREATE TABLE.
	Engine string
	// Options are the options that the statement has, in upper case.
	Options []string
	// Limit is the LIMIT of the statement.
	Limit Limit
	// Diagnostics is a GET DIAGNOSTICS, nil for other statements.
	Diagnostics *Diagnostics
	// Explain is an EXPLAIN, nil for other statements.
	Explain *Explain
	// Signal is a SIGNAL, which vitess parses, nil for other statements.
	Signal *ast.Signal
	// Server reports whether the statement is one of serverStatements. If so, Tail is the text
	// behind the words that its line there has.
	Server bool
	Tail   string
	// Instead is a statement with the same meaning that vitess parses, "" if there is none.
	Instead string
	// Text is the text of the statement. Rest is the text behind the statement and its semicolon.
	Text, Rest string
}

// Limit says how many rows to skip, and how many rows to return at most.
type Limit struct{ Skip, Rows uint64 }

// Name is a name. Database is "" if the statement does not qualify the name with one.
type Name struct{ Database, Name string }

// Grammar returns the first statement of query if MySQL's grammar has it and vitess's grammar has
// not, else nil. Call it for a text that vitess cannot parse.
//
// vitess: the following are syntax errors. MySQL: has CHECK, CHECKSUM, OPTIMIZE and REPAIR TABLE,
// ANALYZE LOCAL TABLE, HANDLER, SHOW ENGINE, SHOW STORAGE ENGINES, SHOW CREATE FUNCTION, LOCK
// TABLE, CREATE and DROP FUNCTION, ENGINE before AS SELECT, RESET PERSIST, ALTER INSTANCE RELOAD
// TLS, EXPLAIN with formats and FOR CONNECTION, and GET DIAGNOSTICS, also in procedures.
func Grammar(query string) *Statement {
	if !mends.VitessGrammar.On() {
		return nil
	}
	p := NewParser(query)
	p.Next()
	start := p.At
	s := p.statement()
	if s == nil {
		return nil
	}
	if p.Kind != syntax.End && !p.IsMark(";") {
		return nil
	}
	s.Text = strings.TrimSpace(query[start:p.At])
	if p.Kind != syntax.End {
		s.Rest = query[p.End:]
		if p.Next(); p.Kind == syntax.End {
			s.Rest = ""
		}
	}
	return s
}

// Parser reads statements. Owned by one goroutine.
type Parser struct{ syntax.Reader }

func NewParser(text string) *Parser {
	return &Parser{syntax.Reader{Text: text}}
}

// Take skips the current token if it is one of these keywords, and reports whether it did.
func (p *Parser) Take(words ...string) bool {
	if p.Kind != syntax.Word || !slices.Contains(words, p.Word) {
		return false
	}
	p.Next()
	return true
}

// sequence skips these keywords if the current token is the first of them. It returns false only if
// the first keyword is there and the others do not follow it.
func (p *Parser) sequence(words ...string) bool {
	if p.Kind != syntax.Word || p.Word != words[0] {
		return true
	}
	for _, w := range words {
		if !p.Take(w) {
			return false
		}
	}
	return true
}

// name reads a name with or without its database.
func (p *Parser) name() (n Name, ok bool) {
	if p.Kind != syntax.Word && p.Kind != syntax.Name {
		return n, false
	}
	n.Name = p.Raw
	p.Next()
	if !p.IsMark(".") {
		return n, true
	}
	p.Next()
	if p.Kind != syntax.Word && p.Kind != syntax.Name {
		return n, false
	}
	n.Database, n.Name = n.Name, p.Raw
	p.Next()
	return n, true
}

func (p *Parser) names() (all []Name, ok bool) {
	for {
		n, ok := p.name()
		if !ok {
			return nil, false
		}
		all = append(all, n)
		if !p.IsMark(",") {
			return all, true
		}
		p.Next()
	}
}

// skip skips to the end of the statement. If the statement has a body, whose statements end with
// semicolons too, skip goes to the end of the text.
func (p *Parser) skip(body bool) {
	for p.Kind != syntax.End && (body || !p.IsMark(";")) {
		p.Next()
	}
}

// statement reads a statement. It returns nil, at an undefined position, if the statement is none
// that [Grammar] recognises.
func (p *Parser) statement() *Statement {
	start := p.At
	if p.Kind != syntax.Word {
		return nil
	}
	if s := p.serverStatement(); s != nil {
		return s
	}
	first := p.Word
	p.Next()
	switch first {
	case "ANALYZE", "CHECK", "CHECKSUM", "OPTIMIZE", "REPAIR":
		return p.maintenance(strings.ToLower(first))
	case "HANDLER":
		return p.handler()
	case "SHOW":
		at, end := p.At, p.End
		if p.Take("LOCAL") {
			return p.showLocal(p.Text[start:at], end)
		}
		return p.show()
	case "LOCK":
		at, end := p.At, p.End
		if !p.Take("TABLE") {
			return nil
		}
		p.skip(false)
		return &Statement{Kind: "lock_tables", Instead: p.Text[start:at] + "TABLES" + p.Text[end:p.At]}
	case "CREATE":
		return p.create()
	case "ALTER":
		return p.alterInstance()
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

// alterInstance reads what follows ALTER in ALTER INSTANCE RELOAD TLS. MYSQL_MAIN is the only
// channel of this server. NO ROLLBACK ON ERROR is optional.
func (p *Parser) alterInstance() *Statement {
	if p.Kind != syntax.Word || p.Word != "INSTANCE" || !p.sequence("INSTANCE", "RELOAD", "TLS") {
		return nil
	}
	s := &Statement{Kind: "alter_instance"}
	if p.Kind == syntax.Word && p.Word == "FOR" && !p.sequence("FOR", "CHANNEL", "MYSQL_MAIN") {
		return nil
	}
	if p.Kind == syntax.Word && p.Word == "NO" {
		if !p.sequence("NO", "ROLLBACK", "ON", "ERROR") {
			return nil
		}
		s.Options = []string{"NO ROLLBACK"}
	}
	return s
}

// resetPersist reads what follows RESET in RESET PERSIST, with or without a variable.
func (p *Parser) resetPersist() *Statement {
	if !p.Take("PERSIST") {
		return nil
	}
	s := &Statement{Kind: "reset"}
	if p.Kind == syntax.Word && p.Word == "IF" {
		if !p.sequence("IF", "EXISTS") {
			return nil
		}
		s.Options = []string{"IF EXISTS"}
	}
	if p.Kind != syntax.Word && p.Kind != syntax.Name {
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

// maintenance reads what follows the verb in ANALYZE, CHECK, CHECKSUM, OPTIMIZE or REPAIR TABLE.
func (p *Parser) maintenance(verb string) *Statement {
	s := &Statement{Kind: verb}
	if (verb == "analyze" || verb == "optimize" || verb == "repair") && p.Take("LOCAL", "NO_WRITE_TO_BINLOG") {
		s.Options = []string{"LOCAL"}
	}
	if !p.Take("TABLE", "TABLES") {
		return nil
	}
	var ok bool
	if s.Names, ok = p.names(); !ok {
		return nil
	}
	options := map[string][]string{
		"check":    {"QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED", "FOR"},
		"checksum": {"QUICK", "EXTENDED"},
		"repair":   {"QUICK", "EXTENDED", "USE_FRM"},
	}[verb]
	for p.Kind == syntax.Word && slices.Contains(options, p.Word) {
		s.Options = append(s.Options, p.Word)
		upgrade := p.Word == "FOR"
		if p.Next(); upgrade && !p.Take("UPGRADE") {
			return nil
		}
	}
	return s
}

func (p *Parser) handler() *Statement {
	n, ok := p.name()
	if !ok {
		return nil
	}
	s := &Statement{Names: []Name{n}}
	switch {
	case p.Take("OPEN"):
		s.Kind = "ha_open"
		p.Take("AS")
		if p.Kind == syntax.Word || p.Kind == syntax.Name {
			p.Next()
		}
	case p.Take("CLOSE"):
		s.Kind = "ha_close"
	case p.Take("READ"):
		s.Kind = "ha_read"
		p.skip(false)
	default:
		return nil
	}
	return s
}

// showLocal reads what follows SHOW LOCAL in SHOW LOCAL STATUS and SHOW LOCAL VARIABLES, where
// LOCAL means SESSION. show is the text before LOCAL, and end is the offset behind it.
func (p *Parser) showLocal(show string, end int) *Statement {
	kind := "show_" + strings.ToLower(p.Word)
	if !p.Take("STATUS") && !p.Take("VARIABLES") {
		return nil
	}
	p.skip(false)
	return &Statement{Kind: kind, Instead: show + "SESSION" + p.Text[end:p.At]}
}

func (p *Parser) show() *Statement {
	if p.Take("STORAGE") {
		if !p.Take("ENGINES") {
			return nil
		}
		return &Statement{Kind: "show_storage_engines", Instead: "SHOW ENGINES"}
	}
	if p.Take("CREATE") {
		if !p.Take("FUNCTION") {
			return nil
		}
		n, ok := p.name()
		if !ok {
			return nil
		}
		return &Statement{Kind: "show_create_func", Names: []Name{n}}
	}
	if !p.Take("ENGINE") || p.Kind != syntax.Word && p.Kind != syntax.Name {
		return nil
	}
	s := &Statement{Engine: p.Raw}
	p.Next()
	switch {
	case p.Take("STATUS"):
		s.Kind = "show_engine_status"
	case p.Take("MUTEX"):
		s.Kind = "show_engine_mutex"
	case p.Take("LOGS"):
		s.Kind = "show_engine_logs"
	default:
		return nil
	}
	return s
}

// create reads what follows CREATE in CREATE FUNCTION, CREATE TABLE with an ENGINE or a query, and
// CREATE PROCEDURE with GET DIAGNOSTICS in its body.
func (p *Parser) create() *Statement {
	if p.Take("TEMPORARY") || p.Word == "TABLE" {
		return p.createTable()
	}
	p.definer()
	if p.Kind == syntax.Word && p.Word == "PROCEDURE" {
		p.skip(true)
		instead, found := DiagnosticsAsSet(p.Text)
		if !found {
			return nil
		}
		return &Statement{Kind: "create_procedure", Instead: instead}
	}
	s := &Statement{Kind: "create_function"}
	if p.Take("AGGREGATE") {
		s.Options = []string{"LOADABLE"}
	}
	if !p.Take("FUNCTION") || !p.sequence("IF", "NOT", "EXISTS") {
		return nil
	}
	n, ok := p.name()
	if !ok {
		return nil
	}
	s.Names = []Name{n}
	if p.Kind == syntax.Word && p.Word == "RETURNS" { // without parameters in parentheses
		s.Options = []string{"LOADABLE"}
	}
	p.skip(true)
	return s
}

// definer skips DEFINER = user, if it is there.
func (p *Parser) definer() {
	if !p.Take("DEFINER") {
		return
	}
	for p.Kind != syntax.End && !(p.Kind == syntax.Word && slices.Contains([]string{"AGGREGATE", "FUNCTION", "PROCEDURE", "SQL", "VIEW"}, p.Word)) {
		p.Next()
	}
}

func (p *Parser) createTable() *Statement {
	if !p.Take("TABLE") || !p.sequence("IF", "NOT", "EXISTS") {
		return nil
	}
	n, ok := p.name()
	if !ok {
		return nil
	}
	s := &Statement{Kind: "create_table", Names: []Name{n}}
	for depth := 0; p.Kind != syntax.End && !p.IsMark(";"); p.Next() {
		switch {
		case p.IsMark("("):
			depth++
		case p.IsMark(")"):
			depth--
		case depth == 0 && p.Kind == syntax.Word && p.Word == "ENGINE":
			p.Next()
			if p.IsMark("=") {
				p.Next()
			}
			if p.Kind == syntax.Word || p.Kind == syntax.Name {
				s.Engine = p.Raw
			}
		}
	}
	s.Instead = createSelect(p.Text[:p.At])
	if s.Engine == "" && s.Instead == "" {
		return nil
	}
	return s
}

func (p *Parser) dropFunction() *Statement {
	if !p.Take("FUNCTION") {
		return nil
	}
	s := &Statement{Kind: "drop_function"}
	if p.Word == "IF" && p.Kind == syntax.Word {
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
