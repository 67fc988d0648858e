package syntax

import (
	"errors"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// apart returns a text in which a blank separates operators that vitess takes for the beginning of
// a comment. It returns nil if there are none. If first is set, only the first statement matters.
//
//	SELECT 7--2  becomes  SELECT 7- -2
//
// vitess: -- and // begin a comment. MySQL: -- begins one only before a blank, a control character
// or the end of the text. Otherwise it is two signs, and // is two divisions.
//
// It is no rule, because vitess reads the rest of such a text as a comment without an error, and
// because rules copy parts of a text.
func apart(text string, first bool, m Mode) *rewriting {
	if !mayJoin(text) {
		return nil
	}
	var places []int
	inCode := func(from, to int) {
		for t := (token{}); ; {
			if t = next(text[from:to], t, Mode{}); t.kind == kindEnd {
				return
			}
			if makesComment(text[from:to], t) {
				places = append(places, from+t.end)
			}
		}
	}
	whole := !first
	for t := (token{}); ; {
		begins := t.end == 0
		if t = next(text, t, m); t.kind == kindEnd {
			break
		}
		if begins {
			word := text[t.start:t.end]
			whole = whole || t.kind == kindCode || strings.EqualFold(word, "CREATE") || strings.EqualFold(word, "ALTER") // a body has statements
		}
		switch {
		case t.kind == kindCode:
			inCode(t.start+len("/*!"), max(t.start+len("/*!"), t.end-len("*/")))
		case makesComment(text, t):
			places = append(places, t.end)
		}
		if !whole && t.kind == kindMark && text[t.start] == ';' {
			break
		}
	}
	if len(places) == 0 {
		return nil
	}
	r := &rewriting{text: text, mode: m}
	for _, at := range places {
		r.edit(at, at, " ")
	}
	return r
}

// mayJoin reports whether a text may have operators that vitess takes for a comment. It looks into
// texts and comments too.
func mayJoin(text string) bool {
	if strings.Contains(text, "//") {
		return true
	}
	for {
		i := strings.Index(text, "--")
		if i < 0 {
			return false
		}
		if !isLineComment(text[i:]) {
			return true
		}
		text = text[i+len("--"):]
	}
}

// makesComment reports whether vitess takes the mark t and the next character for the beginning of a
// comment.
func makesComment(text string, t token) bool {
	c := text[t.start]
	return t.kind == kindMark && (c == '-' || c == '/') && t.end < len(text) && text[t.end] == c
}

// isLineComment reports whether s, which begins with --, begins with a comment.
func isLineComment(s string) bool { return len(s) == 2 || s[2] <= ' ' || s[2] == 0x7F }

// parseApart parses the text of r, which apart has returned.
func parseApart(r *rewriting, parse func(text string) (ast.Statement, int, error)) (ast.Statement, int, error) {
	s, n, err := parse(r.result())
	var bad *Error
	if errors.As(err, &bad) {
		return s, n, newError(r.text, r.original(bad.at))
	}
	if err != nil {
		return s, n, err
	}
	r.restore(s)
	return s, r.originalEnd(n), nil
}
