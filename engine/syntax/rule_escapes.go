package syntax

// escapes keeps the backslash before a wildcard in a text.
//
//	SELECT 'a\_%' LIKE 'a\_\%'  becomes  SELECT 'a\\_%' LIKE 'a\\_\\%'
//
// go-mysql-server: the wildcard alone, which a pattern takes for one. MySQL: the backslash, too, so that a pattern finds the
// character itself.
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
			at++ // what stands behind a backslash does not begin anything
		}
	}
}
