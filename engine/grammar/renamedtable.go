package grammar

import (
	"fmt"
	"strings"

	"pfsd/engine/syntax"
)

// TriggerOn returns the text of a CREATE TRIGGER with the table to in the place of the table from.
// If the trigger is on another table, it returns text. It returns an error if text is no CREATE
// TRIGGER.
func TriggerOn(text, from, to string) (string, error) {
	p := NewParser(text)
	for p.Next(); !p.Take("BEFORE", "AFTER"); p.Next() {
		if p.Kind == syntax.End {
			return text, fmt.Errorf("%.100q makes no trigger", text)
		}
	}
	if !p.Take("INSERT", "UPDATE", "DELETE") || !p.Take("ON") {
		return text, fmt.Errorf("%.100q makes no trigger", text)
	}
	start, end := p.At, p.End
	n, ok := p.name()
	if !ok || !strings.EqualFold(n.Name, from) {
		return text, nil
	}
	if n.Database != "" {
		q := &Parser{syntax.Reader{Text: text, End: end}}
		q.Next() // the point
		q.Next()
		start, end = q.At, q.End
	}
	return text[:start] + syntax.QuoteName(to) + text[end:], nil
}
