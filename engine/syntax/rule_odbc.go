package syntax

import "strings"

// odbc takes the braces from ODBC's escapes, which drivers of BI tools send as they are.
//
//	{d '2024-01-02'}                    becomes  `typed literal`('DATE', '2024-01-02')
//	{fn UCASE({fn CONCAT('a', b)})}     becomes  ( UCASE(( CONCAT('a', b))))
//	{oj t LEFT OUTER JOIN u ON a = b}   becomes  ( t LEFT OUTER JOIN u ON a = b)
//
// go-mysql-server: a syntax error. MySQL: d, t and ts before a text make a literal; after any other word, what
// follows it is meant.
func odbc(r *rewriting) {
	var open []int // the braces that wait for their other half
	for i := range r.tokens {
		switch {
		case r.is(i, "{"):
			open = append(open, i)
		case r.is(i, "}") && len(open) > 0:
			from := open[len(open)-1]
			open = open[:len(open)-1]
			if i < from+3 || r.tokens[from+1].kind != kindWord {
				continue
			}
			literal := odbcLiterals[strings.ToUpper(r.word(from+1))]
			if literal != "" && i == from+3 && r.tokens[from+2].kind == kindString {
				r.replace(from, from+1, typedCall(literal))
				r.replace(i, i, ")")
				continue
			}
			r.replace(from, from+1, "(")
			r.replace(i, i, ")")
		}
	}
}

// odbcLiterals are the kinds of literals, by the words that stand for them.
var odbcLiterals = map[string]string{"D": "DATE", "T": "TIME", "TS": "TIMESTAMP"}
