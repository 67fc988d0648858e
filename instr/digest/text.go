package digest

import "unicode/utf8"

// identifierMax is how many bytes of an identifier the normalised text shows.
const identifierMax = 64

// startsExpression reports whether a + or - after the token is the sign of a number.
func startsExpression(t token) bool { return int(t) < len(tokens) && tokens[t].startsExpression }

// Text is a statement's normalised text: column DIGEST_TEXT. tokens is the result of Compute, or
// its beginning; an identifier that is cut off is not shown. Safe for concurrent use.
func Text(tokens []byte) string { return string(AppendText(nil, tokens)) }

// AppendText appends what Text returns to dst. Safe for concurrent use.
func AppendText(dst, stream []byte) []byte {
	space := false
	for len(stream) >= tokenBytes {
		t := token(stream[0]) | token(stream[1])<<8
		stream = stream[tokenBytes:]
		if t == 0 || t >= tokenLimit {
			return dst
		}
		if t == tokIdentifier || t == tokIdentifierAt {
			if len(stream) < tokenBytes {
				return dst
			}
			n := int(stream[0]) | int(stream[1])<<8
			if stream = stream[tokenBytes:]; n > len(stream) {
				return dst
			}
			name := stream[:n]
			stream = stream[n:]
			if n == 0 || n <= identifierMax && !isUTF8MB3(name) {
				continue
			}
			if space {
				dst = append(dst, ' ')
			}
			if n > identifierMax {
				// MySQL puts no space after these.
				dst, space = append(dst, "..."...), false
				continue
			}
			dst = append(append(append(dst, '`'), name...), '`')
			space = t == tokIdentifier
			continue
		}
		if space {
			dst = append(dst, ' ')
		}
		dst = append(dst, tokens[t].text...)
		space = t != '@'
	}
	return dst
}

// isUTF8MB3 reports whether a name can be written in utf8mb3, the character set of the text: MySQL
// leaves out other names.
func isUTF8MB3(name []byte) bool {
	for len(name) > 0 {
		r, n := utf8.DecodeRune(name)
		if r == utf8.RuneError && n == 1 || n == utf8.UTFMax {
			return false
		}
		name = name[n:]
	}
	return true
}
