package syntax

// rows removes the word ROW before a row, except in VALUES.
//
//	SELECT ROW(a, b) = ROW(1, 2)  becomes  SELECT (a, b) = (1, 2)
//
// go-mysql-server: a syntax error. MySQL: the same as without the word.
func rows(r *rewriting) {
	values := map[int]bool{} // the closing parentheses of rows of VALUES
	for i := range r.tokens {
		if !r.is(i, "ROW") || !r.is(i+1, "(") || r.is(i-1, ".") {
			continue
		}
		if r.is(i-1, "VALUES") || r.is(i-1, ",") && values[i-2] {
			values[r.closing(i+1)] = true
			continue
		}
		r.replace(i, i, "")
	}
}
