package syntax

import "strings"

// Mode has the parts of sql_mode that affect parsing.
type Mode struct {
	// AnsiQuotes means that double quotes are around names, not around strings.
	AnsiQuotes bool
	// NoBackslashEscapes means that a backslash in a string is a character like any other.
	NoBackslashEscapes bool
}

type kind uint8

const (
	kindEnd      kind = iota // behind the last token
	kindWord                 // a keyword or a name without quotes
	kindName                 // a name in quotes
	kindVariable             // @name, @'name', @@name
	kindNumber
	kindString
	kindMark // an operator, or another character: := is one token, any other mark has one character
	kindCode // a /*! */ comment
)

// token is the token text[start:end].
type token struct {
	kind       kind
	start, end int
}

// scan returns the tokens of text, and a token of kindEnd behind them.
func scan(text string, m Mode) []token {
	tokens := make([]token, 0, len(text)/4+1)
	for last := (token{}); ; {
		last = next(text, last, m)
		tokens = append(tokens, last)
		if last.kind == kindEnd {
			return tokens
		}
	}
}

// next returns the token of text that follows the token last. The first token follows the zero
// token.
func next(text string, last token, m Mode) token {
	at := skipBlanks(text, last.end)
	rest := text[at:]
	if rest == "" {
		return token{kindEnd, at, at}
	}
	make := func(k kind, n int) token { return token{k, at, at + n} }
	switch c := rest[0]; {
	case isCode(rest):
		return make(kindCode, blockLength(rest))
	case c == '`', c == '"' && m.AnsiQuotes:
		return make(kindName, quotedLength(rest, true))
	case c == '\'', c == '"':
		return make(kindString, quotedLength(rest, m.NoBackslashEscapes))
	case c == '@':
		return make(kindVariable, variableLength(rest, m))
	case c == '.' && len(rest) > 1 && isDigit(rest[1]) && (last.end < at || last.kind != kindWord && last.kind != kindName):
		return make(kindNumber, numberLength(rest))
	case isDigit(c):
		named := last.kind == kindMark && text[at-1] == '.'
		if n := numberLength(rest); !named && (n == len(rest) || !IsWordByte(rest[n])) {
			return make(kindNumber, n)
		}
		return make(kindWord, wordLength(rest))
	case IsWordByte(c):
		n := wordLength(rest)
		if n == 1 && len(rest) > 1 && rest[1] == '\'' && strings.IndexByte("xXbBnN", c) >= 0 {
			return make(kindString, 1+quotedLength(rest[1:], m.NoBackslashEscapes))
		}
		return make(kindWord, n)
	case strings.HasPrefix(rest, ":="):
		return make(kindMark, 2)
	}
	return make(kindMark, 1)
}

// isCode reports whether s begins with a comment that is code for MySQL or MariaDB.
func isCode(s string) bool { return strings.HasPrefix(s, "/*!") || strings.HasPrefix(s, "/*M!") }

// skipBlanks returns where the white space and the comments end that begin at the offset at.
func skipBlanks(text string, at int) int {
	for {
		n := blankLength(text[at:])
		if n == 0 {
			return at
		}
		at += n
	}
}

// blankLength returns the length of the white space or comment at the beginning of s, 0 if there is
// none.
func blankLength(s string) int {
	switch {
	case s == "":
	case strings.IndexByte(" \t\r\n\v\f", s[0]) >= 0:
		return 1
	case strings.HasPrefix(s, "/*") && !isCode(s):
		return blockLength(s)
	case s[0] == '#', strings.HasPrefix(s, "--") && isLineComment(s):
		if n := strings.IndexByte(s, '\n'); n >= 0 {
			return n + 1
		}
		return len(s)
	}
	return 0
}

// blockLength returns the length of the comment at the beginning of s.
func blockLength(s string) int {
	if n := strings.Index(s[2:], "*/"); n >= 0 {
		return n + 4
	}
	return len(s)
}

// quotedLength returns the length of the quoted text at the beginning of s. If raw is set, a
// backslash escapes nothing.
func quotedLength(s string, raw bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && !raw:
			i++
		case s[i] != s[0]:
		case i+1 < len(s) && s[i+1] == s[0]:
			i++
		default:
			return i + 1
		}
	}
	return len(s)
}

// variableLength returns the length of the variable, or the host of an account, at the beginning of
// s.
func variableLength(s string, m Mode) int {
	n := 1
	if n < len(s) && s[n] == '@' {
		n++
	}
	if n < len(s) && strings.IndexByte("`'\"", s[n]) >= 0 {
		return n + quotedLength(s[n:], s[n] == '`' || m.NoBackslashEscapes)
	}
	for n < len(s) && (IsWordByte(s[n]) || s[n] == '.') {
		n++
	}
	return n
}

// numberLength returns the length of the number at the beginning of s.
func numberLength(s string) int {
	digits := func(n int, of string) int {
		for n < len(s) && strings.IndexByte(of, s[n]) >= 0 {
			n++
		}
		return n
	}
	const decimal = "0123456789"
	if strings.HasPrefix(s, "0x") {
		if n := digits(2, decimal+"abcdefABCDEF"); n > 2 {
			return n
		}
	}
	if strings.HasPrefix(s, "0b") {
		if n := digits(2, "01"); n > 2 {
			return n
		}
	}
	n := digits(0, decimal)
	if n < len(s) && s[n] == '.' {
		n = digits(n+1, decimal)
	}
	if n < len(s) && s[n]|0x20 == 'e' {
		sign := digits(n+1, "")
		if sign < len(s) && (s[sign] == '+' || s[sign] == '-') {
			sign++
		}
		if exponent := digits(sign, decimal); exponent > sign {
			return exponent
		}
	}
	return n
}

func wordLength(s string) (n int) {
	for n < len(s) && IsWordByte(s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsWordByte reports whether a name without quotes can have this byte.
func IsWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}
