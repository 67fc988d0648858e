package syntax

import "strings"

// TypedLiteral is the name of the function that the literals of times are. Its arguments are the type and the text.
const TypedLiteral = "typed literal"

// times makes calls of the function TypedLiteral of literals of times.
//
//	DATE '2024-01-31'  becomes  `typed literal`('DATE', '2024-01-31')
//
// go-mysql-server: a text. MySQL: a DATE, a TIME, or a DATETIME if it is a TIMESTAMP.
func times(r *rewriting) {
	for i := range r.tokens {
		if r.isTyped(i) {
			r.replace(i, i, typedCall(r.word(i)))
			r.insert(i+1, ")")
		}
	}
}

// typedCall is how the call of TypedLiteral begins.
func typedCall(word string) string {
	return "`" + TypedLiteral + "`('" + strings.ToUpper(word) + "',"
}

// isTyped tells whether token i is the type of a literal that follows it.
func (r *rewriting) isTyped(i int) bool {
	if !r.is(i, "DATE") && !r.is(i, "TIME") && !r.is(i, "TIMESTAMP") || i+1 >= len(r.tokens) || r.tokens[i+1].kind != kindString {
		return false
	}
	quote := r.text[r.tokens[i+1].start]
	return (quote == '\'' || quote == '"') && !r.is(i-1, ".") && !r.is(i-1, "AS")
}

// endsTyped tells whether a text ends such that a string behind it may be a literal of a time.
func endsTyped(text string) bool {
	before := strings.TrimRight(text, blanks)
	if strings.HasSuffix(before, "*/") {
		return true
	}
	for _, word := range []string{"date", "time", "timestamp"} {
		if len(before) >= len(word) && strings.EqualFold(before[len(before)-len(word):], word) {
			return true
		}
	}
	return false
}
