package syntax

// joins replaces the commas between tables in parentheses by CROSS JOIN.
//
//	SELECT 1 FROM t LEFT JOIN (u, v) ON t.a = u.a  becomes  SELECT 1 FROM t LEFT JOIN (u CROSS JOIN v) ON t.a = u.a
//
// go-mysql-server: parses the comma, and fails with "unsupported syntax". MySQL: it has the meaning
// of CROSS JOIN.
func joins(r *rewriting) {
	for i := range r.tokens {
		if !r.is(i, "(") || !r.is(i-1, "FROM") && !r.is(i-1, "JOIN") || r.is(i-2, ".") {
			continue
		}
		if !r.callable(i+1) || r.is(i+1, "SELECT") || r.is(i+1, "WITH") || r.is(i+1, "VALUES") || r.is(i+1, "TABLE") {
			continue
		}
		end := r.closing(i)
		for j := i + 1; j < end; j++ {
			if r.is(j, "(") {
				j = r.closing(j)
			} else if r.is(j, ",") {
				r.replace(j, j, " CROSS JOIN")
			}
		}
	}
}
