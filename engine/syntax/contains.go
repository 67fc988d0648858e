package syntax

import "strings"

// ContainsFold reports whether text contains word in any letter case, also inside another word or a
// comment. word must be in lower case. ContainsFold does not allocate.
func ContainsFold(text, word string) bool {
	first, last := word[0], len(text)-len(word)
	for i := 0; i <= last; i++ {
		if text[i]|0x20 == first && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// MayHaveSubquery reports whether a statement may contain a subquery: whether it has SELECT
// anywhere but at its beginning. It sometimes reports true for a statement without a subquery.
func MayHaveSubquery(query string) bool {
	query = strings.TrimLeft(query, "( \t\r\n")
	return len(query) > 1 && ContainsFold(query[1:], "select")
}
