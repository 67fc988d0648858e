package syntax

import "strings"

// hints keeps one of the index hints of a table: the first one that applies to joins, else the
// first one. It drops hints without indexes, and quotes the name PRIMARY.
//
//	SELECT a FROM t USE INDEX (a) IGNORE KEY FOR JOIN (b)  becomes  SELECT a FROM t USE INDEX (a)
//	SELECT a FROM t FORCE INDEX (PRIMARY)                  becomes  SELECT a FROM t FORCE INDEX (`PRIMARY`)
//
// go-mysql-server: accepts one hint. MySQL: accepts any number of hints, and applies all.
func hints(r *rewriting) {
	for i := 0; i < len(r.tokens); i++ {
		h, ok := r.hint(i)
		if !ok {
			continue
		}
		all := []hint{h}
		for {
			next, ok := r.hint(all[len(all)-1].end + 1)
			if !ok {
				break
			}
			all = append(all, next)
		}
		kept := 0
		for j, h := range all {
			if !h.empty && (all[kept].empty || all[kept].partly && !h.partly) {
				kept = j
			}
		}
		for j, h := range all {
			if j != kept || h.empty {
				r.replace(h.start, h.end, "")
				continue
			}
			for k := h.start; k < h.end; k++ {
				if r.is(k, "PRIMARY") {
					r.quote(k)
				}
			}
		}
		i = all[len(all)-1].end
	}
}

// hint is an index hint: its first and its last token.
type hint struct {
	start, end int
	partly     bool // the hint is only for ORDER BY or GROUP BY
	empty      bool // the hint has no index
}

// hint returns the hint that begins at token i.
func (r *rewriting) hint(i int) (h hint, ok bool) {
	switch strings.ToUpper(r.word(i)) {
	case "USE", "IGNORE", "FORCE":
	default:
		return h, false
	}
	if !r.is(i, r.word(i)) || r.is(i-1, ".") || !r.is(i+1, "INDEX") && !r.is(i+1, "KEY") {
		return h, false
	}
	h.start = i
	i += 2
	if r.is(i, "FOR") {
		h.partly = !r.is(i+1, "JOIN")
		if i += 2; h.partly {
			i++
		}
	}
	if !r.is(i, "(") {
		return h, false
	}
	h.end = r.closing(i)
	h.empty = h.end == i+1
	return h, r.is(h.end, ")")
}
