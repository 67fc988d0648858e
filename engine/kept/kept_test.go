package kept

import (
	"fmt"
	"math"
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

func shapeOf(text string) string {
	var s Shape
	if !s.Read(text) {
		return "none"
	}
	return fmt.Sprintf("%s %v", s.Key, s.Values)
}

func TestShapes(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a FROM t WHERE id = 17":                           "SELECT a FROM t WHERE id = ?a [17]",
		"select a from t where id = 17 and b='x y' ; ":            "select a from t where id = ?a and b=?h ;  [17 x y]",
		"SELECT a FROM t WHERE id BETWEEN 200 AND 300 AND c > 2":  "SELECT a FROM t WHERE id BETWEEN ?b AND ?c AND c > ?a [200 300 2]",
		"SELECT 5, a FROM t ORDER BY 2 LIMIT 7":                   "SELECT 5, a FROM t ORDER BY 2 LIMIT 7 []",
		"SELECT a FROM t WHERE id IN (5, 6)":                      "SELECT a FROM t WHERE id IN (?a, ?a) [5 6]",
		"SELECT a FROM t WHERE id IN ( 5,'x' ) AND f(7) = 8":      "SELECT a FROM t WHERE id IN ( ?a,?h ) AND f(7) = ?a [5 x 8]",
		"SELECT a FROM t WHERE id NOT IN (5, 6)":                  "SELECT a FROM t WHERE id NOT IN (?a, ?a) [5 6]",
		"SELECT a FROM t WHERE id IN (SELECT b, 5 FROM u)":        "SELECT a FROM t WHERE id IN (SELECT b, 5 FROM u) []",
		"SELECT a FROM t WHERE id IN (f(2, 3), 4) OR a IN(5)":     "SELECT a FROM t WHERE id IN (f(2, 3), 4) OR a IN(?a) [5]",
		"/* x */ SELECT a /* y */ FROM t WHERE b = 5 /* ?, 'z */": "none",
		"/* x */ SELECT a /* y */ FROM t WHERE b = 5 /* 'z */ ;":  " SELECT a /* y */ FROM t WHERE b = ?a  ; [5]",
		"SELECT a /* y */":                                         "SELECT a /* y */ []",
		"SELECT a /*+ y */ FROM t":                                 "none",
		"SELECT a /*! , b */ FROM t":                               "none",
		"SELECT a /* FROM t":                                       "none",
		"DELETE FROM t/**/WHERE a=5/**/":                           "DELETE FROM t/**/WHERE a=?a [5]",
		"SELECT a FROM t WHERE id = 0 AND b = 1 AND c = ''":        "SELECT a FROM t WHERE id = 0 AND b = 1 AND c = '' []",
		"SELECT a FROM t WHERE id = -5 OR id = 1.5 OR id = 0x1F":   "SELECT a FROM t WHERE id = -5 OR id = 1.5 OR id = 0x1F []",
		"SELECT a FROM t WHERE id = 9223372036854775808":           "SELECT a FROM t WHERE id = 9223372036854775808 []",
		"SELECT a FROM t WHERE id = 007":                           "SELECT a FROM t WHERE id = 007 []",
		"SELECT a2 FROM t3 WHERE `b 4` = 5":                        "SELECT a2 FROM t3 WHERE `b 4` = ?a [5]",
		"INSERT INTO t VALUES (5, 'a', 0), (70000, 'b', f(3))":     "INSERT INTO t VALUES (?a, ?h, 0), (?e, ?h, f(3)) [5 a 70000 b]",
		"INSERT INTO t (a) VALUES (5) ON DUPLICATE KEY UPDATE a=6": "INSERT INTO t (a) VALUES (?a) ON DUPLICATE KEY UPDATE a=?a [5 6]",
		"UPDATE t SET a = a + 3, b = 'é' WHERE c <= 4000000000":    "UPDATE t SET a = a + ?a, b = ?h WHERE c <= ?f [3 é 4000000000]",
		"DELETE FROM t WHERE a != 5":                               "DELETE FROM t WHERE a != ?a [5]",
		"SELECT a FROM t WHERE d = DATE '2020-01-01'":              "SELECT a FROM t WHERE d = DATE '2020-01-01' []",
		"SELECT a FROM t WHERE b = 'a' 'b'":                        "none",
		"SELECT a FROM t WHERE b = 'it''s'":                        "none",
		`SELECT a FROM t WHERE b = 'a\'b'`:                         "none",
		"SELECT a FROM t WHERE b = \"a\"":                          "none",
		"SELECT a FROM t WHERE b = _utf8'a'":                       "none",
		"SELECT a /* 5 */ FROM t":                                  "SELECT a /* 5 */ FROM t []",
		"SELECT a FROM t WHERE b = 5 -- 5":                         "SELECT a FROM t WHERE b = ?a  [5]",
		"SELECT a FROM t WHERE b = 5 --":                           "SELECT a FROM t WHERE b = ?a  [5]",
		"# 5\nSELECT a FROM t # 5":                                 "SELECT a FROM t  []",
		"SELECT a -- 'x\nFROM t WHERE b = 5 # y\n ;":               "SELECT a -- 'x\nFROM t WHERE b = ?a  ; [5]",
		"SELECT a -- ?\nFROM t":                                    "none",
		"SELECT a #":                                               "SELECT a # []",
		"SELECT a--5":                                              "none",
		"SELECT @a":                                                "none",
		"SELECT a FROM t; SELECT 5":                                "none",
		"SELECT 'x":                                                "none",
		"SHOW TABLES":                                              "none",
		"SELECT a FROM t WHERE b = '?a'":                           "SELECT a FROM t WHERE b = ?h [?a]",
		"SELECT '?a' FROM t":                                       "none",
		"":                                                         "none",
	} {
		if got := shapeOf(text); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// FuzzShape checks that a shape with its values is the text that was read, and that the text with
// stand-ins has the same shape.
func FuzzShape(f *testing.F) {
	for _, text := range []string{
		"SELECT a FROM t WHERE id = 17 AND b = 'x' AND c BETWEEN 200 AND 70000", "INSERT INTO t VALUES (5, 'a', 0), (1, '', 3)", "UPDATE `t` SET a=a+3 WHERE b<'x';",
		"SELECT '", "DELETE FROM t WHERE a=5-- x", "# a\nSELECT a --\n, b # c\nFROM t WHERE b NOT IN (5, 7)", "SELECT a.5, .5, 5e3, 5.x = 5",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Shape
		if !s.Read(text) {
			return
		}
		var b strings.Builder
		key := string(s.Key)
		for _, v := range s.Values {
			before, after, found := strings.Cut(key, "?")
			if !found {
				t.Fatalf("the key %q has fewer marks than %d values", s.Key, len(s.Values))
			}
			b.WriteString(before + literal(v))
			key = after[1:]
		}
		b.WriteString(key)
		if b.String() != text && !strings.Contains(text, "/*") && !strings.Contains(text, "--") && !strings.Contains(text, "#") {
			t.Fatalf("the key %q with the values %q is %q", s.Key, s.Values, b.String())
		}
		trial := NewTrial(s.Classes, s.Values)
		for _, second := range []bool{false, true} {
			var again Shape
			if stands := trial.StandIn(string(s.Key), second); !again.Read(stands) || string(again.Key) != string(s.Key) {
				t.Fatalf("%q has the shape %q, %q has %q", text, s.Key, stands, again.Key)
			}
		}
		one, err := ast.Parse(text)
		other, otherErr := ast.Parse(trial.StandIn(string(s.Key), false))
		if (err == nil) != (otherErr == nil) {
			t.Fatalf("%q: error %v; %q: error %v", text, err, trial.StandIn(string(s.Key), false), otherErr)
		}
		if err == nil && fmt.Sprintf("%T", one) != fmt.Sprintf("%T", other) {
			t.Fatalf("%q is a %T, but with stand-ins a %T", text, one, other)
		}
	})
}

// TestStandIns checks that stand-ins have the class of their values, and that all of them differ.
func TestStandIns(t *testing.T) {
	seen := map[any]bool{}
	for c := Int8; c <= Text; c++ {
		for i := range MaxValues {
			for _, second := range []bool{false, true} {
				v := standIn(c, i, second)
				if seen[fmt.Sprintf("%T %v", v, v)] {
					t.Errorf("%v is the stand-in for two values", v)
				}
				seen[fmt.Sprintf("%T %v", v, v)] = true
				if class, value := Bound(ast.NewIntVal([]byte(fmt.Sprint(v)))); c != Text && (class != c || value != v) {
					t.Errorf("the stand-in %v has class %c, want %c", v, class, c)
				}
			}
		}
	}
}

func TestClasses(t *testing.T) {
	for n, want := range map[int64]Class{
		0: Zero, 1: One, 2: Int8, 127: Int8, 128: Uint8, 255: Uint8, 256: Int16, 32767: Int16, 32768: Uint16, 65535: Uint16, 65536: Int32, math.MaxInt32: Int32, math.MaxInt32 + 1: Uint32,
		math.MaxUint32: Uint32, math.MaxUint32 + 1: Int64, math.MaxInt64: Int64, -1: Int8, -128: Int8, -129: Int16, -32769: Int32, math.MinInt64: Int64,
	} {
		if got, _ := classOfInt(n); got != want {
			t.Errorf("%d has class %c, want %c", n, got, want)
		}
	}
}

func TestParameters(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a FROM t WHERE id = :v1 AND (b > :v2) LIMIT :v3":                    "[true true false] [] []",
		"SELECT :v1 FROM t WHERE id = :v2 OR k = :v3":                               "[false true true] [] []",
		"SELECT a FROM t WHERE NOT id = :v1 AND :v2 = 5 AND b = :v3 + 1":            "[false false false] [] []",
		"SELECT a FROM t JOIN u ON t.a = u.a AND u.b < :v1 HAVING COUNT(*) >= :v2":  "[true false] [] []",
		"UPDATE t SET a = :v1, b = b - :v2, c = f(:v3) WHERE d BETWEEN :v4 AND :v5": "[true true false true true] [[{3 0} {4 0}]] []",
		"INSERT INTO t VALUES (:v1, f(:v2)) ON DUPLICATE KEY UPDATE a = :v3":        "[true false false] [] []",
		"DELETE FROM t WHERE a IN (:v1) AND b LIKE :v2 AND c <> :v3":                "[true false true] [] []",
		"SELECT a FROM t WHERE a = (SELECT b FROM u WHERE c = :v1)":                 "[false] [] []",
		"SELECT a FROM t WHERE id IN (:v1, 1, :v2) AND k IS NOT NULL":               "[true true] [[{0 0} {-1 1} {1 0}]] [[0 1]]",
		"SELECT a FROM t WHERE id = :v1 AND id < 9 AND k > 5":                       "[true] [[{0 0} {-1 9}]] []",
		"SELECT a FROM t WHERE id = :v1 AND id <> 7 AND k = :v2":                    "[true true] [[{0 0} {-1 7}]] []",
		"SELECT a FROM t WHERE id = :v1 AND t.ID + 1 > 2":                           "[false] [] []",
		"SELECT a FROM t WHERE d = :v1 AND d < 1.5":                                 "[false] [] []",
		"SELECT a FROM t WHERE id NOT IN (:v1, :v2) AND NOT k IN (:v3, 5)":          "[true true false] [[{0 0} {1 0}]] [[0 1]]",
		"SELECT a FROM t WHERE id IN (:v1, b)":                                      "[false] [] []",
	} {
		s, err := ast.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		u := Parameters(s, strings.Count(text, ":v"))
		if got := fmt.Sprint(u.Free, u.columns, u.lists); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestLiterals checks that a literal becomes a parameter if it is compared with a column and may
// change.
func TestLiterals(t *testing.T) {
	s, err := ast.Parse("SELECT 5 FROM t JOIN u ON u.b > 6 WHERE id BETWEEN :v1 AND 9 AND c = 'x' AND d = 1 AND e < 1.5 AND f IN (7, 8) LIMIT 3")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, l := range Literals(s, 1) {
		all = append(all, ast.String(l))
	}
	if got, want := ast.String(s)+" "+strings.Join(all, " "),
		"select 5 from t join u on u.b > :v2 where id between :v1 and :v3 and c = :v4 and d = 1 and e < 1.5 and f in (:v5, :v6) limit 3 6 9 'x' 7 8"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
