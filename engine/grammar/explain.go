package grammar

import (
	"strconv"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
	"pfsd/engine/syntax"
)

// Explain is an EXPLAIN of a statement, or of the statement of another connection.
type Explain struct {
	Analyze bool
	// Format is the name behind FORMAT as the statement has it, "" without FORMAT.
	Format string
	// Into is the user variable that takes the plan, "" without INTO.
	Into string
	// Schema is the database behind FOR SCHEMA, "" for the current one.
	Schema string
	// Other reports what the EXPLAIN is about: if true, the statement of the connection Connection,
	// else the statement Text.
	Other      bool
	Connection uint64
	Text       string
	// Statement is the parsed Text.
	Statement ast.Statement
}

// explain reads what follows EXPLAIN: options and a statement, FOR CONNECTION, or a table and a
// column or a pattern of columns.
//
// vitess: knows only FORMAT = TREE. It does not know INTO, FOR CONNECTION, FOR SCHEMA, and a column
// behind a table. MySQL: has them.
func (p *Parser) explain() *Statement {
	if !mends.ExplainGrammar.On() {
		return nil
	}
	x := &Explain{}
	for p.Kind == syntax.Word {
		switch {
		case p.Take("ANALYZE"):
			x.Analyze = true
			continue
		case p.Take("FORMAT"):
			if !p.IsMark("=") {
				return nil
			}
			p.Next()
			switch {
			case p.Kind == syntax.Word, p.Kind == syntax.Name:
				x.Format = p.Raw
			case p.IsMark("'"), p.IsMark(`"`):
				x.Format = strings.Trim(p.Text[p.At:p.End], p.Word)
			default:
				return nil
			}
			p.Next()
			continue
		case p.Take("INTO"):
			name, ok := strings.CutPrefix(p.Raw, "@")
			if p.Kind != syntax.Other || !ok || strings.Contains(name, "@") || name == "" {
				return nil
			}
			x.Into = name
			p.Next()
			continue
		case p.Take("FOR"):
			if p.Take("CONNECTION") {
				var ok bool
				x.Connection, ok = p.number()
				x.Other = true
				if !ok || x.Analyze || x.Into != "" {
					return nil
				}
				return &Statement{Kind: "explain_other", Explain: x}
			}
			if !p.Take("SCHEMA", "DATABASE") || p.Kind != syntax.Word && p.Kind != syntax.Name {
				return nil
			}
			x.Schema = p.Raw
			p.Next()
			continue
		}
		break
	}
	if p.IsMark("(") {
		x.Text = p.rest()
		return &Statement{Kind: "explain", Explain: x}
	}
	switch p.Word {
	case "SELECT", "WITH", "TABLE", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE":
		if p.Kind == syntax.Word {
			x.Text = p.rest()
			return &Statement{Kind: "explain", Explain: x}
		}
	}
	if *x != (Explain{}) {
		return nil
	}
	return p.describeColumn()
}

// rest skips to the end of the statement and returns the skipped text.
func (p *Parser) rest() string {
	start, end := p.At, p.At
	for p.Kind != syntax.End && !p.IsMark(";") {
		end = p.End
		p.Next()
	}
	return p.Text[start:end]
}

// describeColumn reads a table, and a column or a pattern of columns.
func (p *Parser) describeColumn() *Statement {
	start := p.At
	if _, ok := p.name(); !ok {
		return nil
	}
	table := strings.TrimSpace(p.Text[start:p.At])
	pattern := ""
	switch {
	case p.Kind == syntax.Word || p.Kind == syntax.Name:
		pattern = "'" + strings.ReplaceAll(strings.ReplaceAll(p.Raw, `\`, `\\`), "'", "''") + "'"
	case p.IsMark("'") || p.IsMark(`"`):
		pattern = p.Text[p.At:p.End]
	default:
		return nil
	}
	p.Next()
	return &Statement{Kind: "show_fields", Instead: "SHOW COLUMNS FROM " + table + " LIKE " + pattern}
}

// number reads a whole number.
func (p *Parser) number() (uint64, bool) {
	n, err := strconv.ParseUint(p.Raw, 10, 64)
	p.Next()
	return n, err == nil
}
