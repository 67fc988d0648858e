package bounds

import "strings"

// kind is the kind of a token. Only kinds that matter for the weight of a text are distinguished.
type kind uint8

const (
	end       kind = iota
	word           // a keyword or a name without quotes
	leaf           // a name in quotes, a variable, an account
	number         // a number or a marker
	text           // a text in quotes
	mark           // an operator, or anything else
	dot            // between the parts of a name
	comma          // ,
	open           // (
	closing        // )
	semicolon      // ;
	parameter      // :name, which may be a label and the word after it
)

// lexer splits a text into tokens exactly as vitess's tokenizer does, so that neither finds a token
// that the other misses. Owned by one goroutine.
//
// In some ways the tokenizer differs from MySQL: // begins a comment, as does -- without a blank
// after it; @@a'b is one token, in which the quote means nothing; ANSI_QUOTES does not apply inside
// /*! */; a NUL after a text begins another text.
type lexer struct {
	text string
	at   int  // where the next token begins
	end  int  // end of the text, or of the /*! */ comment that is being read
	ansi bool // names stand in double quotes

	after       int  // where the text continues behind the /*! */ comment; 0 outside of one
	afterAnsi   bool // the value of ansi behind that comment
	afterName   bool // the last token was a name: a dot behind it does not begin a number
	accountNext bool // the next token is an @ by itself, as in name@host
	start       int  // of the token
	from        int  // where the text, or the /*! */ comment that is being read, begins
}

func newLexer(text string, ansi bool) lexer { return lexer{text: text, end: len(text), ansi: ansi} }

const (
	isLetter = 1 << iota
	isDigit
	isBlank
	isHex
	inVariable // may stand in the name of a system variable
)

// classes has the classes of each byte.
var classes = func() (of [256]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		of[c] |= isLetter | inVariable
		of[c-'a'+'A'] |= isLetter | inVariable
	}
	for c := '0'; c <= '9'; c++ {
		of[c] |= isDigit | isHex | inVariable
	}
	for _, c := range "abcdefABCDEF" {
		of[c] |= isHex
	}
	for _, c := range " \n\r\t" {
		of[c] |= isBlank
	}
	of['_'] |= isLetter | inVariable
	for _, c := range ".'\"`" {
		of[c] |= inVariable
	}
	return of
}()

// isSpace is unicode.IsSpace for a byte.
func isSpace(c byte) bool { return c >= '\t' && c <= '\r' || c == ' ' || c == 0x85 || c == 0xA0 }

// skip skips characters of these classes.
func (l *lexer) skip(of uint8) {
	for l.at < l.end && classes[l.text[l.at]]&of != 0 {
		l.at++
	}
}

// is reports whether the character n places ahead is c.
func (l *lexer) is(n int, c byte) bool { return l.at+n < l.end && l.text[l.at+n] == c }

// next reads the next token, text[start:at], and returns its kind.
func (l *lexer) next() kind {
	if l.accountNext {
		l.accountNext, l.afterName = false, false
		l.start = l.at
		l.at++
		return mark
	}
	k := l.token()
	if k == parameter {
		return word
	}
	l.afterName = k == word || k == leaf
	if l.afterName {
		l.accountNext = l.is(0, '@')
	}
	return k
}

// token reads the next token. It is one case for each character that a token can begin with.
func (l *lexer) token() kind {
	for {
		if l.at > l.from && l.is(0, 0) {
			l.at++
		}
		l.skip(isBlank)
		if l.at >= l.end {
			if l.after == 0 {
				l.start = l.at
				return end
			}
			l.at, l.end, l.ansi, l.after, l.from = l.after, len(l.text), l.afterAnsi, 0, 0
			continue
		}
		l.start = l.at
		c := l.text[l.at]
		switch {
		case classes[c]&isLetter != 0:
			return l.word(c)
		case classes[c]&isDigit != 0:
			return l.number()
		}
		l.at++
		switch c {
		case '\'', 0:
			return l.string(c)
		case '"':
			if l.ansi {
				return l.name('"')
			}
			return l.string('"')
		case '`':
			return l.name('`')
		case ',':
			return comma
		case '(':
			return open
		case ')':
			return closing
		case ';':
			return semicolon
		case '@':
			return l.variable()
		case ':':
			return l.colon()
		case '.':
			if !l.afterName && l.at < l.end && classes[l.text[l.at]]&isDigit != 0 {
				l.skip(isDigit)
				l.exponent()
				return number
			}
			return dot
		case '?':
			return number
		case '#':
			l.line()
		case '-':
			if !l.is(0, '-') {
				if l.is(0, '>') {
					if l.at++; l.is(0, '>') {
						l.at++
					}
				}
				return mark
			}
			l.line()
		case '/':
			switch {
			case l.is(0, '/'):
				l.line()
			case l.is(0, '*'):
				l.at++
				l.comment()
			default:
				return mark
			}
		case '<', '>', '!', '&', '|':
			l.operator(c)
			return mark
		default:
			return mark
		}
	}
}

// operator skips the rest of an operator that begins with c.
func (l *lexer) operator(c byte) {
	switch {
	case l.is(0, '='):
		if c == '<' || c == '>' || c == '!' {
			if l.at++; c == '<' && l.is(0, '>') {
				l.at++
			}
		}
	case c == '<' && l.is(0, '>'), c != '!' && l.is(0, c):
		l.at++
	}
}

// word skips the rest of a word that begins with c.
func (l *lexer) word(c byte) kind {
	if l.is(1, '\'') {
		switch c {
		case 'x', 'X':
			return l.bits(isHex)
		case 'b', 'B':
			return l.bits(isDigit)
		}
	}
	l.skip(isLetter | isDigit)
	return word
}

// bits skips x'12' or b'01'.
func (l *lexer) bits(digits uint8) kind {
	l.at += 2
	if digits == isHex {
		l.skip(isHex)
	} else {
		for l.is(0, '0') || l.is(0, '1') {
			l.at++
		}
	}
	if l.is(0, '\'') {
		l.at++
	}
	return text
}

// number skips a number, or a name that begins like one.
func (l *lexer) number() kind {
	dotted := false
	if l.is(0, '0') && (l.is(1, 'x') || l.is(1, 'X')) {
		l.at += 2
		l.skip(isHex)
	} else {
		l.skip(isDigit)
		if l.is(0, '.') {
			dotted = true
			l.at++
			l.skip(isDigit)
		}
		l.exponent()
	}
	if !dotted && l.at < l.end && classes[l.text[l.at]]&isLetter != 0 {
		l.skip(isLetter | isDigit)
		return word
	}
	return number
}

// exponent skips the exponent of a number, if there is one.
func (l *lexer) exponent() {
	if !l.is(0, 'e') && !l.is(0, 'E') {
		return
	}
	if l.at++; l.is(0, '+') || l.is(0, '-') {
		l.at++
	}
	l.skip(isDigit)
}

// string skips a text whose first quote has been read.
func (l *lexer) string(quote byte) kind {
	for {
		for l.at < l.end {
			c := l.text[l.at]
			l.at++
			if c == '\\' {
				l.at++
			} else if c == quote {
				if !l.is(0, quote) {
					break
				}
				l.at++
			}
		}
		if l.at >= l.end || l.text[l.at] == '@' {
			l.at = min(l.at, l.end)
			l.accountNext = l.is(0, '@')
			return text
		}
		l.skip(isBlank)
		if !l.is(0, 0) {
			return text
		}
		l.at++ // the tokenizer takes NUL for a quote
		quote = 0
	}
}

// name skips a quoted name whose first quote has been read.
func (l *lexer) name(quote byte) kind {
	for {
		n := strings.IndexByte(l.text[l.at:l.end], quote)
		if n < 0 {
			l.at = l.end
			break
		}
		if l.at += n + 1; !l.is(0, quote) {
			break
		}
		l.at++
	}
	return leaf
}

// variable skips what follows an @.
func (l *lexer) variable() kind {
	if l.is(0, '@') {
		l.at++
		l.skip(inVariable)
		return leaf
	}
	if l.skip(isLetter | isDigit); !l.is(0, '`') {
		return leaf
	}
	for l.at++; l.at < l.end; l.at++ {
		c := l.text[l.at]
		if c == '`' {
			l.at++
			break
		}
		if classes[c]&inVariable == 0 && !isSpace(c) {
			break
		}
	}
	return leaf
}

// colon skips what follows a colon.
func (l *lexer) colon() kind {
	if l.is(0, ':') {
		l.at++
	}
	if l.at < l.end && classes[l.text[l.at]]&isLetter != 0 {
		l.start = l.at
		for l.at < l.end && (classes[l.text[l.at]]&(isLetter|isDigit) != 0 || l.text[l.at] == '.') {
			l.at++
		}
		return parameter
	}
	if l.is(0, '=') {
		l.at++
	}
	return mark
}

// line skips the rest of the line.
func (l *lexer) line() {
	if n := strings.IndexByte(l.text[l.at:l.end], '\n'); n >= 0 {
		l.at += n + 1
	} else {
		l.at = l.end
	}
}

// comment skips a comment whose first two characters have been read, or enters it if it is /*! */.
func (l *lexer) comment() {
	maria := l.is(0, 'M') && l.is(1, '!')
	switch {
	case maria:
		l.at += 2
	case l.is(0, '!'):
		l.at++
	default:
		if l.is(0, 'M') {
			l.at++
		}
		l.at = l.closing(l.at)
		return
	}
	after := l.closing(l.at)
	code := after - len("*/")
	if after == l.end && (code < l.at || l.text[code:after] != "*/") { // unterminated
		l.at = l.end
		return
	}
	digits := 0
	for digits < 6 && l.at+digits < code && classes[l.text[l.at+digits]]&isDigit != 0 {
		digits++
	}
	switch {
	case maria && digits == 6 && l.at+6 < code && classes[l.text[l.at+6]]&isBlank != 0:
	case digits >= 5:
		digits = 5
	case digits > 0: // not code
		l.at = after
		return
	}
	l.at += digits
	for l.at < code && isSpace(l.text[l.at]) {
		l.at++
	}
	l.after, l.end, l.afterAnsi, l.ansi, l.from = after, code, l.ansi, false, l.at
}

// closing returns where the text continues behind the comment that at is in.
func (l *lexer) closing(at int) int {
	if n := strings.Index(l.text[at:l.end], "*/"); n >= 0 {
		return at + n + len("*/")
	}
	return l.end
}
