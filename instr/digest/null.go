package digest

// beforeOperand are the words and operators after which an operand follows, so that NULL is a
// literal there. MySQL's grammar has more of them, but NULL never follows those.
var beforeOperand = tokenSet(
	'(', ',', '+', '-', '*', '/', '%', '^', '~', '!', '|', '&', tokSetVar, tokNot2, tokOr2,
	"=", "<=>", "<", "<=", ">", ">=", "<>", "<<", ">>", "&&", "||", "AND", "OR", "XOR", "DIV", "MOD",
	"LIKE", "REGEXP", "ESCAPE", "BETWEEN", "IN", "INTERVAL",
	"SELECT", "DISTINCT", "ALL", "HIGH_PRIORITY", "STRAIGHT_JOIN", "SQL_SMALL_RESULT", "SQL_BIG_RESULT",
	"SQL_BUFFER_RESULT", "SQL_NO_CACHE", "SQL_CALC_FOUND_ROWS",
	"WHERE", "ON", "HAVING", "QUALIFY", "BY", "CASE", "WHEN", "THEN", "ELSE",
	"FROM", "FOR", "LEADING", "TRAILING", "BOTH",
	"DEFAULT", "RETURN", "IF", "ELSEIF", "WHILE", "UNTIL", "DO", "KILL", "AT", "EVERY", "STARTS", "ENDS",
)

// takeNull are options whose value NULL is a keyword and not a literal.
var takeNull = tokenSet("SECONDARY_ENGINE", "PRIVILEGE_CHECKS_USER", "SOURCE_TLS_CIPHERSUITES")

// nullIsValue reports whether the NULL that is added now is a literal.
func (s *stream) nullIsValue() bool {
	switch s.before {
	case tokNot, tokNot2, tokBinary:
		// NOT and BINARY are operators, or part of the definition of a column.
		return beforeOperand.has(s.before2) || s.before2 == tokNot
	case tokEq:
		return !takeNull.has(s.before2)
	}
	return beforeOperand.has(s.before)
}

// bitset is a set of tokens. Immutable.
type bitset [(tokenLimit + 63) / 64]uint64

// tokenSet is the set of tokens, and of keywords' tokens.
func tokenSet(members ...any) *bitset {
	s := new(bitset)
	for _, m := range members {
		var t token
		switch m := m.(type) {
		case rune:
			t = token(m)
		case token:
			t = m
		case string:
			if t = operator(m); t == 0 {
				t = lookUp(m, hashOf(m), false)
			}
			if t == 0 {
				panic("digest: no token is spelt " + m)
			}
		}
		s[t/64] |= 1 << (t % 64)
	}
	return s
}

func (s *bitset) has(t token) bool { return t < tokenLimit && s[t/64]&(1<<(t%64)) != 0 }
