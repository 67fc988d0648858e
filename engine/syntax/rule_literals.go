package syntax

import "strings"

// literals removes the N before a string of the national character set, and writes bit literals as
// hexadecimal ones.
//
//	SELECT N'a', 0b101  becomes  SELECT 'a', 0x05
//
// go-mysql-server: reads the column N with the alias a, and the column 0b101. MySQL: a string in
// utf8mb3, and a bit literal.
func literals(r *rewriting) {
	for i, t := range r.tokens {
		switch {
		case t.kind == kindString && (r.text[t.start] == 'N' || r.text[t.start] == 'n'):
			between := ""
			if i > 0 && r.tokens[i-1].end == t.start { // two adjacent strings would become one string with a quote inside
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

// hexadecimal returns a bit literal, whose digits are bits, as a hexadecimal literal of whole
// bytes.
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
