package sqlvalue

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/mends/mendtest"
)

var (
	aPoint   = types.Point{X: 1, Y: 2}
	aLine    = types.LineString{Points: []types.Point{{X: 1}, {X: 2}}}
	aRing    = types.LineString{Points: []types.Point{{}, {X: 1}, {Y: 1}, {}}}
	aPolygon = types.Polygon{Lines: []types.LineString{aRing, aRing}}
	// someGeometries are of all types.
	someGeometries = []types.GeometryValue{
		aPoint, aLine, aPolygon, types.MultiPoint{Points: []types.Point{aPoint, aPoint}}, types.MultiLineString{Lines: []types.LineString{aLine, aRing}},
		types.MultiPolygon{Polygons: []types.Polygon{aPolygon}}, types.GeomColl{}, types.GeomColl{Geoms: []types.GeometryValue{aPoint, types.GeomColl{Geoms: []types.GeometryValue{aLine, aPolygon}}}},
	}
)

// A geometry is well formed if all of it is there, and go-mysql-server reads what is well formed.
func TestWellFormedWKB(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, g := range someGeometries {
		whole := g.Serialize()
		if read, ok := ReadGeometry(whole); !ok || !slices.Equal(read.Serialize(), whole) {
			t.Errorf("%T: read as %v, %v", g, read, ok)
		}
		for n := range whole {
			if wellFormedGeometry(whole[:n:n]) {
				t.Errorf("%T: well formed with %d of %d bytes", g, n, len(whole))
			}
		}
		for at := 9; at+4 <= len(whole); at++ { // among others, each count
			for _, n := range []uint32{0, 3, 1 << 31, 1<<32 - 1} {
				changed := slices.Clone(whole)
				binary.LittleEndian.PutUint32(changed[at:], n)
				ReadGeometry(changed)
			}
		}
		for range 3000 {
			changed := slices.Clone(whole[:4+random.IntN(len(whole)-3)])
			for range random.IntN(4) {
				changed[random.IntN(len(changed))] = byte(random.IntN(9))
			}
			ReadGeometry(slices.Clip(changed))
		}
	}
	for _, b := range [][]byte{nil, {1}, {2, 1, 0, 0, 0}, {1, 8, 0, 0, 0}, {1, 7, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f}, {0, 0, 0, 0, 7, 0x7f, 0xff, 0xff, 0xff}} {
		if WellFormedWKB(b) {
			t.Errorf("%x is well formed", b)
		}
	}
	big := []byte{0, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0}
	if !WellFormedWKB(big) {
		t.Error("a point in a collection is not well formed in big endian")
	}
	if n := testing.AllocsPerRun(10, func() { WellFormedWKB(big) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Collections can be maxGeometryDepth deep, in each of the formats and as values.
func TestDepthOfGeometries(t *testing.T) {
	var g types.GeometryValue = types.GeomColl{}
	for depth := 1; depth <= maxGeometryDepth+1; depth++ {
		want := depth <= maxGeometryDepth
		text := strings.Repeat("GEOMETRYCOLLECTION(", depth-1) + "GEOMETRYCOLLECTION EMPTY" + strings.Repeat(")", depth-1)
		if b, v, s := wellFormedGeometry(g.Serialize()), fitsColumn(g), isWKT(text); b != want || v != want || s != want {
			t.Errorf("%d deep: WKB %v, value %v, WKT %v", depth, b, v, s)
		}
		g = types.GeomColl{Geoms: []types.GeometryValue{g}}
	}
}

func isWKT(s string) bool { _, ok := ReadWKT(s); return ok }

func TestReadWKT(t *testing.T) {
	for s, want := range map[string]bool{
		"POINT(1 2)": true, " point ( 1\t-2e3 ) ": true, "POINT(1)": false, "POINT(1 2 3)": false, "POINT()": false, "POINT": false, "POINT(1 2": false, "POINT(1 2) x": false, "POINT(a b)": false,
		"POINT(1e400 1)": false, "POINT(NaN 1)": false, "POINT EMPTY": false, "": false, "(": false, "LINESTRING(1 2,3 4)": true, "LINESTRING(1 2)": false, "LINESTRING(1 2,)": false, "LINESTRING()": false,
		"POLYGON((0 0,1 0,0 1,0 0))": true, "POLYGON((0 0,1 0,0 0))": false, "POLYGON()": false, "POLYGON(())": false, "POLYGON((0 0,1 0,0 1,0 0),)": false,
		"MULTIPOINT(1 2,3 4)": true, "MULTIPOINT((1 2),(3 4))": true, "MULTIPOINT()": false, "MULTILINESTRING((1 2,3 4),(1 2,3 4))": true, "MULTILINESTRING(())": false,
		"MULTIPOLYGON(((0 0,1 0,0 1,0 0)))": true, "MULTIPOLYGON((()))": false, "GEOMETRYCOLLECTION EMPTY": true, "GEOMETRYCOLLECTION()": true, "GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(1 2,3 4))": true,
		"GEOMETRYCOLLECTION(POINT(a b))": false, "GEOMETRYCOLLECTION(POINT(1 2)": false, "GEOMETRYCOLLECTION(,)": false, "CIRCLE(1 2)": false,
	} {
		if isWKT(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}

// The short texts are those of geometries of the same types.
func TestSmallWKT(t *testing.T) {
	for _, g := range someGeometries {
		small, ok := ReadWKT(SmallWKT(g))
		if p := FirstPoint(small); !ok || reflect.TypeOf(small) != reflect.TypeOf(g) || p.X != 0 || p.Y != 1 {
			t.Errorf("%T: %v", g, small)
		}
	}
}

// A spatial type reads bytes only if all that they name is there, and shows geometries of all types.
func TestSpatial(t *testing.T) {
	ctx := sql.NewEmptyContext()
	const members, few = 1 << 18, 20_000
	named := append([]byte{0, 0, 0, 0}, binary.LittleEndian.AppendUint32([]byte{1, 7, 0, 0, 0}, members)...)
	if mendtest.Allocated(func() { _, _, _ = types.GeometryType{}.Convert(ctx, named) }) < few {
		mendtest.NoLongerNeeded(t, "geometrytype.go")
	}
	if n := mendtest.Allocated(func() { _, _, _ = ReadsSafely(types.GeometryType{}).Convert(ctx, named) }); n >= few {
		t.Errorf("%d members that are not there take %d bytes", members, n)
	}
	for _, plain := range []sql.Type{
		types.GeometryType{}, types.PointType{}, types.LineStringType{}, types.PolygonType{}, types.MultiPointType{}, types.MultiLineStringType{}, types.MultiPolygonType{}, types.GeomCollType{},
	} {
		s := ReadsSafely(plain)
		if ReadsSafely(s) != s || !s.Equals(plain) || s.Equals(types.JSON) || s.String() != plain.String() || s.Type() != plain.Type() || s.Promote() != s {
			t.Errorf("%s: %#v", plain, s)
		}
		for _, v := range []any{"\x00\x00\x00\x00\x01\x07\x00\x00\x00\xff\xff\xff\x7f", []byte{0, 0, 0, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff}, []byte("a"), "", 7, types.JSONDocument{}} {
			var e *mysql.SQLError
			if got, _, err := s.Convert(ctx, v); got != nil || !errors.As(err, &e) || e.Num != 1416 {
				t.Errorf("%s: %v becomes %v, %v", plain, v, got, err)
			}
		}
		taken := 0
		for _, g := range someGeometries {
			want, _, refused := plain.Convert(context.Background(), g)
			got, _, err := s.Convert(ctx, g.Serialize())
			if (err == nil) != (refused == nil) || err == nil && got.(types.GeometryValue).GetSRID() != want.(types.GeometryValue).GetSRID() {
				t.Errorf("%s: %v becomes %v, %v", plain, g, got, err)
			}
			if err == nil {
				taken++
			}
			if shown, err := s.SQL(ctx, nil, g); err != nil || !slices.Equal(shown.Raw(), g.Serialize()) {
				t.Errorf("%s: %v is shown as %v, %v", plain, g, shown, err)
			}
		}
		if taken == 0 {
			t.Errorf("%s takes no geometry", plain)
		}
	}
	other := ReadsSafely(types.PointType{}).(sql.SpatialColumnType).SetSRID(4326)
	if _, _, err := other.Convert(ctx, aPoint.Serialize()); !sql.ErrNotMatchingSRID.Is(err) {
		t.Errorf("a point of another SRID: %v", err)
	}
}
