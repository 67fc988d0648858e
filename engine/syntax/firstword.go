package syntax

import (
	"strings"
	"unicode"
)

// FirstWord returns the first word of a statement in lower case. It skips comments.
func FirstWord(text string) string {
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		switch {
		case strings.HasPrefix(text, "/*!"):
			text = strings.TrimLeft(text[len("/*!"):], "0123456789")
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text, "*/")
		case strings.HasPrefix(text, "#"), strings.HasPrefix(text, "--") && isLineComment(text):
			_, text, _ = strings.Cut(text, "\n")
		default:
			end := strings.IndexFunc(text, func(c rune) bool { return !unicode.IsLetter(c) })
			if end < 0 {
				end = len(text)
			}
			return strings.ToLower(text[:end])
		}
	}
}
