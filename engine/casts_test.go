package engine

import (
	"strings"
	"testing"
)

// castCases are casts and choices of values and what they are in MySQL.
var castCases = [][2]string{
	{"1e0/3", "0.3333333333333333"},
	{"CAST(18446744073709551615 AS SIGNED)", "-1"},
	{"CAST(-1 AS UNSIGNED)", "18446744073709551615"},
	{"CAST('12abc' AS SIGNED)", "12"},
	{"CAST('abc' AS SIGNED)", "0"},
	{"CAST('' AS SIGNED)", "0"},
	{"CAST(' 12 ' AS UNSIGNED)", "12"},
	{"CAST('-1' AS UNSIGNED)", "18446744073709551615"},
	{"CAST(1.5 AS SIGNED)", "2"},
	{"CAST(-1.5 AS SIGNED)", "-2"},
	{"CAST(1.5e0 AS SIGNED)", "2"},
	{"CAST('1.5' AS SIGNED)", "1"},
	{"CAST('1e3' AS SIGNED)", "1"},
	{"CAST('18446744073709551615' AS UNSIGNED)", "18446744073709551615"},
	{"CAST('18446744073709551616' AS UNSIGNED)", "18446744073709551615"},
	{"CAST('9223372036854775808' AS SIGNED)", "-9223372036854775808"},
	{"CAST(1e20 AS UNSIGNED)", "9223372036854775807"},
	{"CAST(1e20 AS SIGNED)", "9223372036854775807"},
	{"CAST(1e19 AS SIGNED)", "9223372036854775807"},
	{"CAST(-1e0 AS UNSIGNED)", "18446744073709551615"},
	{"CAST(-1.5 AS UNSIGNED)", "18446744073709551614"},
	{"CAST(99999999999999999999 AS SIGNED)", "9223372036854775807"},
	{"CAST(99999999999999999999 AS UNSIGNED)", "18446744073709551615"},
	{"CAST(NULL AS SIGNED)", "NULL"},
	{"CAST(1 AS SIGNED INTEGER)", "1"},
	{"CAST(1 AS UNSIGNED INTEGER)", "1"},
	{"CAST(1.256 AS DECIMAL(10,2))", "1.26"},
	{"CAST(1.256 AS DECIMAL)", "1"},
	{"CAST('1.256' AS DECIMAL(10,2))", "1.26"},
	{"CAST('abc' AS DECIMAL(10,2))", "0.00"},
	{"CAST('12abc' AS DECIMAL(10,2))", "12.00"},
	{"CAST(1234.5 AS DECIMAL(4,2))", "99.99"},
	{"CAST(1e3 AS DECIMAL(10,1))", "1000.0"},
	{"CAST('1.5' AS DOUBLE)", "1.5"},
	{"CAST('1.5' AS FLOAT)", "1.5"},
	{"CAST('1.5x' AS REAL)", "1.5"},
	{"CAST(1 AS CHAR)", "1"},
	{"CAST('abcdef' AS CHAR(3))", "abc"},
	{"CAST('é€x' AS CHAR(2))", "é€"},
	{"LENGTH(CAST('ab' AS BINARY(4)))", "4"},
	{"HEX(CAST('ab' AS BINARY(4)))", "61620000"},
	{"HEX(CAST('abcdef' AS BINARY(4)))", "61626364"},
	{"CAST(1.0 AS CHAR)", "1.0"},
	{"CAST(1e10 AS CHAR)", "10000000000"},
	{"CAST(1e20 AS CHAR)", "1e20"},
	{"CAST(0.1e0+0.2e0 AS CHAR)", "0.30000000000000004"},
	{"CAST(NULL AS CHAR)", "NULL"},
	{"CHARSET(CAST(1 AS CHAR))", "utf8mb4"},
	{"CAST('a' AS NCHAR(1))", "a"},
	{"CAST('[1, 2]' AS JSON)", "[1, 2]"},
	{"CAST(1 AS JSON)", "1"},
	{`CAST('{"a" : 1}' AS JSON)`, `{"a": 1}`},
	{"CAST(TRUE AS CHAR)", "1"},
	{`CAST(CAST('"a"' AS JSON) AS CHAR)`, `"a"`},
	{"CAST(X'41' AS CHAR)", "A"},
	{"CAST(X'41' AS UNSIGNED)", "65"},
	{"CONVERT('12', SIGNED)", "12"},
	{"CONVERT('12', UNSIGNED)", "12"},
	{"CONVERT(12, CHAR)", "12"},
	{"CONVERT('2024-01-01', DATE)", "2024-01-01"},
	{"CONVERT('12.345', DECIMAL(5,1))", "12.3"},
	{"CAST('2024-01-01 00:00:00' AS DATETIME)", "2024-01-01 00:00:00"},
	{"CAST(2024 AS YEAR)", "2024"},
	{"CAST(70 AS YEAR)", "1970"},
	{"CAST('1.5' AS DECIMAL(10,4)) + 1", "2.5000"},
	{"CASE 1 WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'more' END", "one"},
	{"CASE WHEN 1>0 THEN 'true' ELSE 'false' END", "true"},
	{"CASE BINARY 'B' WHEN 'a' THEN 1 WHEN 'b' THEN 2 END", "NULL"},
	{"CASE 1 WHEN 1 THEN 1 ELSE 1.5 END", "1.0"},
	{"CASE WHEN 1 THEN 1 ELSE 'a' END", "1"},
	{"CASE WHEN 0 THEN 1 END", "NULL"},
	{"IF(1>2,2,3)", "3"},
	{"IF(NULL,1,2)", "2"},
	{"IF(STRCMP('test','test1'),'no','yes')", "no"},
	{"IF(1,1,1.5)", "1.0"},
	{"IF(1,1,'a')", "1"},
	{"IF(1,NULL,1)", "NULL"},
	{"IF('0',1,2)", "2"},
	{"IF('a',1,2)", "2"},
	{"IF(0.1,1,2)", "1"},
	{"IF(1, 18446744073709551615, -1)", "18446744073709551615"},
	{"IFNULL(1,0)", "1"},
	{"IFNULL(NULL,10)", "10"},
	{"IFNULL(1/0,10)", "10.0000"},
	{"IFNULL(1/0,'yes')", "yes"},
	{"IFNULL(NULL,1.5)", "1.5"},
	{"IFNULL(1,1.50)", "1.00"},
	{"COALESCE(NULL,1)", "1"},
	{"COALESCE(NULL,NULL)", "NULL"},
	{"COALESCE(1,1.5)", "1.0"},
	{"COALESCE(1,'a')", "1"},
	{"COALESCE(NULL,1.5,2)", "1.5"},
	{"CONCAT(1e6)", "1000000"},
	{"CONCAT(1e15)", "1e15"},
	{"CONCAT(1e14)", "100000000000000"},
	{"CONCAT(1.5e300)", "1.5e300"},
	{"1e-16", "1e-16"},
	{"CONCAT(1e-10)", "0.0000000001"},
	{"CONCAT(1e20)", "1e20"},
	{"CONCAT(SQRT(1e12))", "1000000"},
	{"select CASE WHEN a IS NULL THEN 0 ELSE a/3 END from (select 1 a) t", "0.3333"},
	{"select CASE a WHEN 1 THEN 'x' WHEN 2 THEN NULL END from (select 1 a union all select 2) t", "x;NULL"},
	{"select IFNULL(SUM(a),0) from (select 1.25 a) t", "1.25"},
	{"select COALESCE(NULL,a,'x') from (select 5 a) t", "5"},
	{"select IF(a>1,'big',a) from (select 1 a union all select 2) t", "1;big"},
	{"select GROUP_CONCAT(CASE WHEN a=1 THEN 'one' ELSE a END) from (select 1 a union all select 2) t", "one,2"},
	{"select CASE WHEN a=1 THEN 'one' ELSE 'other' END k, COUNT(*) from (select 1 a union all select 2) t GROUP BY k ORDER BY k", "one|1;other|1"},
	{"select CASE WHEN a=1 THEN 'one' ELSE 'other' END, COUNT(*) from (select 1 a union all select 2) t GROUP BY CASE WHEN a=1 THEN 'one' ELSE 'other' END ORDER BY 1", "one|1;other|1"},
	{"select SUM(CASE WHEN a=1 THEN 1 ELSE 0 END), SUM(IF(a=1,1,0)), AVG(IF(a=1,1,0)) from (select 1 a union all select 2) t", "1|1|0.5000"},
	{"select COUNT(CASE WHEN a=1 THEN 1 END) from (select 1 a union all select 2) t", "1"},
	{"select MAX(CASE WHEN a=1 THEN 'x' END) from (select 1 a union all select 2) t", "x"},
	{"COALESCE(1=1, 2)", "1"},
	{"IF(1, 1=1, 0)", "1"},
	{"IF(1, JSON_OBJECT('a',1), NULL)", `{"a": 1}`},
	{"IFNULL(@nosuch, 'd')", "d"},
	{"IFNULL(@@max_connections, 0) > 0", "1"},
	{"IF(1, 0x41, 'x')", "A"},
}

// TestCastsAndChoices: CAST, CONVERT, CASE, IF, IFNULL and COALESCE, and how a DOUBLE is written.
func TestCastsAndChoices(t *testing.T) {
	needGeneralFunctions(t)
	r := serve(t, Options{})
	for _, c := range castCases {
		q := c[0]
		if len(q) < 6 || q[:6] != "select" {
			q = "SELECT " + q
		}
		var want []string
		for w := range strings.SplitSeq(c[1], ";") {
			want = append(want, w)
		}
		r.want(t, q, want...)
	}
	for q, want := range map[string]string{
		"CAST('12abc' AS SIGNED)":       "Warning|1292|Truncated incorrect INTEGER value: '12abc'",
		"CAST('bad' AS DATE)":           "Warning|1292|Incorrect datetime value: 'bad'",
		"CAST(1234.5 AS DECIMAL(4,2))":  "Warning|1264|Out of range value for column 'cast(1234.5 as decimal(4, 2))' at row 1",
		"CAST('abcdef' AS CHAR(3))":     "Warning|1292|Truncated incorrect CHAR(3) value: 'abcdef'",
		"TIME('x')":                     "Warning|1292|Truncated incorrect time value: 'x'",
		"'9999-12-31' + INTERVAL 1 DAY": "Warning|1441|Datetime function: datetime field overflow",
		"SEC_TO_TIME(99999999)":         "Warning|1292|Truncated incorrect time value: '99999999'",
		"STR_TO_DATE('x', '%Y-%m-%d')":  "Warning|1411|Incorrect datetime value: 'x' for function str_to_date",
	} {
		r.db.SetMaxOpenConns(1)
		r.query(t, "SELECT "+q)
		r.want(t, "SHOW WARNINGS", want)
	}
}
