package hints

import "strings"

// known are the names of MySQL's hints.
var known = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(`
		BKA NO_BKA BNL NO_BNL DERIVED_CONDITION_PUSHDOWN NO_DERIVED_CONDITION_PUSHDOWN GROUP_INDEX NO_GROUP_INDEX HASH_JOIN NO_HASH_JOIN INDEX
		NO_INDEX INDEX_MERGE NO_INDEX_MERGE JOIN_FIXED_ORDER JOIN_INDEX NO_JOIN_INDEX JOIN_ORDER JOIN_PREFIX JOIN_SUFFIX MAX_EXECUTION_TIME MERGE
		NO_MERGE MRR NO_MRR NO_ICP NO_RANGE_OPTIMIZATION ORDER_INDEX NO_ORDER_INDEX QB_NAME RESOURCE_GROUP SEMIJOIN NO_SEMIJOIN SKIP_SCAN
		NO_SKIP_SCAN SET_VAR SUBQUERY`) {
		all[name] = true
	}
	return all
}()

// comment returns the comment text[at:end].
func comment(text string, at, end int, top bool, first string) Comment {
	c := Comment{Top: top, First: first}
	inside := strings.TrimSuffix(text[at+3:end], "*/")
	base := at + 3
	for pos := 0; ; {
		for pos < len(inside) && inside[pos] <= ' ' {
			pos++
		}
		if pos == len(inside) {
			return c
		}
		h, n := read(inside[pos:])
		if n == 0 {
			bad := base + pos
			return Comment{Top: top, First: first, Bad: text[bad:], Line: 1 + strings.Count(text[:bad], "\n")}
		}
		c.Hints = append(c.Hints, h)
		pos += n
	}
}

// read reads the hint that a text begins with, and returns its length, 0 if there is none.
func read(text string) (h Hint, length int) {
	at := 0
	for at < len(text) && letter(text[at]) {
		at++
	}
	if h.Name = strings.ToUpper(text[:at]); !known[h.Name] {
		return h, 0
	}
	for at < len(text) && text[at] <= ' ' {
		at++
	}
	if at == len(text) || text[at] != '(' {
		return h, 0
	}
	start := at + 1
	for at = start; at < len(text); at++ {
		switch c := text[at]; c {
		case '\'', '"', '`':
			at = quotedEnd(text, at) - 1
		case ')':
			inside := strings.TrimSpace(text[start:at])
			if h.Name == "SET_VAR" {
				name, value, ok := strings.Cut(inside, "=")
				name, value = strings.TrimSpace(name), strings.TrimSpace(value)
				if !ok || name == "" || value == "" {
					return h, 0
				}
				h.Args = []string{strings.Trim(name, "`"), value}
				return h, at + 1
			}
			h.Args = strings.FieldsFunc(inside, func(r rune) bool { return r == ',' || r <= ' ' })
			if h.Name == "MAX_EXECUTION_TIME" && (len(h.Args) != 1 || strings.Trim(h.Args[0], "0123456789") != "") {
				return h, 0
			}
			return h, at + 1
		}
	}
	return h, 0
}
