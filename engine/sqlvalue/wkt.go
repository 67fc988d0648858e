package sqlvalue

import (
	"math"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql/types"
)

// ReadWKT returns the geometry that s has in the format WKT, with SRID 0 and the coordinates in the
// order of the text. It returns false if s is none, or has collections deeper than
// [maxGeometryDepth]. It takes time that grows with the length of s.
//
// go-mysql-server: takes time that grows with the square of the number of members, panics at an
// empty list, reads nested collections by recursion, and takes any member of a collection that it
// cannot read for an empty one. MySQL: error 3037.
func ReadWKT(s string) (types.GeometryValue, bool) {
	r := wktReader{s}
	g, ok := r.geometry(1)
	return g, ok && r.next() == 0
}

// SmallWKT returns a short text for a geometry of the type of g, whose first point has the
// coordinates 0 and 1, in this order.
func SmallWKT(g types.GeometryValue) string {
	switch g.(type) {
	case types.Point:
		return "POINT(0 1)"
	case types.LineString:
		return "LINESTRING(0 1,0 0)"
	case types.Polygon:
		return "POLYGON((0 1,0 0,1 0,0 1))"
	case types.MultiPoint:
		return "MULTIPOINT((0 1))"
	case types.MultiLineString:
		return "MULTILINESTRING((0 1,0 0))"
	case types.MultiPolygon:
		return "MULTIPOLYGON(((0 1,0 0,1 0,0 1)))"
	}
	return "GEOMETRYCOLLECTION(POINT(0 1))"
}

// FirstPoint returns the first point of a geometry that is not empty.
func FirstPoint(g types.GeometryValue) types.Point {
	switch g := g.(type) {
	case types.Point:
		return g
	case types.LineString:
		return g.Points[0]
	case types.Polygon:
		return g.Lines[0].Points[0]
	case types.MultiPoint:
		return g.Points[0]
	case types.MultiLineString:
		return g.Lines[0].Points[0]
	case types.MultiPolygon:
		return g.Polygons[0].Lines[0].Points[0]
	case types.GeomColl:
		return FirstPoint(g.Geoms[0])
	}
	return types.Point{}
}

// wktReader has what is left of a text. Its methods move behind what they read, and report whether
// it is well formed. Owned by one goroutine.
type wktReader struct{ left string }

// geometry reads a geometry with the name of its type.
func (r *wktReader) geometry(depth int) (types.GeometryValue, bool) {
	switch strings.ToLower(r.word()) {
	case "point":
		return r.enclosed()
	case "linestring":
		return r.line()
	case "polygon":
		return r.polygon()
	case "multipoint":
		points, ok := listOf(r, func() (types.Point, bool) {
			if r.next() == '(' {
				return r.enclosed()
			}
			return r.point()
		})
		return types.MultiPoint{Points: points}, ok
	case "multilinestring":
		lines, ok := listOf(r, r.line)
		return types.MultiLineString{Lines: lines}, ok
	case "multipolygon":
		polygons, ok := listOf(r, r.polygon)
		return types.MultiPolygon{Polygons: polygons}, ok
	case "geometrycollection":
		return r.collection(depth)
	}
	return nil, false
}

func (r *wktReader) collection(depth int) (types.GeometryValue, bool) {
	empty := types.GeomColl{Geoms: []types.GeometryValue{}}
	if depth > maxGeometryDepth {
		return nil, false
	}
	if r.next() != '(' {
		return empty, strings.EqualFold(r.word(), "empty")
	}
	before := r.left
	if r.take('('); r.take(')') {
		return empty, true
	}
	r.left = before
	members, ok := listOf(r, func() (types.GeometryValue, bool) { return r.geometry(depth + 1) })
	return types.GeomColl{Geoms: members}, ok
}

func (r *wktReader) polygon() (types.Polygon, bool) {
	rings, ok := listOf(r, func() (types.LineString, bool) {
		l, ok := r.line()
		return l, ok && len(l.Points) >= leastOfRing && l.Points[0] == l.Points[len(l.Points)-1]
	})
	return types.Polygon{Lines: rings}, ok
}

func (r *wktReader) line() (types.LineString, bool) {
	points, ok := listOf(r, r.point)
	return types.LineString{Points: points}, ok && len(points) >= leastOfLine
}

// listOf reads a list in parentheses of at least one member.
func listOf[T any](r *wktReader, member func() (T, bool)) (all []T, ok bool) {
	if !r.take('(') {
		return nil, false
	}
	for {
		m, ok := member()
		if !ok {
			return nil, false
		}
		if all = append(all, m); r.take(')') {
			return all, true
		}
		if !r.take(',') {
			return nil, false
		}
	}
}

// enclosed reads a point in parentheses.
func (r *wktReader) enclosed() (types.Point, bool) {
	if !r.take('(') {
		return types.Point{}, false
	}
	p, ok := r.point()
	return p, ok && r.take(')')
}

// point reads two coordinates.
func (r *wktReader) point() (types.Point, bool) {
	x, one := r.coordinate()
	y, other := r.coordinate()
	return types.Point{X: x, Y: y}, one && other
}

func (r *wktReader) coordinate() (float64, bool) {
	f, err := strconv.ParseFloat(r.word(), 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
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
