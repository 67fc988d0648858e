package compat

import "strings"

// PlainCode is text without the marks of comments with code for MySQL: what is in /*!50003 ... */ stays. One that ends with the
// text may have begun before it.
//
// go-mysql-server: keeps the text of a trigger, and of what an event does, as it is written, comments that stand around all of
// it, as in what is dumped, too: a dump of it cannot be read again. MySQL: keeps the code.
func PlainCode(text string) string {
	if !plainCodes.On() || !strings.Contains(text, "*/") && !strings.Contains(text, "/*!") {
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
			end = past(text, i+2, "*/")
		case strings.HasPrefix(rest, "-- "), rest[0] == '#':
			end = past(text, i, "\n")
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

// past is where the first mark in text from i on ends, its length if there is none.
func past(text string, i int, mark string) int {
	if at := strings.Index(text[i:], mark); at >= 0 {
		return i + at + len(mark)
	}
	return len(text)
}
