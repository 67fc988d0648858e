package engine

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/resultsize"
	"pfsd/engine/sqlvalue"
)

// What becomes a geometry or a document is one, whatever its beginning says, and MySQL's errors say so.
func TestHostileGeometries(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{})
	c, _ := r.conn(t)
	do := func(q string) error { return readAll(c, q) }
	const (
		header   = "x'0107000000ffffff7f'"
		internal = "x'000000000107000000ffffff7f'"
		refused  = "1416 22003 Cannot get geometry object from data you send to the GEOMETRY field"
		deep     = "3157 22032 The JSON document exceeds the maximum depth."
	)
	nested := func(n int) string {
		return "CONCAT(x'00000000', REPEAT(x'010700000001000000', " + strings.Repeat("1+", n-2) + "1), x'010700000000000000')"
	}
	invalid := func(f string) string { return "3037 22023 Invalid GIS data provided to function " + f + "." }
	for _, q := range []string{
		"USE test", "CREATE TABLE g (g GEOMETRY, p POINT, c GEOMETRYCOLLECTION, s POINT SRID 4326)", "CREATE TABLE b (b BLOB)", "INSERT INTO b VALUES (" + internal + ")",
		"CREATE TABLE d (a INT, g GEOMETRY NOT NULL DEFAULT (" + internal + "))", "CREATE TABLE v (b BLOB, g GEOMETRY AS (b) VIRTUAL)", "CREATE TABLE j (j JSON)",
		"INSERT INTO g (g) VALUES (" + nested(100) + "), (ST_GeomFromText('POINT(1 2)')), (x'000000000101000000000000000000f03f0000000000000040')",
		"CREATE PROCEDURE p() BEGIN DECLARE g GEOMETRY; SET g = " + internal + "; END", "CREATE PROCEDURE a(g GEOMETRY) SELECT 1",
		"CREATE FUNCTION f(x INT) RETURNS GEOMETRY DETERMINISTIC RETURN " + internal,
		"CREATE PROCEDURE deep() BEGIN SET @g = ST_GeomFromText('POINT(1 1)'); WHILE 1 DO SET @g = GeometryCollection(@g); END WHILE; END",
	} {
		if err := do(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	for _, c := range []struct{ statement, want string }{
		{"SELECT ST_GeomFromWKB(" + header + ")", invalid("st_geomfromwkb")},
		{"SELECT ST_PolyFromWKB(x'00000000037fffffff')", invalid("st_polyfromwkb")},
		{"SELECT ST_GeomFromWKB(CAST(SUBSTR(" + nested(100) + ", 5) AS BINARY))", "<nil>"},
		{"SELECT ST_GeomFromWKB(CAST(SUBSTR(" + nested(101) + ", 5) AS BINARY))", invalid("st_geomfromwkb")},
		{"SELECT ST_GeomFromText(CONCAT(REPEAT('GEOMETRYCOLLECTION(', 101), REPEAT(')', 101)))", invalid("st_geomfromtext")},
		{"SELECT ST_GeomFromText('POLYGON()')", invalid("st_geomfromtext")}, {"SELECT ST_GeomFromText('GEOMETRYCOLLECTION(POINT(a b))')", invalid("st_geomfromtext")},
		{"SELECT ST_GeomFromGeoJSON(CONCAT(REPEAT('{\"type\":\"GeometryCollection\",\"geometries\":[', 60), REPEAT(']}', 60)))", deep},
		{"CALL deep()", invalid("geometrycollection")},
		{"INSERT INTO g (g) VALUES (" + internal + ")", refused}, {"INSERT INTO g (g) VALUES (" + nested(101) + ")", refused}, {"INSERT INTO g (g) VALUES ('a'), (1)", refused},
		{"INSERT INTO g (p) VALUES (x'00000000010700000000000000')", refused}, {"INSERT INTO g (c) SELECT b FROM b", refused}, {"UPDATE g SET p = " + internal, refused},
		{"INSERT INTO d (a) VALUES (1)", refused}, {"ALTER TABLE b MODIFY b GEOMETRY", refused}, {"ALTER TABLE b ADD g GEOMETRY DEFAULT (" + internal + ")", refused}, {"INSERT INTO v (b) VALUES (" + internal + ")", refused},
		{"SELECT * FROM g WHERE g IN (" + internal + ", NULL) OR g = " + internal, "<nil>"}, {"CALL p()", refused}, {"CALL a(" + internal + ")", refused}, {"SELECT f(1)", refused},
		{"SELECT * FROM JSON_TABLE('[\"a\"]', '$[*]' COLUMNS (g GEOMETRY PATH '$' ERROR ON ERROR)) t WHERE g IN (" + internal + ", NULL)", refused},
		{"INSERT INTO j VALUES (CONCAT(REPEAT('[', 99), REPEAT(']', 99)))", "<nil>"}, {"INSERT INTO j VALUES (CONCAT(REPEAT('[', 101), REPEAT(']', 101)))", deep},
		{"INSERT INTO j VALUES (CONCAT(REPEAT('[', 20000), REPEAT(']', 20000)))", deep}, {"UPDATE j SET j = CONCAT(REPEAT('{\"a\":', 101), '1', REPEAT('}', 101))", deep},
	} {
		if err := do(c.statement); code(err) != c.want {
			t.Errorf("%.200s: %s, want %s", c.statement, code(err), c.want)
		}
	}
	for q, want := range map[string]string{
		"SELECT ST_AsText(g) FROM test.g WHERE ST_AsText(g) LIKE 'P%'":                                                               "POINT(1 2),POINT(1 2)",
		"SELECT HEX(ST_GeomFromWKB(x'0102000000020000000000000000000000000000000000000000000000000000000000000000000000'))":          "00000000010200000002000000" + strings.Repeat("0", 64),
		"SELECT ST_AsText(g) FROM (SELECT ST_GeomFromText('POINT(1 2)') AS g UNION SELECT ST_GeomFromText('LINESTRING(1 2,3 4)')) t": "POINT(1 2),LINESTRING(1 2,3 4)",
		"SELECT ST_AsText(COALESCE(ST_PointFromText('POINT(1 2)'), ST_GeomFromText('LINESTRING(1 2,3 4)')))":                         "POINT(1 2)",
		"SELECT ST_AsText(IF(0, ST_PointFromText('POINT(1 2)'), ST_LineFromText('LINESTRING(1 2,3 4)')))":                            "LINESTRING(1 2,3 4)",
		"SELECT COLUMN_TYPE, DATA_TYPE FROM information_schema.columns WHERE table_name = 'g' ORDER BY ORDINAL_POSITION":             "geometry|geometry,point|point,geometrycollection|geometrycollection,point|point",
	} {
		if got := strings.Join(r.query(t, q), ","); got != want {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
}

// A text is read once, however many members a collection has.
func TestManyMembersOfGeometries(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{})
	before := allocatedBytes()
	r.want(t, "SELECT ST_NumGeometries(ST_GeomFromText(CONCAT('GEOMETRYCOLLECTION(', REPEAT('POINT(1 1),', 20000), 'POINT(1 1))')))", "20001")
	if n := (allocatedBytes() - before) >> 20; n > 100 {
		t.Errorf("%d MiB", n)
	}
	for q, want := range map[string]string{
		"SELECT ST_SRID(g), ST_AsText(g), ST_X(g) FROM (SELECT ST_GeomFromText('POINT(1 2)', 4326) AS g) t":                                "4326|POINT(1 2)|2",
		"SELECT ST_AsText(ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2),GEOMETRYCOLLECTION EMPTY)')), ST_GeomFromText(NULL)":              "GEOMETRYCOLLECTION(POINT(1 2),GEOMETRYCOLLECTION EMPTY)|NULL",
		"SELECT ST_AsText(ST_PolyFromText(' polygon ((0 0, 1e0 0, 0 1.5, 0 0)) ')), ST_AsText(ST_MPointFromText('MULTIPOINT(1 2,(3 4))'))": "POLYGON((0 0,1 0,0 1.5,0 0))|MULTIPOINT((1 2),(3 4))",
	} {
		if got := strings.Join(r.query(t, q), ","); got != want {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
}

// No function has a spatial type that converts bytes without looking at them.
func TestSpatialTypesOfFunctions(t *testing.T) {
	ctx := sql.NewEmptyContext()
	typeOf := func(f sql.Function, n int) (found sql.Type) {
		defer func() { _ = recover() }() // a function that nobody calls by name may rely on its arguments
		args := make([]sql.Expression, n)
		for i := range args {
			args[i] = expression.NewLiteral("1", types.LongText)
		}
		if e, err := resultsize.Bounded(f).NewInstance(ctx, args); err == nil {
			found = e.Type(ctx)
		}
		return found
	}
	spatial := 0
	for name, f := range registeredFunctions() {
		if f == nil {
			continue
		}
		for n := range 5 {
			found := typeOf(f, n)
			if _, ok := found.(sql.SpatialColumnType); ok {
				spatial++
				if _, ok := found.(sqlvalue.Spatial); !ok {
					t.Errorf("%s of %d arguments has type %T: state another size than Small or LikeArgument in resultsize/functionsizes.go", name, n, found)
				}
			}
		}
	}
	if spatial == 0 {
		t.Error("no function has a spatial type")
	}
}
