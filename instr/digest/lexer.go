package digest

import (
	"strings"
	"unicode/utf8"
)

// lexer splits a statement into tokens. After text that MySQL's lexer cannot read it continues, or
// stops, exactly as MySQL's lexer does. Owned by one goroutine.
type lexer struct {
	sql  string
	mode Mode
	at   int // the next byte
	// state says what the next token may be.
	state state
	// inComment says that the text is inside of a comment that is executed.
	inComment bool
	// name is the identifier that next returned, as it is written in the statement; doubled is the
	// quote that is written twice in it to stand for one, 0 if there is none.
	name    string
	doubled byte
}

// state is what the previous token says about the next one.
type state uint8

const (
	atStart     state = iota
	atDot             // the dot after an identifier
	atName            // a name after a dot, which is no keyword
	atHost            // what follows @
	atSystem          // the second @
	atSystemVar       // what follows @@
)

// class is the kind of tokens that a byte can begin.
type class uint8

const (
	isChar class = iota
	isSpace
	isIdent // letters, _ and the first bytes of characters of several bytes
	isDigit
	isNchar // n
	isHex   // x
	isBin   // b
	isDollar
	isString // '
	isDouble // "
	isBack   // `
	isPoint  // .
	isCompare
	isLess // <
	isBool // & |
	isHash // #
	isColon
	isSlash
	isStar
	isAt
	isZero
)

var classes = func() (c [256]class) {
	for b := range c {
		switch {
		case 'a' <= b|0x20 && b|0x20 <= 'z', b == '_', 0xC2 <= b && b <= 0xF7:
			c[b] = isIdent
		case '0' <= b && b <= '9':
			c[b] = isDigit
		case b == ' ', '\t' <= b && b <= '\r':
			c[b] = isSpace
		}
	}
	for b, k := range map[byte]class{
		'n': isNchar, 'N': isNchar, 'x': isHex, 'X': isHex, 'b': isBin, 'B': isBin, '$': isDollar, '\'': isString,
		'"': isDouble, '`': isBack, '.': isPoint, '>': isCompare, '=': isCompare, '!': isCompare, '<': isLess,
		'&': isBool, '|': isBool, '#': isHash, ':': isColon, '/': isSlash, '*': isStar, '@': isAt, 0: isZero,
	} {
		c[b] = k
	}
	return c
}()

// inIdent are the bytes that can be in an identifier; for a character of several bytes, the first
// byte.
var inIdent = func() (in [256]bool) {
	for b, k := range classes {
		in[b] = isIdent <= k && k <= isDollar
	}
	return in
}()

// peek returns the byte that is n bytes ahead, 0 beyond the end.
func (l *lexer) peek(n int) byte {
	if l.at+n < len(l.sql) {
		return l.sql[l.at+n]
	}
	return 0
}

// next returns the next token, tokEnd at the end.
func (l *lexer) next() token {
	l.name, l.doubled = "", 0
	s := l.state
	l.state = atStart
	switch s {
	case atDot:
		return l.dot()
	case atName:
		return l.identifierOnly(l.at)
	case atHost:
		for c := l.peek(0); isAlphanumeric(c) || c == '.' || c == '_' || c == '$'; c = l.peek(0) {
			l.at++
		}
		return tokHostname
	case atSystem:
		l.at++
		if l.peek(0) != '`' {
			l.state = atSystemVar
		}
		return '@'
	case atSystemVar:
		return l.systemVariable()
	}
	for {
		for l.at < len(l.sql) && classes[l.sql[l.at]] == isSpace {
			l.at++
		}
		if t, ok := l.scanToken(); ok {
			return t
		}
	}
}

// scanToken returns the token that begins at the next byte; false if a comment begins there, which
// it skips. It has one case for each class of bytes that a token can begin with.
func (l *lexer) scanToken() (token, bool) {
	start := l.at
	c := l.peek(0)
	l.at++
	switch classes[c] {
	case isIdent:
		return l.word(start), true
	case isDigit:
		return l.number(start), true
	case isNchar:
		if l.peek(0) != '\'' {
			return l.word(start), true
		}
		l.at++
		if l.text('\'') {
			return tokNchar, true
		}
		return l.char(c)
	case isHex:
		if l.peek(0) != '\'' {
			return l.word(start), true
		}
		return l.quotedNumber(isHexDigit, 2, tokHexNum), true
	case isBin:
		if l.peek(0) != '\'' {
			return l.word(start), true
		}
		return l.quotedNumber(isBinDigit, 1, tokBinNum), true
	case isDollar:
		return l.dollar(start), true
	case isDouble:
		if l.mode&AnsiQuotes != 0 {
			return l.quoted(c), true
		}
		fallthrough
	case isString:
		if l.text(c) {
			return tokText, true
		}
		return l.char(c)
	case isBack:
		return l.quoted(c), true
	case isPoint:
		if isDecDigit(l.peek(0)) {
			return l.real()
		}
		l.at--
		return l.dot(), true
	case isCompare:
		if k := classes[l.peek(0)]; k == isCompare || k == isLess {
			l.at++
		}
		return l.comparison(start)
	case isLess:
		if k := classes[l.peek(0)]; k == isCompare || k == isLess {
			l.at++
			if classes[l.peek(0)] == isCompare {
				l.at++
			}
		}
		return l.comparison(start)
	case isBool:
		if l.peek(0) != c {
			return l.char(c)
		}
		l.at++
		switch {
		case c == '&':
			return tokAndAnd, true
		case l.mode&PipesAsConcat != 0:
			return tokOrOr, true
		}
		return tokOr2, true
	case isHash:
		l.skipLine()
		return 0, false
	case isColon:
		if l.peek(0) != '=' {
			return l.char(c)
		}
		l.at++
		return tokSetVar, true
	case isSlash:
		if l.peek(0) != '*' {
			return l.char(c)
		}
		l.at++
		if !l.comment() {
			return tokAbort, true
		}
		return 0, false
	case isStar:
		if l.inComment && l.peek(0) == '/' {
			l.at++
			l.inComment = false
			return 0, false
		}
		return l.char(c)
	case isAt:
		switch classes[l.peek(0)] {
		case isString, isDouble, isBack:
		case isAt:
			l.state = atSystem
		default:
			l.state = atHost
		}
		return '@', true
	case isZero:
		l.at-- // the next call finds the end again
		if l.inComment && l.at >= len(l.sql) {
			l.inComment = false
			return tokAbort, true
		}
		return tokEnd, true
	}
	return l.char(c)
}

// char returns the character c, which has been read, as a token, unless a longer token begins with
// it.
func (l *lexer) char(c byte) (token, bool) {
	switch c {
	case 0:
		return tokEnd, true
	case '-':
		if l.peek(0) == '-' && (classes[l.peek(1)] == isSpace || isControl(l.peek(1))) {
			l.skipLine()
			return 0, false
		}
		if l.peek(0) == '>' {
			l.at++
			if l.peek(0) == '>' {
				l.at++
				return tokJSONUnq, true
			}
			return tokJSONSep, true
		}
	case '?':
		if !inIdent[l.peek(0)] {
			return tokParam, true
		}
	}
	return token(c), true
}

// comparison returns the operator that begins at start and ends here. If the characters are no
// operator, MySQL takes the first one and loses the rest.
func (l *lexer) comparison(start int) (token, bool) {
	if t := operator(l.sql[start:l.at]); t != 0 {
		return t, true
	}
	return l.char(l.sql[start])
}

// characters reads up to the end of an identifier. hash is the hash of the part before; it returns
// that of all.
func (l *lexer) characters(hash uint32) uint32 {
	for l.at < len(l.sql) {
		c := l.sql[l.at]
		if !inIdent[c] {
			break
		}
		if c >= utf8.RuneSelf {
			_, n := utf8.DecodeRuneInString(l.sql[l.at:])
			l.at += n
			hash = hashStep(hash, c)
			continue
		}
		hash = hashStep(hash, c)
		l.at++
	}
	return hash
}

// word returns the keyword or identifier that begins at start; its first byte has been read.
func (l *lexer) word(start int) token {
	first := l.sql[start]
	if first >= utf8.RuneSelf {
		r, n := utf8.DecodeRuneInString(l.sql[start:])
		if r == utf8.RuneError && n == 1 {
			return token(first)
		}
		l.at = start + n
	}
	hash := l.characters(hashStep(hashStart, first))
	end := l.at
	if l.mode&IgnoreSpace != 0 {
		for l.at < len(l.sql) && classes[l.sql[l.at]] == isSpace {
			l.at++
		}
	}
	if l.at == end && l.peek(0) == '.' && inIdent[l.peek(1)] {
		l.state = atDot // so it is no keyword
	} else if t := lookUp(l.sql[start:end], hash, l.peek(0) == '('); t != 0 {
		if t == tokNot && l.mode&HighNotPrecedence != 0 {
			return tokNot2
		}
		return t
	}
	if first == '_' && isCharset(l.sql[start+1:end]) {
		return tokCharset
	}
	l.name = l.sql[start:end]
	return tokIdent
}

// identifierOnly returns the identifier that begins at start and continues at the next byte; it is
// no keyword.
func (l *lexer) identifierOnly(start int) token {
	l.characters(hashStart)
	if l.peek(0) == '.' && inIdent[l.peek(1)] {
		l.state = atDot
	}
	l.name = l.sql[start:l.at]
	return tokIdent
}

// dot returns the dot that is the next byte.
func (l *lexer) dot() token {
	l.at++
	if inIdent[l.peek(0)] {
		l.state = atName
	}
	return '.'
}

// systemVariable returns what follows @@: a name, or GLOBAL and the like.
func (l *lexer) systemVariable() token {
	start := l.at
	hash := hashStart
	for ; inIdent[l.peek(0)]; l.at++ {
		hash = hashStep(hash, l.sql[l.at])
	}
	if l.at == start {
		return tokAbort
	}
	if l.peek(0) == '.' {
		l.state = atDot
	}
	if t := lookUp(l.sql[start:l.at], hash, false); t != 0 {
		return t
	}
	l.name = l.sql[start:l.at]
	return tokIdent
}

// text skips a text whose opening quote has been read; it returns false if the text does not end.
func (l *lexer) text(quote byte) bool {
	for l.at < len(l.sql) {
		switch c := l.sql[l.at]; {
		case c == '\\' && l.mode&NoBackslashEscapes == 0:
			l.at += 2
		case c != quote:
			l.at++
		case l.peek(1) == quote:
			l.at += 2
		default:
			l.at++
			return true
		}
	}
	l.at = len(l.sql)
	return false
}

// quoted returns the identifier whose opening quote has been read.
func (l *lexer) quoted(quote byte) token {
	start := l.at
	for l.at < len(l.sql) {
		switch l.sql[l.at] {
		case 0:
			return tokAbort
		case quote:
			if l.peek(1) != quote {
				l.name = l.sql[start:l.at]
				l.at++
				return tokIdent
			}
			l.doubled = quote
			l.at++
		}
		l.at++
	}
	return tokAbort
}

// dollar returns the identifier that begins with $, or the text between two $TAG$.
func (l *lexer) dollar(start int) token {
	tag := l.at
	for c := l.peek(0); c != '$' && inIdent[c]; c = l.peek(0) {
		if c < utf8.RuneSelf {
			l.at++
		} else {
			_, n := utf8.DecodeRuneInString(l.sql[l.at:])
			l.at += n
		}
	}
	if l.peek(0) != '$' {
		l.at = tag
		return l.word(start)
	}
	l.at++
	quote := l.sql[start:l.at]
	n := strings.Index(l.sql[l.at:], quote)
	if n < 0 {
		return tokAbort
	}
	l.at += n + len(quote)
	return tokDollar
}

func isDecDigit(c byte) bool     { return '0' <= c && c <= '9' }
func isBinDigit(c byte) bool     { return c == '0' || c == '1' }
func isHexDigit(c byte) bool     { return isDecDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
func isAlphanumeric(c byte) bool { return isDecDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }
func isControl(c byte) bool      { return c < ' ' || c == 0x7F }
