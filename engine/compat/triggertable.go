package compat

import (
	"fmt"
	"strings"
)

// TriggerOn is the text of a CREATE TRIGGER whose table, if it was called from, is called to.
func TriggerOn(text, from, to string) (string, error) {
	p := &grammarParser{text: text}
	for p.next(); !p.take("BEFORE", "AFTER"); p.next() {
		if p.kind == tokenEnd {
			return text, fmt.Errorf("%.100q makes no trigger", text)
		}
	}
	if !p.take("INSERT", "UPDATE", "DELETE") || !p.take("ON") {
		return text, fmt.Errorf("%.100q makes no trigger", text)
	}
	start, end := p.at, p.end
	n, ok := p.name()
	if !ok || !strings.EqualFold(n.Name, from) {
		return text, nil
	}
	if n.Database != "" {
		q := &grammarParser{text: text, end: end}
		q.next() // the point
		q.next()
		start, end = q.at, q.end
	}
	return text[:start] + "`" + strings.ReplaceAll(to, "`", "``") + "`" + text[end:], nil
}
