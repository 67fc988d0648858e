package syntax

// escapes keeps the backslash before a wildcard in a text.
//
//	SELECT 'a\_%' LIKE 'a\_\%'  becomes  SELECT 'a\\_%' LIKE 'a\\_\\%'
//
// go-mysql-server: drops the backslash, so that the character is a wildcard in a pattern. MySQL:
// keeps it, so that the pattern matches the character itself.
func escapes(r *rewriting) {
	for i, t := range r.tokens {
		if t.kind != kindString || r.replaced(i) {
			continue
		}
		for at := t.start; at+1 < t.end; at++ {
			if r.text[at] != '\\' {
				continue
			}
			if next := r.text[at+1]; next == '%' || next == '_' {
				r.edit(at, at, `\`)
			}
			at++ // skip the escaped character
		}
	}
}
