package digest

import "strings"

// version is MySQL's version. The text in a comment such as /*!80400 ... */ is executed if the
// number is not higher.
const version = 80408

// skipLine skips the rest of the line.
func (l *lexer) skipLine() {
	for l.at < len(l.sql) && l.sql[l.at] != '\n' && l.sql[l.at] != 0 {
		l.at++
	}
}

// comment skips a comment whose beginning, a slash and a star, has been read; of a comment that is
// executed, only the beginning. It returns false if the comment does not end.
func (l *lexer) comment() bool {
	if l.peek(0) != '!' {
		return l.skipComment()
	}
	l.at++
	n := 0
	for i := range 5 {
		c := l.peek(i)
		if !isDecDigit(c) {
			l.inComment = true // there is no version
			return true
		}
		n = n*10 + int(c-'0')
	}
	if n <= version {
		l.at += 5
		l.inComment = true
		return true
	}
	// A comment that is not executed may contain other comments, but these no further ones.
	for {
		end := strings.IndexByte(l.sql[l.at:], '*')
		if end < 0 {
			return false
		}
		if end > 0 && l.sql[l.at+end-1] == '/' {
			l.at += end + 1
			if !l.skipComment() {
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

// skipComment skips everything up to the next end of a comment.
func (l *lexer) skipComment() bool {
	n := strings.Index(l.sql[l.at:], "*/")
	if n < 0 {
		return false
	}
	l.at += n + len("*/")
	return true
}
