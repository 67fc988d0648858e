package syntax

// Rollup is the name of the function that stands behind what is grouped by WITH ROLLUP.
const Rollup = "with rollup"

// rollup puts a function in the place of WITH ROLLUP behind a GROUP BY.
//
//	GROUP BY a, b WITH ROLLUP  becomes  GROUP BY a, b , `with rollup`()
//
// go-mysql-server: a syntax error. MySQL: rows that sum up groups of groups.
func rollup(r *rewriting) {
	for i := range r.tokens {
		if r.is(i, "WITH") && r.is(i+1, "ROLLUP") && r.grouped(i-1) {
			r.replace(i, i+1, ", `"+Rollup+"`()")
		}
	}
}

// grouped reports whether token i is in a GROUP BY.
func (r *rewriting) grouped(i int) bool {
	for depth := 0; i >= 0; i-- {
		switch {
		case r.is(i, ")"):
			depth++
		case r.is(i, "(") && depth == 0:
			return false
		case r.is(i, "("):
			depth--
		case depth > 0:
		case r.is(i, "BY"):
			return r.is(i-1, "GROUP")
		case r.is(i, ";"), r.is(i, "SELECT"), r.is(i, "FROM"), r.is(i, "WHERE"), r.is(i, "HAVING"), r.is(i, "LIMIT"):
			return false
		}
	}
	return false
}
