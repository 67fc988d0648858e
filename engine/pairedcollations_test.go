package engine

import (
	"fmt"
	"strings"
	"testing"
)

// pairedTexts are arguments with their collation and its coercibility by MySQL's rules. What is no text has the collation of the connection, as
// text, and is weaker than any.
var pairedTexts = []struct {
	sql, collation string
	strength       int
	text           bool
}{
	{"i", "utf8mb4_0900_ai_ci", 5, false},
	{"d", "utf8mb4_0900_ai_ci", 5, false},
	{"ci", "utf8mb4_general_ci", 2, true},
	{"bi", "utf8mb4_bin", 2, true},
	{"b", "binary", 2, true},
	{"vb", "binary", 2, true},
	{"'x'", "utf8mb4_0900_ai_ci", 4, true},
	{"x'41'", "binary", 4, true},
	{"UPPER(bi)", "utf8mb4_bin", 2, true},
	{"UPPER(i)", "utf8mb4_0900_ai_ci", 4, true},
	{"DAYNAME(d)", "utf8mb4_0900_ai_ci", 4, true},
	{"IF(i = 2, NULL, bi)", "utf8mb4_bin", 2, true},
}

// TestCollationsOfPairs: what is made of two texts has the collation of the stronger one; of the same strength bytes win over texts, and the
// numbers of characters over their letters.
func TestCollationsOfPairs(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (i INT, d DATE, ci VARCHAR(20) COLLATE utf8mb4_general_ci, bi VARCHAR(20) COLLATE utf8mb4_bin, b BLOB, vb VARBINARY(9))",
		"INSERT INTO t VALUES (1, '2024-01-01', 'a', 'a', 'a', 'a')")
	made := strings.Split("CONCAT(%s,%s)|ELT(1,%s,%s)|REPLACE(%s,%s,i)|LPAD(%s,5,%s)|RPAD(%s,5,%s)|INSERT(%s,1,1,%s)|MAKE_SET(1,%s,%s)|TRIM(%s FROM %s)", "|")
	chosen := strings.Split("IF(TRUE,%s,%s)|IFNULL(%s,%s)|COALESCE(%s,%s)|COALESCE(NULL,%s,%s)|CASE WHEN i = 1 THEN %s ELSE %s END|GREATEST(%s,%s)|LEAST(%s,%s)", "|")
	for _, a := range pairedTexts {
		for _, b := range pairedTexts {
			want := fmt.Sprint(a.collation, "|", min(a.strength, 4))
			second := b.strength < a.strength
			if a.strength == b.strength {
				second = b.collation == "binary" || strings.HasSuffix(b.collation, "_bin") && a.collation != "binary"
			}
			if second {
				want = fmt.Sprint(b.collation, "|", min(b.strength, 4))
			}
			functions := made
			if a.text && b.text {
				functions = append(append([]string(nil), made...), chosen...)
			}
			for _, f := range functions {
				e := fmt.Sprintf(f, a.sql, b.sql)
				if got := answerOf(t, c, "SELECT COLLATION("+e+") AS v, COERCIBILITY("+e+") AS w FROM t"); got != want {
					t.Errorf("%s is %s, not %s", e, got, want)
				}
			}
		}
	}
}

// TestComparedPairs: texts are compared by the collation of both sides, or of all members of a list.
func TestComparedPairs(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (i INT, d DATE, ci VARCHAR(20) COLLATE utf8mb4_general_ci, bi VARCHAR(20) COLLATE utf8mb4_bin, b BLOB)",
		"INSERT INTO t VALUES (1, '2024-01-01', 'a', 'a', 'a')")
	for e, want := range map[string]string{
		"ELT(i, 'b', '2') IN ('B')":                   "1",
		"ELT(i, 'b', '2') = 'B'":                      "1",
		"'A' IN ('%', COALESCE(b, b))":                "0",
		"'A' IN ('%', ci)":                            "1",
		"'A' IN (ci, b)":                              "0",
		"'a' IN ('%', b)":                             "1",
		"CONCAT(ci, b) = 'AA'":                        "0",
		"CONCAT(b, ci) IN ('AA', 'q')":                "0",
		"CONCAT(ci, bi) = 'AA'":                       "0",
		"CONCAT(ci, i) = 'A1'":                        "1",
		"IF(i = 2, NULL, bi) = 'A'":                   "0",
		"CASE WHEN i = 2 THEN NULL ELSE bi END = 'A'": "0",
		"IF(i = 2, NULL, ci) = 'A'":                   "1",
		"DAYNAME(d) = UPPER(DAYNAME(d))":              "1",
		"DATE_FORMAT(d, '%W') = UPPER(DAYNAME(d))":    "1",
		"COALESCE(NULL, b) = 'A'":                     "0",
		"COALESCE(NULL, b) = 'a'":                     "1",
	} {
		wantEverywhere(t, c, "SELECT "+e+" AS v FROM t", want, true)
		wantEverywhere(t, c, "SELECT COUNT(*) AS v FROM t WHERE "+e, want, true)
	}
}

// TestTypesOfCounts: window functions that count are BIGINT UNSIGNED, and a TIME that is one of several has the digits of them.
func TestTypesOfCounts(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (i INT PRIMARY KEY, a TIME, b TIME NOT NULL)", "INSERT INTO t VALUES (1, '10:00:00', '11:00:00')",
		"CREATE TABLE u AS SELECT NTILE(2) OVER (ORDER BY i) AS n, ROW_NUMBER() OVER () AS r, RANK() OVER (ORDER BY i) AS k, DENSE_RANK() OVER (ORDER BY i) + 1 AS l, ASCII('a') AS m, IF(TRUE, i, CRC32(a)) AS o, IF(TRUE, i, LENGTH(a)) AS p, IF(TRUE, i, i) AS q, GREATEST(7, c) AS s FROM (SELECT *, CRC32(a) AS c FROM t) t")
	wantEverywhere(t, c, "SELECT GROUP_CONCAT(IF(DATA_TYPE = 'decimal', DATA_TYPE, COLUMN_TYPE) ORDER BY ORDINAL_POSITION) AS v FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'test' AND TABLE_NAME = 'u'",
		"bigint unsigned,bigint unsigned,bigint unsigned,bigint unsigned,bigint,decimal,bigint,int,decimal", false)
	for _, e := range []string{"IF(TRUE, a, b)", "IF(TRUE, ADDTIME(a, '01:00:00'), CASE WHEN TRUE THEN b END)", "IFNULL(MAX(a), MIN(b))", "ADDTIME(IF(TRUE, a, b), '01:00:00')", "ADDTIME(NULLIF(a, b), '01:00:00')", "GREATEST(a, b)", "ADDTIME(LEAST(a, b), '01:00:00')", "ADDTIME((SELECT MAX(a) FROM t), '01:00:00')"} {
		wantEverywhere(t, c, "SELECT LENGTH(v) AS v FROM (SELECT "+e+" AS v FROM t) q", "8", false)
	}
	wantEverywhere(t, c, "SELECT a AS v FROM t UNION SELECT TIME'12:30:15' UNION ALL SELECT IF(TRUE, a, b) FROM t", "10:00:00 12:30:15 10:00:00", false)
}

// TestMixedCollations: texts that have no collation in common are refused where they are compared, and those that have one are not.
func TestMixedCollations(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (g VARCHAR(20) COLLATE utf8mb4_general_ci, a VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, b VARCHAR(20) COLLATE utf8mb4_bin, l VARCHAR(20) CHARACTER SET latin1)",
		"CREATE TABLE u (a VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, KEY (a))")
	for _, from := range []string{"SELECT 1 AS v FROM t WHERE ", "SELECT 1 AS v FROM t JOIN u ON ", "SELECT COUNT(*) AS v FROM t LEFT JOIN u ON TRUE WHERE ", "DELETE t FROM t, u WHERE "} {
		for e, want := range map[string]string{
			"g = t.a": "1267", "t.a < g": "1267", "g <=> t.a": "1267", "g IN (t.a)": "1267", "g IN ('x', t.a)": "1270", "g IN ('x', 'y', t.a)": "1271", "g BETWEEN t.a AND 'x'": "1270",
			"g COLLATE utf8mb4_bin = t.a COLLATE utf8mb4_0900_ai_ci": "1267", "g <> t.a": "1267", "t.a IN ('x', g, b)": "1271",
		} {
			if got := answerOf(t, c, from+e); !strings.HasPrefix(got, want) {
				t.Errorf("%s%s is %s, not %s", from, e, got, want)
			}
		}
		for _, e := range []string{"g = b", "b = t.a", "g = 'x'", "g = l", "g = t.a COLLATE utf8mb4_bin", "g IN (t.a, b COLLATE utf8mb4_bin)", "g = NULL", "g = 1", "g = UPPER(1)"} {
			if got := answerOf(t, c, from+e); strings.HasPrefix(got, "12") {
				t.Errorf("%s%s is %s", from, e, got)
			}
		}
	}
}

// TestToldCollations: COLLATION and COERCIBILITY tell of the type, also where the value is NULL.
func TestToldCollations(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (i INT, d DATE, g VARCHAR(20) COLLATE utf8mb4_general_ci)", "INSERT INTO t VALUES (NULL, NULL, NULL)")
	for e, want := range map[string]string{"g": "utf8mb4_general_ci|2", "i": "binary|5", "d": "binary|5", "NULL": "binary|6", "5": "binary|5", "MAX(g)": "utf8mb4_general_ci|2", "GROUP_CONCAT(g)": "utf8mb4_general_ci|2", "UPPER(g)": "utf8mb4_general_ci|2", "g COLLATE utf8mb4_bin": "utf8mb4_bin|0", "USER()": "utf8mb3_general_ci|3", "CONCAT(i)": "utf8mb4_0900_ai_ci|4", "(SELECT g FROM t)": "utf8mb4_general_ci|2"} {
		if got := answerOf(t, c, "SELECT COLLATION("+e+") AS v, COERCIBILITY("+e+") AS w FROM t"); got != want {
			t.Errorf("%s is %s, not %s", e, got, want)
		}
	}
}
