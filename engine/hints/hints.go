package hints

import "strings"

// Comment is a comment with hints.
type Comment struct {
	Top   bool // it belongs to the statement itself, not to a query in it
	First string
	Hints []Hint
	// Bad is the text from where it is no hint on, with what follows the comment, and Line the line of it; "" if all is well. Then there are no
	// Hints: MySQL ignores the whole comment.
	Bad  string
	Line int
}

// Hint is one hint.
type Hint struct {
	Name string // in upper case
	Args []string
}

// Of returns the comments with hints of a statement.
func Of(text string) (all []Comment) {
	if !strings.Contains(text, "/*+") {
		return nil
	}
	depth, seen := 0, false
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c == '\'' || c == '"' || c == '`':
			at = quotedEnd(text, at)
		case strings.HasPrefix(text[at:], "/*"):
			at = commentEnd(text, at)
		case c == '#' || strings.HasPrefix(text[at:], "--") && (at+2 == len(text) || text[at+2] <= ' '):
			if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
				at += n + 1
			} else {
				at = len(text)
			}
		case c == '(':
			depth++
			at++
		case c == ')':
			depth--
			at++
		case letter(c):
			end := at
			for end < len(text) && letter(text[end]) {
				end++
			}
			word := strings.ToUpper(text[at:end])
			at = end
			switch word {
			case "SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE":
				// A parenthesis around a whole statement is no query in it.
				top := !seen && (depth == 0 || strings.Trim(text[:end-len(word)], "( \t\r\n") == "")
				if depth == 0 || top {
					seen = true
				}
				for at < len(text) && text[at] <= ' ' {
					at++
				}
				if strings.HasPrefix(text[at:], "/*+") {
					end := commentEnd(text, at)
					all = append(all, comment(text, at, end, top, word))
					at = end
				}
			}
		default:
			at++
		}
	}
	return all
}

func letter(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// quotedEnd returns where the quoted text ends that begins at a place.
func quotedEnd(text string, at int) int {
	quote := text[at]
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			if quote != '`' {
				at++
			}
		case quote:
			return at + 1
		}
	}
	return len(text)
}

// commentEnd returns where the comment ends that begins at a place.
func commentEnd(text string, at int) int {
	if n := strings.Index(text[at+2:], "*/"); n >= 0 {
		return at + 2 + n + 2
	}
	return len(text)
}
