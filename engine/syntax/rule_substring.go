package syntax

// substrings replaces FROM and FOR between the arguments of SUBSTRING, SUBSTR and MID by commas.
//
//	SELECT SUBSTRING(LOWER(a) FROM 2 FOR 3)  becomes  SELECT SUBSTRING(LOWER(a) , 2 , 3)
//
// go-mysql-server: accepts these words only behind a column or a string, and FROM only with FOR.
// MySQL: behind any expression.
func substrings(r *rewriting) {
	for i := range r.tokens {
		if !r.is(i, "SUBSTRING") && !r.is(i, "SUBSTR") && !r.is(i, "MID") || !r.is(i+1, "(") {
			continue
		}
		for j, end := i+2, r.closing(i+1); j < end; j++ {
			switch {
			case r.is(j, "("):
				j = r.closing(j)
			case r.is(j, "FROM"), r.is(j, "FOR"):
				r.replace(j, j, ",")
			}
		}
	}
}
