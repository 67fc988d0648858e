package sqlvalue

import (
	"context"
	"encoding/binary"

	"github.com/dolthub/go-mysql-server/sql/types"
)

// maxGeometryDepth is how deep collections of geometries can contain each other.
const maxGeometryDepth = 100

// Sizes of the parts of a geometry in WKB, in bytes.
const (
	wkbHeader = types.WKBHeaderSize
	wkbCount  = types.CountSize
	wkbPoint  = types.PointSize
)

// The smallest numbers of members.
const (
	leastOfLine = 2
	leastOfRing = 4
)

// WellFormedWKB reports whether b begins with a geometry in the format WKB: each count of members is
// checked against the bytes that are left, and collections against [maxGeometryDepth]. It allocates
// nothing. Only then may go-mysql-server read the geometry, since it makes room for as many members
// as a count says, reads behind the end, and reads collections by recursion.
func WellFormedWKB(b []byte) bool {
	r := wkbReader{b}
	return r.geometry(0, 1)
}

// wellFormedGeometry is [WellFormedWKB] for a geometry as columns have it: WKB behind a SRID.
func wellFormedGeometry(b []byte) bool {
	return len(b) >= types.SRIDSize && WellFormedWKB(b[types.SRIDSize:])
}

// ReadGeometry reads a geometry as columns have it. It returns false if b is none.
func ReadGeometry(b []byte) (types.GeometryValue, bool) {
	if !wellFormedGeometry(b) {
		return nil, false
	}
	v, _, err := types.GeometryType{}.Convert(context.Background(), b)
	if err != nil {
		return nil, false
	}
	g, ok := v.(types.GeometryValue)
	return g, ok
}

// wkbReader has what is left of a geometry. Its methods move behind what they read, and report
// whether it is well formed. Owned by one goroutine.
type wkbReader struct{ left []byte }

// geometry reads a geometry with its header: of this kind, or of any if kind is 0.
func (r *wkbReader) geometry(kind uint32, depth int) bool {
	if len(r.left) < wkbHeader || r.left[0] > 1 {
		return false
	}
	big := r.left[0] == 0
	r.left = r.left[1:]
	found := r.number(big)
	if kind != types.WKBUnknown && found != kind {
		return false
	}
	const line, ring = wkbCount + leastOfLine*wkbPoint, wkbCount + leastOfRing*wkbPoint
	switch found {
	case types.WKBPointID:
		return r.skip(wkbPoint)
	case types.WKBLineID:
		return r.points(big, leastOfLine)
	case types.WKBPolyID:
		n, ok := r.count(big, 1, ring)
		for ; ok && n > 0; n-- {
			ok = r.points(big, leastOfRing)
		}
		return ok
	case types.WKBMultiPointID:
		return r.members(big, 1, wkbPoint, types.WKBPointID, depth)
	case types.WKBMultiLineID:
		return r.members(big, 1, line, types.WKBLineID, depth)
	case types.WKBMultiPolyID:
		return r.members(big, 1, wkbCount+ring, types.WKBPolyID, depth)
	case types.WKBGeomCollID:
		return depth <= maxGeometryDepth && r.members(big, 0, wkbCount, types.WKBUnknown, depth+1)
	}
	return false
}

// members reads the members of a geometry, at least this many. Each has a header and at least size
// bytes.
func (r *wkbReader) members(big bool, least uint32, size int, kind uint32, depth int) bool {
	n, ok := r.count(big, least, wkbHeader+size)
	for ; ok && n > 0; n-- {
		ok = r.geometry(kind, depth)
	}
	return ok
}

// points reads points without headers, at least this many.
func (r *wkbReader) points(big bool, least uint32) bool {
	n, ok := r.count(big, least, wkbPoint)
	return ok && r.skip(int(n)*wkbPoint)
}

// count reads how many members of at least size bytes follow. It returns false if that many cannot
// be left, or if there are fewer than least.
func (r *wkbReader) count(big bool, least uint32, size int) (uint32, bool) {
	if len(r.left) < wkbCount {
		return 0, false
	}
	n := r.number(big)
	return n, n >= least && uint64(n)*uint64(size) <= uint64(len(r.left))
}

// number reads a number of four bytes, which are there.
func (r *wkbReader) number(big bool) (n uint32) {
	if big {
		n = binary.BigEndian.Uint32(r.left)
	} else {
		n = binary.LittleEndian.Uint32(r.left)
	}
	r.left = r.left[wkbCount:]
	return n
}

func (r *wkbReader) skip(n int) bool {
	if n > len(r.left) {
		return false
	}
	r.left = r.left[n:]
	return true
}
