package compat

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Explain is EXPLAIN of a statement, or of what another connection does.
type Explain struct {
	Analyze bool
	// Format is as it is written, "" for none.
	Format string
	// Into is the user variable that takes the plan, "" for none.
	Into string
	// Schema is the database that the statement is in, "" for the current one.
	Schema string
	// Other tells that it is about Connection, else it is about the statement Text.
	Other      bool
	Connection uint64
	Text       string
	// Statement is the statement when it is parsed.
	Statement ast.Statement
}

// explain reads EXPLAIN of a statement with what may stand before it, of a connection, and of a table
// with the name or a pattern of columns.
//
// go-mysql-server: FORMAT = TREE alone, no INTO, FOR CONNECTION, FOR SCHEMA, no column. MySQL: has them.
func (p *grammarParser) explain() *Statement {
	x := &Explain{}
	for p.kind == tokenWord {
		switch {
		case p.take("ANALYZE"):
			x.Analyze = true
			continue
		case p.take("FORMAT"):
			if !p.mark("=") {
				return nil
			}
			p.next()
			if p.kind != tokenWord && p.kind != tokenName {
				return nil
			}
			x.Format = p.raw
			p.next()
			continue
		case p.take("INTO"):
			name, ok := strings.CutPrefix(p.raw, "@")
			if p.kind != tokenOther || !ok || strings.Contains(name, "@") || name == "" {
				return nil
			}
			x.Into = name
			p.next()
			continue
		case p.take("FOR"):
			if p.take("CONNECTION") {
				var ok bool
				x.Connection, ok = p.number()
				x.Other = true
				if !ok || x.Analyze || x.Into != "" {
					return nil
				}
				return &Statement{Kind: "explain_other", Explain: x}
			}
			if !p.take("SCHEMA", "DATABASE") || p.kind != tokenWord && p.kind != tokenName {
				return nil
			}
			x.Schema = p.raw
			p.next()
			continue
		}
		break
	}
	if p.mark("(") {
		x.Text = p.rest()
		return &Statement{Kind: "explain", Explain: x}
	}
	switch p.word {
	case "SELECT", "WITH", "TABLE", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE":
		if p.kind == tokenWord {
			x.Text = p.rest()
			return &Statement{Kind: "explain", Explain: x}
		}
	}
	if *x != (Explain{}) {
		return nil
	}
	return p.describeColumn()
}

// rest goes on to the end of the statement and returns its text from here.
func (p *grammarParser) rest() string {
	start, end := p.at, p.at
	for p.kind != tokenEnd && !p.mark(";") {
		end = p.end
		p.next()
	}
	return p.text[start:end]
}

// describeColumn reads a table and a column, or a pattern of columns.
func (p *grammarParser) describeColumn() *Statement {
	start := p.at
	if _, ok := p.name(); !ok {
		return nil
	}
	table := strings.TrimSpace(p.text[start:p.at])
	pattern := ""
	switch {
	case p.kind == tokenWord || p.kind == tokenName:
		pattern = "'" + strings.ReplaceAll(strings.ReplaceAll(p.raw, `\`, `\\`), "'", "''") + "'"
	case p.mark("'") || p.mark(`"`):
		pattern = p.text[p.at:p.end]
	default:
		return nil
	}
	p.next()
	return &Statement{Kind: "show_fields", Instead: "SHOW COLUMNS FROM " + table + " LIKE " + pattern}
}

// number reads a whole number.
func (p *grammarParser) number() (n uint64, ok bool) {
	if p.kind != tokenWord || len(p.raw) > 19 {
		return 0, false
	}
	for _, c := range p.raw {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	p.next()
	return n, true
}
