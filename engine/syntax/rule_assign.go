package syntax

import (
	"slices"
	"strings"
)

// Assign is the name of the function that assigns the value of its second argument to the user
// variable that its first one names, and returns it.
const Assign = ":="

// assign replaces an assignment within an expression by a call of the function Assign. The
// assignments of SET itself are left alone.
//
//	SELECT @r := @r + 1 AS place, a FROM t  becomes  SELECT `:=`('r', @r + 1) AS place, a FROM t
//
// go-mysql-server: a syntax error. MySQL: an operator that binds less than any other, and from
// right to left.
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

// statementStarts are the words behind which a statement of a stored program may begin.
var statementStarts = []string{"BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT"}

// variableName returns the name of the user variable in token i.
func (r *rewriting) variableName(i int) string {
	w := r.word(i)[1:]
	if w == "" || strings.IndexByte("`'\"", w[0]) < 0 {
		return w
	}
	return strings.ReplaceAll(strings.Trim(w, w[:1]), w[:1]+w[:1], w[:1])
}

// QuotedText returns a text as a string literal.
func QuotedText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(s) + "'"
}

// binary are the words that an operand follows.
var binary = strings.Fields("AND OR XOR DIV MOD LIKE RLIKE REGEXP IN IS NOT BETWEEN SOUNDS MEMBER OF ESCAPE COLLATE OVER BINARY EXISTS ALL ANY SOME DISTINCT")

// units are the words behind the value of an INTERVAL.
var units = strings.Fields(`MICROSECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR SECOND_MICROSECOND MINUTE_MICROSECOND MINUTE_SECOND
	HOUR_MICROSECOND HOUR_SECOND HOUR_MINUTE DAY_MICROSECOND DAY_SECOND DAY_MINUTE DAY_HOUR YEAR_MONTH`)

// expression returns the token behind the expression that begins at token i: at least the one
// behind token i, and never more than the one of the end.
func (r *rewriting) expression(i int) int {
	if r.exprEnds == nil {
		r.exprEnds = make([]int, len(r.tokens))
	}
	if r.exprEnds[i] == 0 {
		var starts []int // of expressions that end where this one does
		r.exprEnds[i] = r.endOf(i, &starts)
		for _, start := range starts {
			r.exprEnds[start] = max(r.exprEnds[i], start+1)
		}
	}
	return r.exprEnds[i]
}

// endOf computes expression. It appends to starts the beginnings of other expressions that end at
// the same place.
func (r *rewriting) endOf(i int, starts *[]int) int {
	first, operand, intervals := i, false, 0 // operand: the previous token ends one
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

// callable reports whether token i may be the name of a function, or a word with a list behind it.
func (r *rewriting) callable(i int) bool {
	return i >= 0 && (r.tokens[i].kind == kindWord || r.tokens[i].kind == kindName)
}

// introduces reports whether token i is the introducer or the type of the string behind it.
func (r *rewriting) introduces(i int) bool {
	w := strings.ToUpper(r.word(i))
	return r.tokens[i].kind == kindWord && (strings.HasPrefix(w, "_") || w == "DATE" || w == "TIME" || w == "TIMESTAMP")
}

// closing returns the token that closes parenthesis i, the last token if there is none.
func (r *rewriting) closing(i int) int { return r.pair(i) }

// endOfCase returns the END of CASE token i, the last token if there is none.
func (r *rewriting) endOfCase(i int) int { return r.pair(i) }

// pair returns the token that closes parenthesis or CASE i.
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
