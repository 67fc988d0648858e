package compat

import (
	"fmt"
	"strings"

	"pfsd/engine/syntax"
)

// TriggerOn returns the text of a CREATE TRIGGER with the table to in place of from.
func TriggerOn(text, from, to string) (string, error) {
	p := newGrammarParser(text)
	for p.Next(); !p.take("BEFORE", "AFTER"); p.Next() {
		if p.Kind == syntax.End {
			return text, fmt.Errorf("%.100q makes no trigger", text)
		}
	}
	if !p.take("INSERT", "UPDATE", "DELETE") || !p.take("ON") {
		return text, fmt.Errorf("%.100q makes no trigger", text)
	}
	start, end := p.At, p.End
	n, ok := p.name()
	if !ok || !strings.EqualFold(n.Name, from) {
		return text, nil
	}
	if n.Database != "" {
		q := &grammarParser{syntax.Reader{Text: text, End: end}}
		q.Next() // the point
		q.Next()
		start, end = q.At, q.End
	}
	return text[:start] + "`" + strings.ReplaceAll(to, "`", "``") + "`" + text[end:], nil
}
