package mysqlerr

import (
	"strings"
	"unicode/utf8"
)

// messageMax is the largest size of the text of an error or a warning, bytes, as in MySQL.
const messageMax = 511

// Rewritten is the number of the note that has the text of an explained statement. It has all of it, as in MySQL.
const Rewritten = 1003

const (
	// valueMax is how many bytes of a value are in a text that would be longer than messageMax.
	valueMax = 64
	// workMax is how many bytes of go-mysql-server's text are looked at: its beginning and its end.
	workMax = 4 << 10
)

// Clip returns the text of an error or a warning as clients see it: at most messageMax bytes. Where a long text quotes a value, and says
// after that where the value is, as in "Duplicate entry 'value' for key 'k'", the value is cut; otherwise the end is.
func Clip(message string) string {
	if len(message) <= messageMax {
		return message
	}
	start := strings.IndexByte(message, '\'') + 1
	for _, behind := range []string{"' for ", "' at "} {
		end := strings.LastIndex(message, behind)
		if start > 0 && end-start > valueMax && start+valueMax+len(message)-end <= messageMax {
			return cutAt(message, start+valueMax) + strings.Clone(message[end:])
		}
	}
	return strings.Clone(cutAt(message, messageMax)) // without the memory of the rest
}

// cutAt returns the first n bytes of a text, or a few less so that no character is cut.
func cutAt(s string, n int) string {
	for back := range utf8.UTFMax {
		if back < n && utf8.RuneStart(s[n-back]) {
			return s[:n-back]
		}
	}
	return s[:n] // no text
}

// textOf is the text of an error of go-mysql-server without the middle of a very long one, so that looking for what it says takes
// no time and memory.
func textOf(err error) string { return shortened(err.Error()) }

// shortened returns a text without the middle of a very long one.
func shortened(text string) string {
	if len(text) <= workMax {
		return text
	}
	tail := len(text) - workMax/2
	for range utf8.UTFMax - 1 {
		if !utf8.RuneStart(text[tail]) {
			tail++
		}
	}
	return cutAt(text, workMax/2) + text[tail:]
}
