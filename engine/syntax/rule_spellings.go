package syntax

import (
	"slices"
	"strings"
)

// spellings replaces synonyms by the words of vitess's grammar, and drops modifiers that do not
// change the result of a statement.
//
//	SELECT DISTINCTROW a FROM t USE KEY (a) FOR SHARE  becomes  SELECT DISTINCT a FROM t USE INDEX (a) FOR UPDATE OF `<share>`
//	INSERT LOW_PRIORITY INTO t VALUES (1)              becomes  INSERT  INTO t VALUES (1)
//
// go-mysql-server: syntax errors. MySQL: knows the synonyms. The modifiers only affect how it
// executes a statement.
func spellings(r *rewriting) {
	verb := "" // the first word of the statement
	begins := true
	for i, t := range r.tokens {
		if begins && t.kind == kindWord {
			verb = strings.ToUpper(r.word(i))
		}
		if t.kind == kindWord && !r.is(i-1, ".") && !r.replaced(i) {
			r.spell(verb, i)
		}
		begins = r.is(i, ";") || t.kind == kindWord && slices.Contains(statementStarts, strings.ToUpper(r.word(i)))
	}
}

// modifiers has the modifiers that can follow a verb.
var modifiers = map[string][]string{
	"SELECT":  {"HIGH_PRIORITY", "SQL_SMALL_RESULT", "SQL_BIG_RESULT", "SQL_BUFFER_RESULT"},
	"INSERT":  {"LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY"},
	"REPLACE": {"LOW_PRIORITY", "DELAYED"},
	"UPDATE":  {"LOW_PRIORITY"},
	"DELETE":  {"LOW_PRIORITY", "QUICK", "IGNORE"},
}

// spell replaces or drops token i, a word of a statement that begins with verb.
func (r *rewriting) spell(verb string, i int) {
	drop := func(j int) { r.replace(i, j, "") }
	word := strings.ToUpper(r.word(i))
	switch word {
	case "SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE":
		for j := i + 1; j < len(r.tokens) && r.tokens[j].kind == kindWord; j++ {
			switch w := strings.ToUpper(r.word(j)); {
			case slices.Contains(modifiers[word], w):
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
			words, last := r.shareWords(i)
			r.replace(i, last, words)
			r.hasShares = true
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
