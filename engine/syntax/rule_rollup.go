package syntax

// Rollup is the name of the function that marks GROUP BY ... WITH ROLLUP, as its last column.
const Rollup = "with rollup"

// rollup replaces WITH ROLLUP by a call of the function Rollup.
//
//	SELECT a FROM t GROUP BY a, b WITH ROLLUP  becomes  SELECT a FROM t GROUP BY a, b , `with rollup`()
//
// go-mysql-server: a syntax error. MySQL: adds rows with subtotals.
func rollup(r *rewriting) {
	grouped := []bool{false} // for each open parenthesis, whether the token is inside a GROUP BY
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
