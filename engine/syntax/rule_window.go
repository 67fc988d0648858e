package syntax

import (
	"maps"
	"slices"
	"strings"
)

// windows replaces the names of windows by their definitions in the clause WINDOW.
//
//	SELECT SUM(a) OVER w FROM t WINDOW w AS (ORDER BY b)  becomes  SELECT SUM(a) OVER (ORDER BY b) FROM t
//
// go-mysql-server: the default frame of a named window is the whole partition. MySQL: with ORDER
// BY, it ends at the current row.
func windows(r *rewriting) {
	var all []windowClause
	queries := []int{0} // for each open parenthesis, the token where the query in it begins
	found := -1         // the last query that has a clause, by the token where it begins
	for i := 0; i < len(r.tokens); i++ {
		last := len(queries) - 1
		switch {
		case r.is(i, "("):
			queries = append(queries, i)
		case r.is(i, ")") && last > 0:
			queries = queries[:last]
		case r.is(i, "SELECT"), r.is(i, ";"):
			queries[last] = i
		}
		if queries[len(queries)-1] == found {
			continue
		}
		if c, ok := r.windowClause(i); ok {
			found = queries[len(queries)-1]
			c.first, c.last = found, r.queryEnd(c.end+1)
			all = append(all, c)
			i = c.end
		}
	}
	// A subquery is shorter than the query around it, so its clause comes first.
	slices.SortStableFunc(all, func(a, b windowClause) int { return (a.last - a.first) - (b.last - b.first) })
	for _, c := range all {
		r.inline(c)
	}
}

// windowClause is a clause WINDOW. It is the tokens start to end of a query, which is the tokens
// first to last.
type windowClause struct {
	start, end, first, last int
	windows                 map[string]string // the definitions, by name in lower case
}

// windowClause returns the clause that begins at token i.
func (r *rewriting) windowClause(i int) (c windowClause, ok bool) {
	if !r.is(i, "WINDOW") || r.is(i-1, ".") {
		return c, false
	}
	c = windowClause{start: i, windows: map[string]string{}}
	for j := i + 1; ; j++ {
		if !r.is(j+1, "AS") || !r.is(j+2, "(") || !r.callable(j) {
			return c, false
		}
		end := r.closing(j + 2)
		if !r.is(end, ")") {
			return c, false
		}
		for k := j + 3; k < end; k++ { // a definition can be inserted several times, but no string may be
			if r.tokens[k].kind == kindString || r.tokens[k].kind == kindCode || r.replaced(k) {
				return c, false
			}
		}
		c.windows[r.windowName(j)] = r.between(j+3, end-1)
		if j = end + 1; !r.is(j, ",") {
			c.end = end
			break
		}
	}
	return c, true
}

// windowName returns token i, the name of a window, in lower case and without quotes.
func (r *rewriting) windowName(i int) string {
	return strings.ToLower(strings.ReplaceAll(strings.Trim(r.word(i), "`"), "``", "`"))
}

// between returns the text of tokens i to j, without comments.
func (r *rewriting) between(i, j int) string {
	var b strings.Builder
	for ; i <= j; i++ {
		if b.Len() > 0 && r.tokens[i-1].end < r.tokens[i].start {
			b.WriteByte(' ')
		}
		b.WriteString(r.word(i))
	}
	return b.String()
}

// queryEnd returns the last token of the query that directly contains token i.
func (r *rewriting) queryEnd(i int) int {
	for ; r.tokens[i].kind != kindEnd; i++ {
		switch {
		case r.is(i, "("):
			if i = r.closing(i); r.tokens[i].kind == kindEnd {
				return i
			}
		case r.is(i, ")"), r.is(i, "UNION"), r.is(i, "INTERSECT"), r.is(i, "EXCEPT"), r.is(i, ";"):
			return i
		}
	}
	return i
}

// inline replaces the window names of c by their definitions, and removes the clause.
func (r *rewriting) inline(c windowClause) {
	whole, done, size := make(map[string]string, len(c.windows)), make(map[string]bool, len(c.windows)), 0
	for _, name := range slices.Sorted(maps.Keys(c.windows)) {
		if c.resolve(name, done, &size); size > maxAdded {
			r.tooLong = true
			return
		}
		whole[name] = "(" + c.windows[name] + ")"
	}
	for i := c.first; i < c.last; i++ {
		if !r.is(i, "OVER") || i >= c.start && i <= c.end || r.is(i-1, ".") || r.replaced(i) {
			continue
		}
		at := i + 1
		inner := r.is(at, "(")
		if inner {
			at++
		}
		if !r.callable(at) || r.replaced(at) {
			continue
		}
		window, ok := c.windows[r.windowName(at)]
		if ok && !inner {
			window = whole[r.windowName(at)]
		}
		if ok {
			r.replace(at, at, window)
		}
		if r.added > maxAdded {
			r.tooLong = true
			return
		}
	}
	r.replace(c.start, c.end, "")
}

// resolve replaces the window name with which the definition of window name begins, if any, by the
// definition of that window. done has the windows for which this is done. resolve adds the size of
// the definition to size, and stops if that is more than maxAdded.
func (c *windowClause) resolve(name string, done map[string]bool, size *int) {
	if done[name] {
		return
	}
	done[name] = true
	first, rest, _ := strings.Cut(c.windows[name], " ")
	base := strings.ToLower(strings.Trim(first, "`"))
	if _, ok := c.windows[base]; ok && base != name {
		if c.resolve(base, done, size); *size > maxAdded {
			return
		}
		c.windows[name] = strings.TrimSpace(c.windows[base] + " " + rest)
	}
	*size += len(c.windows[name])
}
