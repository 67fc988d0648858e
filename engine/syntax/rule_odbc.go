package syntax

import "strings"

// odbc removes the braces of ODBC escape sequences. Drivers of BI tools send these as they are.
//
//	SELECT {d '2024-01-02'}                          becomes  SELECT `typed literal`('DATE', '2024-01-02')
//	SELECT {fn UCASE({fn CONCAT('a', b)})}           becomes  SELECT ( UCASE(( CONCAT('a', b))))
//	SELECT 1 FROM {oj t LEFT OUTER JOIN u ON a = b}  becomes  SELECT 1 FROM ( t LEFT OUTER JOIN u ON a = b)
//
// go-mysql-server: a syntax error. MySQL: d, t or ts and a string are a literal. MySQL ignores any
// other word.
func odbc(r *rewriting) {
	var open []int // the open braces
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

// odbcLiterals has the types of literals. The keys are ODBC's words for them.
var odbcLiterals = map[string]string{"D": "DATE", "T": "TIME", "TS": "TIMESTAMP"}
