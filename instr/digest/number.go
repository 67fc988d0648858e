package digest

// number returns the number that begins at start, or an identifier that begins with digits. The
// first digit has been read. All numbers are the same token here, because digests do not tell them
// apart.
func (l *lexer) number(start int) token {
	if l.sql[start] == '0' {
		switch l.peek(0) {
		case 'x':
			return l.prefixed(start, isHexDigit, tokHexNum)
		case 'b':
			return l.prefixed(start, isBinDigit, tokBinNum)
		}
	}
	l.digits()
	c := l.peek(0)
	switch {
	case c == '.':
		l.at++
		t, _ := l.real()
		return t
	case !inIdent[c]:
		return tokNum
	case c == 'e' || c == 'E':
		sign := 0
		if d := l.peek(1); d == '+' || d == '-' {
			sign = 1
		}
		if isDecDigit(l.peek(1 + sign)) {
			l.at += 1 + sign
			l.digits()
			return tokNum
		}
	}
	return l.identifierOnly(start)
}

func (l *lexer) digits() {
	for isDecDigit(l.peek(0)) {
		l.at++
	}
}

// prefixed returns the number that begins with 0x or 0b.
func (l *lexer) prefixed(start int, digit func(byte) bool, t token) token {
	l.at++
	from := l.at
	for digit(l.peek(0)) {
		l.at++
	}
	if l.at > from && !inIdent[l.peek(0)] {
		return t
	}
	return l.identifierOnly(start)
}

// quotedNumber returns a number such as x'1F' whose letter has been read. The number of its digits
// is a multiple of multiple.
func (l *lexer) quotedNumber(digit func(byte) bool, multiple int, t token) token {
	l.at++
	from := l.at
	for digit(l.peek(0)) {
		l.at++
	}
	if l.peek(0) != '\'' || (l.at-from)%multiple != 0 {
		return tokAbort
	}
	l.at++
	return t
}

// real returns a number whose decimal point has been read.
func (l *lexer) real() (token, bool) {
	l.digits()
	if l.peek(0)|0x20 != 'e' {
		return tokNum, true
	}
	l.at++
	if c := l.peek(0); c == '+' || c == '-' {
		l.at++
	}
	if !isDecDigit(l.peek(0)) {
		// MySQL reads the next character as a token of its own.
		c := l.peek(0)
		if c != 0 {
			l.at++
		}
		return l.char(c)
	}
	l.digits()
	return tokNum, true
}
