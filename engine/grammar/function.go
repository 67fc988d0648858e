package grammar

import (
	"slices"
	"strings"

	"pfsd/engine/syntax"
)

// Function is a CREATE FUNCTION.
type Function struct {
	Name Name
	// Returns is the type of the result.
	Returns string
	// IfNotExists tells whether the statement has IF NOT EXISTS.
	IfNotExists bool
	// Procedure is a CREATE PROCEDURE of the same length with the same parameters, characteristics and body. In the body each RETURN is a
	// SELECT, which has as many letters.
	Procedure string
}

// typeWords are the words that can follow the first word of a type.
var typeWords = []string{
	"ASCII", "BINARY", "BYTE", "CHAR", "CHARACTER", "CHARSET", "COLLATE", "PRECISION", "SET", "SIGNED", "UNICODE", "UNSIGNED", "VARBINARY",
	"VARCHAR", "VARCHARACTER", "VARYING", "ZEROFILL",
}

// CreateFunction returns the statement text if it is a CREATE FUNCTION; ok is false for any other, and for one with a syntax error before
// its body.
//
// vitess: does not know CREATE FUNCTION and RETURN. MySQL: has both.
func CreateFunction(text string) (f Function, ok bool) {
	p := NewParser(text)
	if p.Next(); !p.Take("CREATE") {
		return f, false
	}
	p.definer()
	function, end := p.At, p.End
	if !p.Take("FUNCTION") {
		return f, false
	}
	out := []byte(text)
	blank := func(from, to int) { copy(out[from:to], strings.Repeat(" ", to-from)) }
	condition := p.At
	f.IfNotExists = p.Kind == syntax.Word && p.Word == "IF"
	if !p.sequence("IF", "NOT", "EXISTS") {
		return f, false
	}
	blank(condition, p.At)
	if f.Name, ok = p.name(); !ok || !p.IsMark("(") {
		return f, false
	}
	p.parentheses()
	returns := p.At
	if !p.Take("RETURNS") {
		return f, false
	}
	last := p.At
	for word := true; p.Kind == syntax.Word && (word || slices.Contains(typeWords, p.Word)); word = false {
		named := p.Word == "SET" && !word || p.Word == "CHARSET" || p.Word == "COLLATE"
		if p.Word == "CHARSET" { // vitess knows only the other word for it
			f.Returns += " CHARACTER SET"
		} else {
			f.Returns += " " + p.Raw
		}
		last = p.End
		p.Next()
		switch begin := p.At; {
		case p.IsMark("("):
			last = p.parentheses()
			f.Returns += text[begin:last]
		case named: // CHARACTER SET, CHARSET and COLLATE have a name
			f.Returns += " " + p.Raw
			last = p.End
			p.Next()
		}
	}
	blank(returns, last)
	for dotted := false; p.Kind != syntax.End; p.Next() {
		if p.Kind == syntax.Word && p.Word == "RETURN" && !dotted {
			copy(out[p.At:p.End], "SELECT")
		}
		dotted = p.IsMark(".")
	}
	// PROCEDURE has one letter more; what follows RETURNS keeps its place.
	f.Procedure = string(out[:function]) + "PROCEDURE" + string(out[end:returns]) + string(out[returns+1:])
	return f, true
}

// parentheses skips what stands in parentheses, and returns where it ends: at the end of the text if they are not closed.
func (p *Parser) parentheses() (end int) {
	for depth := 0; p.Kind != syntax.End; p.Next() {
		end = p.End
		switch {
		case p.IsMark("("):
			depth++
		case p.IsMark(")"):
			depth--
		}
		if depth == 0 {
			p.Next()
			break
		}
	}
	return end
}

// IsReturn reports whether text is that of a RETURN.
func IsReturn(text string) bool {
	p := NewParser(text)
	p.Next()
	return p.Take("RETURN")
}
