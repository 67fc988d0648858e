package syntax

// shows rewrites variants of SHOW, SET and START TRANSACTION for vitess's grammar.
//
//	SHOW EXTENDED INDEX FROM t       becomes  SHOW  INDEX FROM t
//	SHOW FULL COLUMNS IN t IN d      becomes  SHOW FULL COLUMNS FROM t FROM d
//	SHOW SCHEMAS WHERE a             becomes  SHOW DATABASES WHERE a
//	SET LOCAL TRANSACTION READ ONLY  becomes  SET SESSION TRANSACTION READ ONLY
//	START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT  becomes  START TRANSACTION READ ONLY
//
// go-mysql-server: syntax errors. MySQL: EXTENDED also shows hidden columns and keys. This server
// has none.
func shows(r *rewriting) {
	for i := range r.tokens {
		if i > 0 && !r.is(i-1, ";") && !r.is(i-1, ":") && !r.mayStartStatement(i-1) {
			continue
		}
		switch {
		case r.is(i, "SHOW"):
			r.show(i + 1)
		case r.is(i, "SET"):
			r.set(i + 1)
		case r.is(i, "START") && r.is(i+1, "TRANSACTION"):
			r.start(i + 2)
		}
	}
}

// show rewrites what follows SHOW.
func (r *rewriting) show(i int) {
	extended := r.is(i, "EXTENDED")
	j := i
	if extended {
		j++
	}
	full := r.is(j, "FULL")
	if full {
		j++
	}
	switch {
	case r.is(j, "INDEX"), r.is(j, "INDEXES"), r.is(j, "KEYS"), r.is(j, "TABLES"):
		if extended {
			r.replace(i, i, "")
		}
	case r.is(j, "COLUMNS"), r.is(j, "FIELDS"):
		if r.is(j+1, "IN") {
			r.replace(j+1, j+1, "FROM")
		}
		for j += 2; r.is(j+1, "."); j += 2 {
		}
		if r.is(j+1, "IN") {
			r.replace(j+1, j+1, "FROM")
		}
	case r.is(j, "TRIGGERS") && full && !extended:
		r.replace(i, i, "")
	case r.is(j, "SCHEMAS") && j == i:
		r.replace(i, i, "DATABASES")
	case r.is(j, "CHAR") && r.is(j+1, "SET") && j == i:
		r.replace(i, i, "CHARACTER")
	}
}

// snapshot reports whether WITH CONSISTENT SNAPSHOT begins at token i.
func (r *rewriting) snapshot(i int) bool {
	return r.is(i, "WITH") && r.is(i+1, "CONSISTENT") && r.is(i+2, "SNAPSHOT")
}

// ConsistentSnapshot reports whether the START TRANSACTION in text has WITH CONSISTENT SNAPSHOT.
// The syntax tree does not say it: go-mysql-server parses the phrase and ignores it.
func ConsistentSnapshot(text string) bool {
	r := newRewriting(text, Mode{})
	for i := range r.tokens {
		if r.snapshot(i) {
			return true
		}
	}
	return false
}

// start rewrites what follows START TRANSACTION. It can drop WITH CONSISTENT SNAPSHOT, because
// [ConsistentSnapshot] searches the original text.
func (r *rewriting) start(i int) {
	switch {
	case r.snapshot(i) && r.is(i+3, ","):
		r.replace(i, i+3, "")
	case r.is(i, "READ") && r.is(i+2, ",") && r.snapshot(i+3):
		r.replace(i+2, i+5, "")
	}
}

// set rewrites what follows SET.
func (r *rewriting) set(i int) {
	switch {
	case r.is(i, "CHAR") && r.is(i+1, "SET"):
		r.replace(i, i, "CHARACTER")
	case r.is(i, "LOCAL") && r.is(i+1, "TRANSACTION"):
		r.replace(i, i, "SESSION")
	case r.is(i, "NAMES") && r.is(i+2, "COLLATE") && r.is(i+3, "DEFAULT"):
		r.replace(i+2, i+3, "")
	}
}
