package syntax

import (
	"slices"
	"strings"
)

// spellings puts into the words of go-mysql-server's grammar what MySQL also says in others, and leaves out
// what only says how to do something.
//
//	SELECT DISTINCTROW a FROM t USE KEY (a) FOR SHARE  becomes  SELECT DISTINCT a FROM t USE INDEX (a) LOCK IN SHARE MODE
//	INSERT LOW_PRIORITY INTO t VALUES (1)              becomes  INSERT  INTO t VALUES (1)
//
// go-mysql-server: syntax errors. MySQL: the same as the other words; locks no rows here, reads in no other order.
func spellings(r *rewriting) {
	verb := "" // of the statement
	begins := true
	for i, t := range r.tokens {
		if begins && t.kind == kindWord {
			verb = strings.ToUpper(r.word(i))
		}
		if t.kind == kindWord && !r.is(i-1, ".") && !r.replaced(i) {
			r.spell(verb, i)
		}
		begins = r.is(i, ";") || t.kind == kindWord && slices.Contains(before, strings.ToUpper(r.word(i)))
	}
}

// hows are the words behind a verb that say how to do it.
var hows = map[string][]string{
	"SELECT":  {"HIGH_PRIORITY", "SQL_SMALL_RESULT", "SQL_BIG_RESULT", "SQL_BUFFER_RESULT"},
	"INSERT":  {"LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY"},
	"REPLACE": {"LOW_PRIORITY", "DELAYED"},
	"UPDATE":  {"LOW_PRIORITY"},
	"DELETE":  {"LOW_PRIORITY", "QUICK", "IGNORE"},
}

// spell puts word i of a statement that begins with verb into other words.
func (r *rewriting) spell(verb string, i int) {
	drop := func(j int) { r.replace(i, j, "") }
	word := strings.ToUpper(r.word(i))
	switch word {
	case "SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE":
		for j := i + 1; j < len(r.tokens) && r.tokens[j].kind == kindWord; j++ {
			switch w := strings.ToUpper(r.word(j)); {
			case slices.Contains(hows[word], w):
				r.replace(j, j, "")
			case w != "ALL" && w != "DISTINCT" && w != "DISTINCTROW" && w != "IGNORE" && w != "SQL_CALC_FOUND_ROWS" && w != "SQL_NO_CACHE" && w != "STRAIGHT_JOIN":
				return
			}
		}
	case "DISTINCTROW":
		r.replace(i, i, "DISTINCT")
	case "UNKNOWN":
		if r.is(i-1, "IS") || r.is(i-1, "NOT") && r.is(i-2, "IS") {
			r.replace(i, i, "NULL")
		}
	case "FOR":
		switch {
		case r.is(i+1, "SHARE"):
			j := i + 1
			if r.is(j+1, "OF") {
				for j += 2; r.is(j+1, ",") || r.is(j+1, "."); j += 2 {
				}
			}
			if r.is(j+1, "NOWAIT") {
				j++
			} else if r.is(j+1, "SKIP") && r.is(j+2, "LOCKED") {
				j += 2
			}
			r.replace(i, j, "LOCK IN SHARE MODE")
		case (r.is(i-1, "INDEX") || r.is(i-1, "KEY")) && (r.is(i+1, "JOIN")):
			drop(i + 1)
		case (r.is(i-1, "INDEX") || r.is(i-1, "KEY")) && (r.is(i+1, "ORDER") || r.is(i+1, "GROUP")) && r.is(i+2, "BY"):
			drop(i + 2)
		}
	case "BINARY":
		if verb == "SET" && (r.is(i-1, "=") || r.is(i-1, ":=")) && (r.is(i+1, ",") || r.is(i+1, ";") || r.tokens[i+1].kind == kindEnd) {
			r.replace(i, i, "'binary'")
		}
	case "KEY":
		if r.is(i-1, "USE") || r.is(i-1, "IGNORE") || r.is(i-1, "FORCE") {
			r.replace(i, i, "INDEX")
		}
	case "TABLES":
		if verb == "DROP" && (r.is(i-1, "DROP") || r.is(i-1, "TEMPORARY")) {
			r.replace(i, i, "TABLE")
		}
	case "SCHEMA":
		if verb == "ALTER" && r.is(i-1, "ALTER") {
			r.replace(i, i, "DATABASE")
		}
	case "RESTRICT", "CASCADE":
		if last := r.tokens[i+1].kind == kindEnd || r.is(i+1, ";"); verb == "DROP" && last {
			drop(i)
		}
	}
}
