package syntax

import "strings"

// literals takes the letter from before a text that is said to be in the national character set, and makes bytes
// of bits.
//
//	SELECT N'a', 0b101  becomes  SELECT 'a', 0x05
//
// go-mysql-server: the column N with the heading a, and the column 0b101. MySQL: _utf8mb3'a', whose characters are
// those of any text here, and bytes that may be used as a number.
func literals(r *rewriting) {
	for i, t := range r.tokens {
		switch {
		case t.kind == kindString && (r.text[t.start] == 'N' || r.text[t.start] == 'n'):
			between := ""
			if i > 0 && r.tokens[i-1].end == t.start { // two texts side by side would be one with a quote in it
				between = " "
			}
			r.edit(t.start, t.start+1, between)
		case t.kind == kindNumber, t.kind == kindWord && !r.is(i-1, "."):
			if bits, ok := strings.CutPrefix(r.word(i), "0b"); ok && bits != "" && strings.Trim(bits, "01") == "" {
				r.replace(i, i, hexadecimal(bits))
			}
		}
	}
}

// hexadecimal is the literal of whole bytes with these bits.
func hexadecimal(bits string) string {
	bits = strings.Repeat("0", (8-len(bits)%8)%8) + bits
	text := []byte("0x")
	for ; bits != ""; bits = bits[4:] {
		digit := 0
		for _, b := range bits[:4] {
			digit = digit*2 + int(b-'0')
		}
		text = append(text, "0123456789ABCDEF"[digit])
	}
	return string(text)
}
