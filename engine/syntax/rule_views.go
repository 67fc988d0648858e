package syntax

// views replaces ALTER VIEW by CREATE OR REPLACE VIEW. The engine checks that the view exists.
//
//	ALTER ALGORITHM = MERGE VIEW v AS SELECT 1  becomes  CREATE OR REPLACE ALGORITHM = MERGE VIEW v AS SELECT 1
//
// go-mysql-server: a syntax error. MySQL: changes the definition of an existing view.
func views(r *rewriting) {
	for i := range r.tokens {
		if !r.is(i, "ALTER") || i > 0 && !r.is(i-1, ";") && !r.mayStartStatement(i-1) {
			continue
		}
		for j := i + 1; j < len(r.tokens); j++ {
			if r.is(j, "VIEW") {
				r.replace(i, i, "CREATE OR REPLACE")
				break
			}
			if first := j == i+1; r.is(j, ";") || r.is(j, "ALTER") || first && !r.is(j, "ALGORITHM") && !r.is(j, "DEFINER") && !r.is(j, "SQL") {
				break
			}
		}
	}
}
