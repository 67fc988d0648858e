package sqlvalue

import (
	"math"
	"strconv"
	"strings"
)

// WellFormedWKT reports whether s is a geometry in the format WKT, with collections of at most
// [MaxGeometryDepth]. It takes time that grows with the length of s.
//
// go-mysql-server: panics at an empty list, reads nested collections by recursion and each of their
// levels again for the next, and takes any member of a collection that it cannot read for an empty
// one. MySQL: error 3037.
func WellFormedWKT(s string) bool {
	r := wktReader{s}
	return r.geometry(1) && r.next() == 0
}

// wktReader has what is left of a text. Its methods move behind what they read, and report whether
// it is well formed. Owned by one goroutine.
type wktReader struct{ left string }

// geometry reads a geometry with the name of its type.
func (r *wktReader) geometry(depth int) bool {
	line := func() bool { return r.list(leastOfLine, r.point) }
	ring := func() bool { return r.list(leastOfRing, r.point) }
	polygon := func() bool { return r.list(1, ring) }
	switch strings.ToLower(r.word()) {
	case "point":
		return r.enclosed(r.point)
	case "linestring":
		return line()
	case "polygon":
		return polygon()
	case "multipoint":
		return r.list(1, func() bool {
			if r.next() == '(' {
				return r.enclosed(r.point)
			}
			return r.point()
		})
	case "multilinestring":
		return r.list(1, line)
	case "multipolygon":
		return r.list(1, polygon)
	case "geometrycollection":
		if depth > MaxGeometryDepth {
			return false
		}
		if r.next() != '(' {
			return strings.EqualFold(r.word(), "empty")
		}
		return r.list(0, func() bool { return r.geometry(depth + 1) })
	}
	return false
}

// list reads a list in parentheses of at least this many members.
func (r *wktReader) list(least int, member func() bool) bool {
	if !r.take('(') {
		return false
	}
	if least == 0 && r.take(')') {
		return true
	}
	for n := 1; member(); n++ {
		if r.take(')') {
			return n >= least
		}
		if !r.take(',') {
			return false
		}
	}
	return false
}

// enclosed reads a member in parentheses.
func (r *wktReader) enclosed(member func() bool) bool { return r.take('(') && member() && r.take(')') }

// point reads two coordinates.
func (r *wktReader) point() bool { return r.coordinate() && r.coordinate() }

func (r *wktReader) coordinate() bool {
	f, err := strconv.ParseFloat(r.word(), 64)
	return err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// next returns the character that comes next behind blanks, 0 at the end.
func (r *wktReader) next() byte {
	r.left = strings.TrimLeft(r.left, Blanks)
	if r.left == "" {
		return 0
	}
	return r.left[0]
}

// take reads this character, and reports whether it was there.
func (r *wktReader) take(c byte) bool {
	if r.next() != c {
		return false
	}
	r.left = r.left[1:]
	return true
}

// word reads a name or a number.
func (r *wktReader) word() string {
	r.next()
	n := strings.IndexAny(r.left, Blanks+"(),")
	if n < 0 {
		n = len(r.left)
	}
	w := r.left[:n]
	r.left = r.left[n:]
	return w
}
