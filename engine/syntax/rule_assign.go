package syntax

import (
	"slices"
	"strings"
)

// Assign is the name of the function that assigns a value to a user variable, and returns the
// value. Its arguments are the name of the variable and the value.
const Assign = ":="

// assign replaces an assignment within an expression by a call of the function Assign. It does not
// change the assignments of SET itself.
//
//	SELECT @r := @r + 1 AS place, a FROM t  becomes  SELECT `:=`('r', @r + 1) AS place, a FROM t
//
// go-mysql-server: a syntax error. MySQL: := is an operator with the lowest precedence. Several of
// them associate from right to left.
func assign(r *rewriting) {
	depth, set, begins := 0, false, true
	for i, t := range r.tokens {
		switch {
		case r.is(i, "("):
			depth++
		case r.is(i, ")"):
			depth--
		case r.is(i, ";"):
			depth, set = 0, false
		case begins && r.is(i, "SET"):
			depth, set = 0, true
		case t.kind == kindMark && r.word(i) == ":=" && i > 0 && r.tokens[i-1].kind == kindVariable && !strings.HasPrefix(r.word(i-1), "@@"):
			if set && depth == 0 && (r.is(i-2, "SET") || r.is(i-2, ",")) {
				break
			}
			last := r.expression(i+1) - 1
			r.replace(i-1, i, "`"+Assign+"`("+QuotedText(r.variableName(i-1))+",")
			r.insert(last, ")")
		}
		begins = i == 0 && t.kind == kindCode || r.is(i, ";") || r.is(i, ":") || t.kind == kindWord && slices.Contains(statementStarts, strings.ToUpper(r.word(i)))
	}
}

// statementStarts are the words behind which a statement of a stored program can begin.
var statementStarts = []string{"BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT"}

// variableName returns the name of the user variable in token i.
func (r *rewriting) variableName(i int) string {
	w := r.word(i)[1:]
	if w == "" || strings.IndexByte("`'\"", w[0]) < 0 {
		return w
	}
	return strings.ReplaceAll(strings.Trim(w, w[:1]), w[:1]+w[:1], w[:1])
}

// QuotedText returns s as a string literal.
func QuotedText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(s) + "'"
}

// binary are the words behind which an operand stands.
var binary = strings.Fields("AND OR XOR DIV MOD LIKE RLIKE REGEXP IN IS NOT BETWEEN SOUNDS MEMBER OF ESCAPE COLLATE OVER BINARY EXISTS ALL ANY SOME DISTINCT")

// units are the units of an INTERVAL. They stand behind its value.
var units = strings.Fields(`MICROSECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR SECOND_MICROSECOND MINUTE_MICROSECOND MINUTE_SECOND
	HOUR_MICROSECOND HOUR_SECOND HOUR_MINUTE DAY_MICROSECOND DAY_SECOND DAY_MINUTE DAY_HOUR YEAR_MONTH`)

// expression returns the first token behind the expression that begins at token i. This is token
// i+1 at the least, and the last token, of kindEnd, at the most.
func (r *rewriting) expression(i int) int {
	if r.exprEnds == nil {
		r.exprEnds = make([]int, len(r.tokens))
	}
	if r.exprEnds[i] == 0 {
		var starts []int // where other expressions begin that end at the same place
		r.exprEnds[i] = r.endOf(i, &starts)
		for _, start := range starts {
			r.exprEnds[start] = max(r.exprEnds[i], start+1)
		}
	}
	return r.exprEnds[i]
}

// endOf computes the result of expression. It appends to starts the first tokens of other
// expressions that end at the same place.
func (r *rewriting) endOf(i int, starts *[]int) int {
	// operand means that the previous token ends an operand. intervals is how many INTERVALs still
	// lack their unit.
	first, operand, intervals := i, false, 0
	for ; r.tokens[i].kind != kindEnd; i++ {
		if !operand && intervals == 0 && i > first {
			*starts = append(*starts, i)
		}
		upper := strings.ToUpper(r.word(i))
		switch k := r.tokens[i].kind; {
		case k == kindMark && upper == "(":
			if operand && !r.callable(i-1) {
				return i
			}
			i = r.closing(i)
			operand = true
		case k == kindMark && (upper == ")" || upper == "," || upper == ";"):
			return max(i, first+1)
		case k == kindMark && (upper == "?" || upper == "*" && !operand):
			operand = true
		case k == kindMark:
			operand = false
		case k == kindWord && upper == "CASE" && !operand:
			i = r.endOfCase(i)
			operand = true
		case k == kindWord && upper == "INTERVAL" && !operand && !r.is(i+1, "("):
			intervals++
		case k == kindWord && operand && intervals > 0 && slices.Contains(units, upper):
			intervals--
		case k == kindWord && slices.Contains(binary, upper) && !(r.is(i-1, ".")):
			operand = false
		case k == kindString && operand && (r.tokens[i-1].kind == kindString || r.introduces(i-1)):
		case operand, k == kindCode:
			return i
		case k == kindWord && !r.is(i-1, ".") && clauses[upper] && i > first:
			return i
		default:
			operand = true
		}
		if r.tokens[i].kind == kindEnd {
			break
		}
	}
	return max(min(i, len(r.tokens)-1), first+1, 1)
}

// clauses are the words that end an expression wherever they stand.
var clauses = func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields("AS FROM WHERE GROUP HAVING ORDER LIMIT UNION INTERSECT EXCEPT INTO FOR LOCK ASC DESC WINDOW THEN ELSE WHEN END WITH ON JOIN") {
		all[w] = true
	}
	return all
}()

// callable reports whether a parenthesis behind token i can be a part of the same operand: the
// token can be the name of a function, or a word with a list behind it.
func (r *rewriting) callable(i int) bool {
	return i >= 0 && (r.tokens[i].kind == kindWord || r.tokens[i].kind == kindName)
}

// introduces reports whether token i can be the character set introducer (_utf8mb4) or the type
// (DATE) of the string behind it.
func (r *rewriting) introduces(i int) bool {
	w := strings.ToUpper(r.word(i))
	return r.tokens[i].kind == kindWord && (strings.HasPrefix(w, "_") || w == "DATE" || w == "TIME" || w == "TIMESTAMP")
}

// closing returns the token that closes the parenthesis of token i, or the last token if there is
// none.
func (r *rewriting) closing(i int) int { return r.pair(i) }

// endOfCase returns the END of the CASE of token i, or the last token if there is none.
func (r *rewriting) endOfCase(i int) int { return r.pair(i) }

// pair returns the token that closes the parenthesis or CASE of token i. The first call finds those
// of all tokens.
func (r *rewriting) pair(i int) int {
	if r.pairs != nil {
		return r.pairs[i]
	}
	r.pairs = make([]int, len(r.tokens))
	var open, cases []int
	close := func(waiting []int, j int) []int {
		if n := len(waiting); n > 0 {
			r.pairs[waiting[n-1]] = j
			waiting = waiting[:n-1]
		}
		return waiting
	}
	for j := range r.tokens {
		r.pairs[j] = len(r.tokens) - 1
		switch {
		case r.is(j, "("):
			open = append(open, j)
		case r.is(j, ")"):
			open = close(open, j)
		case r.is(j-1, "."):
		case r.is(j, "CASE"):
			cases = append(cases, j)
		case r.is(j, "END"):
			cases = close(cases, j)
		}
	}
	return r.pairs[i]
}
