package digest

import (
	"strings"
	"unicode/utf8"
)

// hintable are the words after which a comment with optimizer hints may stand.
var hintable = tokenSet("SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE").has

// hintScanner splits a comment with hints into tokens, which differ from those of statements: = is
// a character here, for example. Owned by one goroutine.
type hintScanner struct {
	lexer
	before hintKind
}

// hintKind is the kind of a token in hints, as MySQL's scanner of hints knows them.
type hintKind uint8

const (
	hintEnd hintKind = iota // the statement's end, within the comment
	hintError
	hintClose
	hintWord
	hintChar
	hintParenthesis // the opening one
	hintNumber
	hintText
	hintName
	hintBlock // @ and the name of a query block
)

// hints adds the hints that follow to s, if there are any. It returns true if their comment does
// not end. As in MySQL, hints that are not understood are part of the digest too.
func (l *lexer) hints(s *stream) bool {
	at := l.at
	for at < len(l.sql) && classes[l.sql[at]] == isSpace {
		at++
	}
	if !strings.HasPrefix(l.sql[at:], "/*+") {
		return false
	}
	h := hintScanner{lexer: lexer{sql: l.sql, mode: l.mode, at: at + len("/*+")}}
	empty := true
	for {
		kind, t := h.scan()
		h.before = kind
		switch kind {
		case hintEnd:
			return true
		case hintError:
			continue
		case hintClose:
			if !empty && !s.full {
				s.put(tokHintClose, "", 0)
			}
			l.at = h.at
			return false
		}
		if s.full {
			continue
		}
		if empty {
			s.put(tokHintOpen, "", 0)
			empty = false
		}
		if kind == hintBlock && !s.full {
			s.put('@', "", 0)
		}
		if !s.full {
			s.put(t, h.name, h.doubled)
		}
	}
}

// scan returns the next token of the comment; its name is in h.
func (h *hintScanner) scan() (hintKind, token) {
	h.name, h.doubled = "", 0
	start := h.at
	for h.at < len(h.sql) && classes[h.sql[h.at]] == isSpace {
		h.at++
	}
	spaced := h.at > start
	start = h.at
	if h.at >= len(h.sql) {
		return hintEnd, 0
	}
	c := h.sql[h.at]
	switch {
	case isDecDigit(c):
		return h.number()
	case c >= utf8.RuneSelf && inIdent[c]:
		return h.identifier(start)
	case inIdent[c]:
		return h.word()
	case c == '\'' || c == '"' || c == '`':
		return h.quoted(c)
	case c == '*' && h.peek(1) == '/':
		h.at += 2
		return hintClose, 0
	case c == '@' && (h.before == hintParenthesis || h.before == hintName && !spaced):
		h.at++
		switch c := h.peek(0); {
		case c == '`' || c == '"':
			if kind, _ := h.quoted(c); kind == hintName {
				return hintBlock, tokIdent
			}
		case inIdent[c]:
			if kind, _ := h.identifier(h.at); kind == hintName {
				return hintBlock, tokIdent
			}
		}
		return hintError, 0
	case c == '.':
		return h.fraction()
	}
	h.at++
	if c == '(' {
		return hintParenthesis, '('
	}
	return hintChar, token(c)
}

// named returns the kind and token of an identifier, which differ if @ follows.
func (h *hintScanner) named() (hintKind, token) {
	if h.peek(0) == '@' {
		return hintName, tokIdentifierAt
	}
	return hintName, tokIdent
}

// identifier returns the identifier that begins at start and continues at the next byte.
func (h *hintScanner) identifier(start int) (hintKind, token) {
	for inIdent[h.peek(0)] {
		if h.sql[h.at] < utf8.RuneSelf {
			h.at++
			continue
		}
		r, n := utf8.DecodeRuneInString(h.sql[h.at:])
		h.at += n
		if r == utf8.RuneError && n == 1 {
			return hintError, 0
		}
	}
	h.name = h.sql[start:h.at]
	return h.named()
}

func (h *hintScanner) word() (hintKind, token) {
	start := h.at
	hash := hashStart
	for ; inIdent[h.peek(0)] && h.sql[h.at] < utf8.RuneSelf; h.at++ {
		hash = hashStep(hash, h.sql[h.at])
	}
	if inIdent[h.peek(0)] {
		return h.identifier(start)
	}
	if k := hintWords.find(h.sql[start:h.at], hash); k != nil {
		return hintWord, k.token
	}
	h.name = h.sql[start:h.at]
	return h.named()
}

// number returns a number, which K, M or G may follow, or an identifier that begins with digits.
func (h *hintScanner) number() (hintKind, token) {
	start := h.at
	h.digits()
	switch c := h.peek(0); {
	case c == '.':
		return h.fraction()
	case !inIdent[c]:
		return hintNumber, tokNum
	case c == 'K' || c == 'M' || c == 'G':
		h.at++
		if c := h.peek(0); !inIdent[c] || c >= utf8.RuneSelf {
			return hintNumber, tokNum
		}
	}
	return h.identifier(start)
}

func (h *hintScanner) fraction() (hintKind, token) {
	h.at++
	if !isDecDigit(h.peek(0)) {
		return hintError, 0
	}
	h.digits()
	if inIdent[h.peek(0)] {
		return hintError, 0
	}
	return hintNumber, tokNum
}

// quoted returns a quoted text or identifier. It is an error if the end of the comment is inside.
func (h *hintScanner) quoted(quote byte) (hintKind, token) {
	h.at++
	start := h.at
	for h.at < len(h.sql) {
		switch c := h.sql[h.at]; {
		case c == '*' && h.peek(1) == '/':
			return hintError, 0
		case c == quote && h.peek(1) == quote:
			h.doubled = quote
			h.at += 2
		case c == quote:
			h.name = h.sql[start:h.at]
			if h.name == "" {
				return hintError, 0
			}
			h.at++
			if quote == '`' || quote == '"' && h.mode&AnsiQuotes != 0 {
				return h.named()
			}
			return hintText, tokText
		default:
			h.at++
		}
	}
	return hintError, 0
}
