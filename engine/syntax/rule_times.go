package syntax

import "strings"

// TypedLiteral is the name of the function that returns the value of a literal of a date or time.
// Its arguments are the type and the text.
const TypedLiteral = "typed literal"

// times replaces literals of dates and times by calls of the function TypedLiteral.
//
//	SELECT DATE '2024-01-31'  becomes  SELECT `typed literal`('DATE', '2024-01-31')
//
// go-mysql-server: takes the literal for a string. MySQL: it is a DATE, a TIME, or, with TIMESTAMP,
// a DATETIME.
func times(r *rewriting) {
	for i := range r.tokens {
		if r.isTyped(i) {
			r.replace(i, i, typedCall(r.word(i)))
			r.insert(i+1, ")")
		}
	}
}

// typedCall returns the beginning of a call of TypedLiteral, up to the text.
func typedCall(word string) string {
	return "`" + TypedLiteral + "`('" + strings.ToUpper(word) + "',"
}

// isTyped reports whether token i is the type of the literal behind it.
func (r *rewriting) isTyped(i int) bool {
	if !r.is(i, "DATE") && !r.is(i, "TIME") && !r.is(i, "TIMESTAMP") || i+1 >= len(r.tokens) || r.tokens[i+1].kind != kindString {
		return false
	}
	quote := r.text[r.tokens[i+1].start]
	return (quote == '\'' || quote == '"') && !r.is(i-1, ".") && !r.is(i-1, "AS")
}

// endsTyped reports whether text ends with a type, so that a string behind it may be a literal of a
// date or time. It also reports true if text ends with a comment.
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
