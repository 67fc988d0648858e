package digest

import "strings"

// version is the server's version in comments that are executed by it and by later ones.
const version = 80408

// line goes to the end of the line.
func (l *lexer) line() {
	for l.at < len(l.sql) && l.sql[l.at] != '\n' && l.sql[l.at] != 0 {
		l.at++
	}
}

// comment goes behind a comment whose beginning, a slash and a star, has been read, or into one
// that is executed. It returns false if the comment does not end.
func (l *lexer) comment() bool {
	if l.peek(0) != '!' {
		return l.skip()
	}
	l.at++
	n := 0
	for i := range 5 {
		c := l.peek(i)
		if !isDecDigit(c) {
			l.inComment = true // without a version
			return true
		}
		n = n*10 + int(c-'0')
	}
	if n <= version {
		l.at += 5
		l.inComment = true
		return true
	}
	// Such a comment may have others in it, one deep.
	for {
		end := strings.IndexByte(l.sql[l.at:], '*')
		if end < 0 {
			return false
		}
		if end > 0 && l.sql[l.at+end-1] == '/' {
			l.at += end + 1
			if !l.skip() {
				return false
			}
			continue
		}
		l.at += end + 1
		if l.peek(0) == '/' {
			l.at++
			return true
		}
	}
}

// skip goes behind the next end of a comment.
func (l *lexer) skip() bool {
	n := strings.Index(l.sql[l.at:], "*/")
	if n < 0 {
		return false
	}
	l.at += n + len("*/")
	return true
}
