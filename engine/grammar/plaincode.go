package grammar

import (
	"strings"

	"pfsd/engine/mends"
)

// PlainCode returns text without the marks /*!50003 and */ of comments that have code for MySQL.
// The code stays. If such a comment begins before text, it ends with text.
//
// go-mysql-server: keeps the text of a trigger or an event with the comments that a dump writes
// around its parts. The next dump writes them once more, and cannot be read again. MySQL: keeps the
// code without the comments.
func PlainCode(text string) string {
	if !mends.PlainCodes.On() || !strings.Contains(text, "*/") && !strings.Contains(text, "/*!") {
		return text
	}
	var b strings.Builder
	for i, inside := 0, false; i < len(text); {
		end := i + 1
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, "/*!"):
			inside = true
			i += len("/*!")
			for i < len(text) && text[i] >= '0' && text[i] <= '9' {
				i++
			}
			continue
		case strings.HasPrefix(rest, "*/") && (inside || strings.TrimSpace(rest) == "*/"):
			inside = false
			i += len("*/")
			continue
		case strings.HasPrefix(rest, "/*"):
			end = endOf(text, i+2, "*/")
		case strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '), rest[0] == '#':
			end = endOf(text, i, "\n")
		case rest[0] == '\'', rest[0] == '"', rest[0] == '`':
			for end < len(text) && text[end] != rest[0] {
				if text[end] == '\\' && rest[0] != '`' {
					end++
				}
				end++
			}
			end = min(end+1, len(text))
		}
		b.WriteString(text[i:end])
		i = end
	}
	return strings.TrimSpace(b.String())
}

// endOf returns the offset behind the first mark in text[i:], or the length of text if there is no
// mark.
func endOf(text string, i int, mark string) int {
	if at := strings.Index(text[i:], mark); at >= 0 {
		return i + at + len(mark)
	}
	return len(text)
}
