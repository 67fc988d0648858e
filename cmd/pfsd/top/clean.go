package top

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns a text of the server so that a terminal only shows it: without control characters, and so
// without the beginnings of escape sequences, without characters that change the direction of a line or that have no
// width, and with U+FFFD for what is not UTF-8. Ends of lines and tabs become spaces. The rest of an escape
// sequence stays visible: who reads a statement shall see all of it. Safe for concurrent use.
func Clean(s string) string {
	clean := true
	for _, r := range s {
		if r == utf8.RuneError || !shown(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r' || r == '\u2028' || r == '\u2029':
			return ' '
		case !shown(r):
			return -1
		}
		return r
	}, s) // Map reads an invalid byte as U+FFFD, and writes that
}

// shown reports whether a terminal shows r in its place and does nothing else.
func shown(r rune) bool {
	return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs, unicode.Variation_Selector)
}

// cutBytes returns at most the first limit bytes of s, and no part of a character.
func cutBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
