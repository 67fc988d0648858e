package syntax

import "strings"

// ContainsFold reports whether a text contains word, which is in lower case, in any letter case:
// also inside another word or a comment. It does not allocate.
func ContainsFold(text, word string) bool {
	first, last := word[0], len(text)-len(word)
	for i := 0; i <= last; i++ {
		if text[i]|0x20 == first && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// MayHaveSubquery reports whether a statement may contain a subquery: whether it has SELECT behind
// its beginning.
func MayHaveSubquery(query string) bool {
	query = strings.TrimLeft(query, "( \t\r\n")
	return len(query) > 1 && ContainsFold(query[1:], "select")
}
