package syntax

import "strings"

// Mentions tells whether word, in lower case, stands in a text, in whatever case, be it as a part of another word or in a
// comment. It takes no memory.
func Mentions(text, word string) bool {
	first, last := word[0], len(text)-len(word)
	for i := 0; i <= last; i++ {
		if text[i]|0x20 == first && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// Nests tells whether a statement may have a query inside: whether SELECT stands behind its beginning.
func Nests(query string) bool {
	query = strings.TrimLeft(query, "( \t\r\n")
	return len(query) > 1 && Mentions(query[1:], "select")
}
