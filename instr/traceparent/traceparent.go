package traceparent

import "strings"

// Comment returns a valid traceparent as a comment for the end of a statement's text, in the form of sqlcommenter; "" if s is
// not valid.
func Comment(s string) string {
	if !Valid(s) {
		return ""
	}
	return " /*traceparent='" + s + "'*/"
}

// Find returns the traceparent in a comment of a statement's text, such as that of Comment, which may be cut short; "" if the text has
// none.
func Find(text string) string {
	_, s, _ := strings.Cut(text, "traceparent='")
	s, _, _ = strings.Cut(s, "'")
	return s
}

// Valid reports whether s is a traceparent of the W3C's Trace Context: version, trace, parent and flags in lower-case hexadecimal digits.
func Valid(s string) bool {
	const length = len("00-0123456789abcdef0123456789abcdef-0123456789abcdef-01")
	if len(s) < length || s[:2] == "ff" || len(s) > length && (s[:2] == "00" || s[length] != '-' || len(s) > 2*length) {
		return false
	}
	for i, c := range []byte(s) {
		dash := i == 2 || i == 35 || i == 52
		hex := '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
		if i < length && (dash != (c == '-') || !dash && !hex) || i >= length && !hex && c != '-' {
			return false
		}
	}
	return s[3:35] != "00000000000000000000000000000000" && s[36:52] != "0000000000000000"
}
