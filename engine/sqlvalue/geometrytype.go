package sqlvalue

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
)

// Spatial is a spatial type that reads bytes only if [wellFormedGeometry] says that it can. Every
// spatial type of a column or an expression is one: package sqltree puts it into the syntax trees of
// definitions, package storage into tables, and package sqlexpr gives it to functions. Safe for
// concurrent use.
//
// go-mysql-server: a conversion believes the counts in the bytes, and a value that it cannot show is
// NULL. MySQL: error 1416.
type Spatial struct{ spatialType }

type spatialType interface {
	sql.Type
	sql.SpatialColumnType
}

var (
	_ spatialType            = Spatial{}
	_ sql.CollationCoercible = Spatial{}
)

// ReadsSafely returns t. If t is a spatial type, the result is a [Spatial].
func ReadsSafely(t sql.Type) sql.Type {
	if s, ok := t.(spatialType); ok {
		if _, ok := t.(Spatial); !ok {
			return Spatial{s}
		}
	}
	return t
}

// ErrNoGeometry returns the error for a value that is no geometry and should become one.
func ErrNoGeometry() error {
	return mysql.NewSQLError(1416, "22003", "Cannot get geometry object from data you send to the GEOMETRY field")
}

// ErrGISData returns the error for an argument of a function that is no geometry.
func ErrGISData(function string) error {
	return mysql.NewSQLError(3037, "22023", "Invalid GIS data provided to function %s.", function)
}

// Convert implements sql.Type.
func (s Spatial) Convert(ctx context.Context, v any) (any, sql.ConvertInRange, error) {
	v, err := sql.UnwrapAny(ctx, v)
	if err != nil {
		return nil, sql.InRange, err
	}
	switch b := v.(type) {
	case string:
		return s.Convert(ctx, []byte(b))
	case []byte:
		g, ok := ReadGeometry(b)
		if !ok {
			return nil, sql.InRange, ErrNoGeometry()
		}
		v = g
	}
	v, in, err := s.spatialType.Convert(ctx, v)
	if sql.ErrSpatialTypeConversion.Is(err) || sql.ErrInvalidGISData.Is(err) {
		err = ErrNoGeometry()
	}
	return v, in, err
}

// SQL implements sql.Type. It shows a geometry of any type: some functions return others than their
// types say.
func (s Spatial) SQL(ctx *sql.Context, _ []byte, v any) (sqltypes.Value, error) {
	if v == nil {
		return sqltypes.NULL, nil
	}
	g, ok, err := sql.Unwrap[types.GeometryValue](ctx, v)
	if err == nil && !ok {
		v, _, err = s.Convert(ctx, v)
		g, _ = v.(types.GeometryValue)
	}
	if err != nil {
		return sqltypes.Value{}, err
	}
	return sqltypes.MakeTrusted(sqltypes.Geometry, g.Serialize()), nil
}

// Equals implements sql.Type. Spatial types are equal, so that the common type of two of them is
// one: their values have the same form.
func (s Spatial) Equals(o sql.Type) bool {
	_, ok := o.(sql.SpatialColumnType)
	return ok
}

// Promote implements sql.Type.
func (s Spatial) Promote() sql.Type { return s }

// SetSRID implements sql.SpatialColumnType.
func (s Spatial) SetSRID(srid uint32) sql.Type { return ReadsSafely(s.spatialType.SetSRID(srid)) }

// CollationCoercibility implements sql.CollationCoercible.
func (Spatial) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// GeometrySize returns the number of bytes that a geometry has as a value.
func GeometrySize(g types.GeometryValue) int64 {
	const header, point = 9, 21
	size := int64(header)
	switch g := g.(type) {
	case types.Point:
		return point
	case types.LineString:
		return header + point*int64(len(g.Points))
	case types.MultiPoint:
		return header + point*int64(len(g.Points))
	case types.Polygon:
		for _, l := range g.Lines {
			size += GeometrySize(l)
		}
	case types.MultiLineString:
		for _, l := range g.Lines {
			size += GeometrySize(l)
		}
	case types.MultiPolygon:
		for _, p := range g.Polygons {
			size += GeometrySize(p)
		}
	case types.GeomColl:
		for _, e := range g.Geoms {
			size += GeometrySize(e)
		}
	}
	return size
}

// fitsColumn reports whether a column can keep g: its lines have enough points, and its
// collections are at most [maxGeometryDepth] deep.
func fitsColumn(g types.GeometryValue) bool { return wholeGeometry(g, 1) }

func wholeGeometry(g types.GeometryValue, depth int) bool {
	ok := true
	switch g := g.(type) {
	case types.LineString:
		return len(g.Points) >= leastOfLine
	case types.MultiPoint:
		return len(g.Points) > 0
	case types.Polygon:
		ok = len(g.Lines) > 0
		for _, l := range g.Lines {
			ok = ok && len(l.Points) >= leastOfRing
		}
	case types.MultiLineString:
		ok = len(g.Lines) > 0
		for _, l := range g.Lines {
			ok = ok && len(l.Points) >= leastOfLine
		}
	case types.MultiPolygon:
		ok = len(g.Polygons) > 0
		for _, p := range g.Polygons {
			ok = ok && wholeGeometry(p, depth)
		}
	case types.GeomColl:
		if depth > maxGeometryDepth {
			return false
		}
		for _, e := range g.Geoms {
			ok = ok && wholeGeometry(e, depth+1)
		}
	}
	return ok
}
