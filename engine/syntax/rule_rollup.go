package syntax

// Rollup is the name of the function that stands behind what is grouped by WITH ROLLUP.
const Rollup = "with rollup"

// rollup puts a function in the place of WITH ROLLUP behind a GROUP BY.
//
//	GROUP BY a, b WITH ROLLUP  becomes  GROUP BY a, b , `with rollup`()
//
// go-mysql-server: a syntax error. MySQL: rows that sum up groups of groups.
func rollup(r *rewriting) {
	grouped := []bool{false} // this is in a GROUP BY, for each of the parentheses that are open
	for i := range r.tokens {
		last := len(grouped) - 1
		switch {
		case r.is(i, "("):
			grouped = append(grouped, false)
		case r.is(i, ")") && last > 0:
			grouped = grouped[:last]
		case r.is(i, ")"), r.is(i, ";"), r.is(i, "SELECT"), r.is(i, "FROM"), r.is(i, "WHERE"), r.is(i, "HAVING"), r.is(i, "LIMIT"):
			grouped[last] = false
		case r.is(i, "BY"):
			grouped[last] = r.is(i-1, "GROUP")
		case r.is(i, "WITH") && r.is(i+1, "ROLLUP") && grouped[last]:
			r.replace(i, i+1, ", `"+Rollup+"`()")
		}
	}
}
