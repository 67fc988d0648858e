package syntax

import (
	"regexp"
	"slices"
	"strings"
)

// definitions rewrites CREATE TABLE, ALTER TABLE, CREATE INDEX and DROP INDEX for vitess's grammar.
// It drops what vitess cannot parse and this server does not need.
//
//	CREATE TABLE t (a INT, KEY k ((a + 1))) PARTITION BY HASH (a)  becomes  CREATE TABLE t (a INT)
//	CREATE TABLE t (LIKE u)                                        becomes  CREATE TABLE t LIKE u
//	ALTER TABLE t ENGINE=InnoDB ROW_FORMAT=DYNAMIC                 becomes  ALTER TABLE t ENGINE=InnoDB, ROW_FORMAT=DYNAMIC
//	ALTER TABLE t ADD (a INT, b INT)                               becomes  ALTER TABLE t ADD a INT, ADD b INT
//	DROP INDEX i ON t ALGORITHM=INPLACE LOCK=NONE                  becomes  DROP INDEX i ON t
//
// go-mysql-server: syntax errors. It parses some partitions, and ignores them. MySQL: has
// partitions, and indexes on expressions. A unique index on an expression stays a syntax error in
// this server.
func definitions(r *rewriting) {
	for i := range r.tokens {
		if i > 0 && !r.is(i-1, ";") {
			continue
		}
		verb, j := i, i+1
		switch {
		case r.is(verb, "CREATE"):
			for r.is(j, "TEMPORARY") || r.is(j, "UNIQUE") || r.is(j, "FULLTEXT") || r.is(j, "SPATIAL") {
				j++
			}
			switch {
			case r.is(j, "TABLE"):
				r.createTable(j + 1)
			case r.is(j, "INDEX"):
				r.indexOptions(j + 1)
			}
		case r.is(verb, "DROP") && r.is(j, "INDEX"):
			r.indexOptions(j + 1)
		case r.is(verb, "ALTER"):
			for r.is(j, "IGNORE") || r.is(j, "ONLINE") {
				j++
			}
			if r.is(j, "TABLE") {
				r.alterTable(j + 1)
			}
		}
	}
}

// drop removes tokens i to j, which may include strings.
func (r *rewriting) drop(i, j int) {
	r.replace(i, j, "")
	r.dropped = true
}

// statementEnd returns the first token behind the statement that has token i.
func (r *rewriting) statementEnd(i int) int {
	for ; r.tokens[i].kind != kindEnd && !r.is(i, ";"); i++ {
		if r.is(i, "(") {
			if i = r.closing(i); r.tokens[i].kind == kindEnd {
				break
			}
		}
	}
	return i
}

// createTable rewrites what follows CREATE TABLE.
func (r *rewriting) createTable(i int) {
	end := r.statementEnd(i)
	for i < end && !r.is(i, "(") && !r.is(i, "LIKE") && !r.is(i, "AS") && !r.is(i, "SELECT") {
		i++
	}
	if r.is(i, "(") && !r.is(i+1, "SELECT") && !r.is(i+1, "WITH") {
		closing := r.closing(i)
		if r.is(i+1, "LIKE") && r.is(closing, ")") {
			r.replace(i, i, " ")
			r.replace(closing, closing, "")
			return
		}
		r.elements(i+1, closing)
		i = closing + 1
	}
	for ; i < end; i++ {
		switch {
		case r.is(i, "("):
			i = r.closing(i)
		case r.is(i, "AS"), r.is(i, "SELECT"), r.is(i, "WITH"):
			return
		case r.is(i, "PARTITION") && r.is(i+1, "BY"):
			last := r.partitions(i, end)
			r.drop(i, last)
			i = last
		case r.tokens[i].kind == kindCode && codeOfPartitions.MatchString(r.word(i)):
			r.drop(i, i)
		case r.is(i, "PACK_KEYS"), r.is(i, "AUTOEXTEND_SIZE"):
			last := i + 1
			if r.is(last, "=") {
				last++
			}
			if last < end {
				r.drop(i, last)
				i = last
			}
		}
	}
}

var (
	codeOfPartitions = regexp.MustCompile(`(?is)^/\*!\d*\s*PARTITION\s+BY\s`)
	codeOfParser     = regexp.MustCompile(`(?is)^/\*!\d*\s*WITH\s+PARSER\s`)
)

// partitions returns the last token of the PARTITION BY that begins at token i. The statement ends
// before token end.
func (r *rewriting) partitions(i, end int) int {
	for ; i < end; i++ {
		switch {
		case r.is(i, "(") && (r.is(i+1, "SELECT") || r.is(i+1, "WITH")):
			return i - 1
		case r.is(i, "("):
			i = r.closing(i)
		case r.is(i, "AS"), r.is(i, "SELECT"), r.is(i, "IGNORE"), r.is(i, "REPLACE"), r.is(i, "WITH"), r.is(i, "VALUES"), r.is(i, "TABLE"):
			return i - 1
		}
	}
	return end - 1
}

// elements rewrites the columns and keys of a table, which begin at token i. closing is the
// parenthesis that ends them.
func (r *rewriting) elements(i, closing int) {
	// first is the first token of the element. kept is the comma behind the last element that
	// stays.
	first, kept := i, -1
	for ; i <= closing; i++ {
		switch {
		case r.is(i, "("):
			if i = r.closing(i); i >= closing {
				return
			}
		case i == closing || r.is(i, ","):
			switch {
			case !r.functional(first, i):
				kept = i
			case kept >= 0:
				r.drop(kept, i-1)
				kept = i
			case i < closing:
				r.drop(first, i)
			}
			first = i + 1
		default:
			r.element(first, i)
		}
	}
}

// functional reports whether the tokens from first to before end are a key on expressions. It
// reports false for a unique key.
func (r *rewriting) functional(first, end int) bool {
	if !r.is(first, "KEY") && !r.is(first, "INDEX") {
		return false
	}
	for first < end && !r.is(first, "(") {
		first++
	}
	for i := first + 1; i < end; i++ {
		if r.is(i, "(") {
			if r.is(i-1, "(") || r.is(i-1, ",") {
				return true
			}
			i = r.closing(i)
		}
	}
	return false
}

// element rewrites token i of a column or key. The column or key begins at token first.
func (r *rewriting) element(first, i int) {
	next := strings.ToUpper(r.word(i + 1))
	switch {
	case i == first || r.replaced(i):
	case r.is(i, "MATCH") && slices.Contains([]string{"FULL", "PARTIAL", "SIMPLE"}, next):
		r.replace(i, i+1, "")
	case i > first+1 && r.is(i, "COLUMN_FORMAT") && slices.Contains([]string{"FIXED", "DYNAMIC", "DEFAULT"}, next):
		r.replace(i, i+1, "")
	case i > first+1 && r.is(i, "STORAGE") && slices.Contains([]string{"DISK", "MEMORY", "DEFAULT"}, next):
		r.replace(i, i+1, "")
	case r.is(i, "CHAR") && next == "BYTE":
		r.replace(i, i+1, "BINARY")
	case r.is(i, "=") && (r.is(i-1, "CHARSET") || r.is(i-1, "SET") && r.is(i-2, "CHARACTER")):
		r.replace(i, i, "")
	case r.is(i, "WITH") && next == "PARSER":
		r.replace(i, i+2, "")
	case r.tokens[i].kind == kindCode && codeOfParser.MatchString(r.word(i)):
		r.drop(i, i)
	}
}

// indexOptions rewrites what follows CREATE INDEX or DROP INDEX.
func (r *rewriting) indexOptions(i int) {
	end := r.statementEnd(i)
	for i < end && !r.is(i, "ON") {
		i++
	}
	for i++; i < end; i++ {
		switch {
		case r.is(i, "("):
			i = r.closing(i)
		case i+1 < end && !r.is(i-1, ".") && !r.is(i-1, "ON") && (r.is(i, "ALGORITHM") || r.is(i, "LOCK")):
			last := i + 1
			if r.is(last, "=") {
				last++
			}
			if last >= end || r.tokens[last].kind != kindWord {
				return
			}
			r.replace(i, last, "")
			i = last
		case i+2 < end && r.is(i, "WITH") && r.is(i+1, "PARSER"):
			r.replace(i, i+2, "")
			i += 2
		}
	}
}

// tableOptions are the first words of table options.
var tableOptions = strings.Fields(`AUTOEXTEND_SIZE AUTO_INCREMENT AVG_ROW_LENGTH CHECKSUM COMMENT COMPRESSION CONNECTION DELAY_KEY_WRITE
	ENCRYPTION ENGINE INSERT_METHOD KEY_BLOCK_SIZE MAX_ROWS MIN_ROWS PACK_KEYS ROW_FORMAT STATS_AUTO_RECALC STATS_PERSISTENT
	STATS_SAMPLE_PAGES COLLATE CHARSET`)

// option returns the token behind the table option at token i, or i if there is none.
func (r *rewriting) option(i int) int {
	j := i
	if r.is(j, "DEFAULT") {
		j++
	}
	switch {
	case r.is(j, "CHARACTER") && r.is(j+1, "SET"):
		j += 2
	case r.tokens[j].kind == kindWord && slices.Contains(tableOptions, strings.ToUpper(r.word(j))):
		j++
	default:
		return i
	}
	if r.is(j, "=") {
		j++
	}
	if k := r.tokens[j].kind; k == kindEnd || k == kindMark {
		return i
	}
	return j + 1
}

// alterTable rewrites what follows ALTER TABLE.
func (r *rewriting) alterTable(i int) {
	end := r.statementEnd(i)
	for i++; r.is(i, "."); i += 2 {
	}
	for i < end {
		switch {
		case r.is(i, "PARTITION") && r.is(i+1, "BY"):
			r.replace(i, end-1, "REMOVE PARTITIONING")
			r.dropped = true
			return
		case r.is(i, "ADD"):
			r.addColumns(i)
		}
		for next := r.option(i); next > i && next <= end; next = r.option(i) {
			if r.is(i, "DEFAULT") && r.is(i+1, "CHARSET") {
				r.replace(i+1, i+1, "CHARACTER SET")
			}
			if i = next; r.option(i) > i {
				r.insert(i-1, ",")
			}
		}
		for first := i; i < end && !r.is(i, ","); i++ {
			if r.is(i, "(") {
				if i = min(r.closing(i), end); i == end {
					return
				}
				continue
			}
			r.element(first, i)
		}
		if i++; i > end {
			return
		}
	}
}

// addColumns removes the parentheses around several columns behind ADD, which is token i.
func (r *rewriting) addColumns(i int) {
	if i++; r.is(i, "COLUMN") {
		i++
	}
	if !r.is(i, "(") {
		return
	}
	closing := r.closing(i)
	if !r.is(closing, ")") {
		return
	}
	r.replace(i, i, "")
	for j := i + 1; j < closing; j++ {
		switch {
		case r.is(j, "("):
			j = r.closing(j)
		case r.is(j, ","):
			r.replace(j, j, ", ADD")
		default:
			r.element(i, j)
		}
	}
	r.replace(closing, closing, "")
}
