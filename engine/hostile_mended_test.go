package engine

import (
	"fmt"
	"strings"
	"testing"

	"pfsd/tables"
)

// What hostile statements have made panic, or go on for ever, has an answer.
func TestPanicsAreMended(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	s.do("CREATE TABLE test.t (a INT PRIMARY KEY, s VARCHAR(10))")
	s.do("INSERT INTO test.t VALUES (1, 'a'), (2, 'b')")
	s.do("CREATE TABLE test.k (a INT PRIMARY KEY, b INT)")
	s.do("CREATE TABLE test.g (a INT)")
	s.do("CREATE TRIGGER test.loops BEFORE INSERT ON test.g FOR EACH ROW BEGIN l: LOOP SET @v = 1; END LOOP; END")
	for q, want := range map[string]string{
		"VALUES ROW(CAST(1 AS DECIMAL(5,1))), ROW(NULL)": "1.0,NULL",
		"SELECT x, y, z FROM JSON_TABLE('[{\"a\":null},{\"a\":[1,null]}]', '$[*]' COLUMNS (x INT PATH '$.a[0]', y JSON PATH '$.a', z INT PATH '$.b' DEFAULT '7' ON EMPTY)) j": "NULL|null|7,1|[1, null]|7",
		"SELECT x FROM JSON_TABLE('[null]', '$[*]' COLUMNS (x INT PATH '$[0]')) j":                                                                                            "NULL",
		"SELECT @@sql_mode COLLATE utf8mb4_bin = @@sql_mode":                                                                                                                  "1",
		"SELECT COUNT(*) FROM test.t WHERE EXISTS (SELECT COUNT(*) FROM test.t)":                                                                                              "2",
		"SELECT COUNT(*) FROM test.t x WHERE EXISTS (SELECT COUNT(*), COUNT(*) FROM test.t)":                                                                                  "2",
		"SELECT (SELECT COUNT(*) FROM test.t) + 1":                                                                                                                            "3",
		"SELECT NTILE(2) OVER (ORDER BY a) FROM test.t":                                                                                                                       "1,2",
		"SELECT COUNT(*), COUNT(*) OVER () FROM test.t":                                                                                                                       "2|1",
		"SELECT s COLLATE utf8mb4_bin FROM test.t ORDER BY s COLLATE utf8mb4_bin DESC":                                                                                        "b,a",
		`SELECT JSON_EXTRACT('{"a":1}', '$.b', '$.c'), JSON_EXTRACT('{"a":1}', '$.b', '$.a'), JSON_EXTRACT('{"a":1}', '$.a', NULL)`:                                           "NULL|[1]|NULL",
		"SELECT a FROM test.t WHERE 1" + strings.Repeat(" AND a IN (SELECT a FROM test.t)", 59):                                                                               "1,2",
		"SELECT x, n FROM JSON_TABLE('[1, {\"a\":2}]', '$.*' COLUMNS (x INT PATH '$', n FOR ORDINALITY)) j":                                                                   "",
		"SELECT x, n FROM JSON_TABLE('{\"b\":[5],\"a\":2}', '$.*' COLUMNS (x INT PATH '$', n FOR ORDINALITY)) j":                                                              "2|1,NULL|2",
		"SELECT x, y FROM JSON_TABLE('[[1, 2], {\"a\":3}]', '$[*]' COLUMNS (x JSON PATH '$.*', y JSON PATH '$[last]')) j":                                                     "NULL|2,3|{\"a\": 3}",
		"SELECT x FROM JSON_TABLE('[1, 2]', '$' COLUMNS (x JSON PATH '$')) j":                                                                                                 "[1, 2]",
		"SELECT x, y, z, e FROM JSON_TABLE('[{\"x\":1,\"y\":[2,3],\"z\":[4]},{\"x\":5}]', '$[*]' COLUMNS (x INT PATH '$.x', NESTED PATH '$.y[*]' COLUMNS (y INT PATH '$'), NESTED PATH '$.z[*]' COLUMNS (z INT PATH '$'), e INT EXISTS PATH '$.y')) j": "1|2|NULL|1,1|3|NULL|1,1|NULL|4|1,5|NULL|NULL|0",
		"SELECT ST_ASTEXT(NULL) LIKE 'a', INET6_NTOA(UNHEX('7F000001')) LIKE BINARY '127%', INET6_NTOA(1) NOT LIKE @@sql_mode":                                                                                                                         "NULL|1|NULL",
		"SELECT a COLLATE utf8mb3_bin = @@version_comment FROM (SELECT @@version_comment AS a) x":                                                                                                                                                      "1",
		"WITH RECURSIVE r AS (SELECT 1 AS n, @@version_comment AS a UNION ALL SELECT n + 1, a COLLATE utf8mb4_bin FROM r WHERE n < 2) SELECT COUNT(DISTINCT a) FROM r":                                                                                 "1",
		"SELECT NULLIF(NULLIF(NULLIF(1, 2), 3), 4)":                                                                         "1",
		"SELECT LAG(a) OVER (), LEAD(CASE a WHEN 2 THEN 'b' END) OVER (), FIRST_VALUE(a) OVER () FROM test.t":               "NULL|b|1,1|NULL|1",
		"SELECT LAST_VALUE(a) OVER w, NTH_VALUE(a, 2) OVER (w), LAG(a) OVER (w ORDER BY a DESC) FROM test.t WINDOW w AS ()": "2|2|2,2|2|NULL",
		"SELECT LAG(SUM(a)) OVER v FROM test.t GROUP BY a WINDOW w AS (), v AS (w)":                                         "NULL,1",
		"SHOW DATABASES WHERE NOT EXISTS (SELECT 1)":                                                                        "", "SHOW TABLES FROM test WHERE ! (EXISTS (WITH c AS (SELECT 1 AS a) SELECT 1))": "",
		"SHOW TABLES FROM test WHERE NOT EXISTS (SELECT 1 FROM test.t WHERE a > 2) AND Tables_in_test = 't'":                                                                                     "t",
		"SELECT COUNT(*) FROM test.t WHERE NOT EXISTS (SELECT 1 FROM test.k)":                                                                                                                    "2",
		"SELECT DATE('2024-05-06') + INTERVAL 1 DAY, INTERVAL 1 DAY + DATE('2024-05-06'), DATE_SUB('2024-05-06', INTERVAL 1 DAY), ADDDATE('2024-05-06', INTERVAL a DAY) FROM test.t WHERE a = 1": "2024-05-07|2024-05-07|2024-05-05|2024-05-07",
		"SELECT COUNT(*) OVER (ORDER BY DATE('2024-05-06') RANGE INTERVAL 1 DAY PRECEDING) FROM test.t":                                                                                          "2,2",
	} {
		if got := strings.Join(r.query(t, q), ","); got != want {
			t.Errorf("%s\n got %s\nwant %s", q, got, want)
		}
	}
	for q, want := range map[string]string{
		"SELECT DEFAULT(a) FROM test.t": "1235", "UPDATE test.t SET s = 'x' WHERE DEFAULT(a)": "1235", "ALTER TABLE test.k DROP COLUMN a": "1235",
		"SELECT 1 FROM test.t WHERE a IN (1, DEFAULT(a))": "1235", "SELECT 1 FROM test.t WHERE s IN (DEFAULT)": "1064", "SELECT DEFAULT": "1064",
		"SELECT 1 FROM JSON_TABLE('[1]', '$[' COLUMNS (x INT PATH '$')) j": "3143", "SELECT 1 FROM JSON_TABLE('[1]', '$' COLUMNS (x INT PATH 'a')) j": "3143",
		"SELECT JSON_SEARCH('[[[1]]]', 'one', 'a', NULL, '$**[0]**[0]**[0]')": "3143", "SELECT JSON_EXTRACT('[1]', '$" + strings.Repeat("[0]", 300) + "')": "3143",
		"CREATE PROCEDURE test.deep() BEGIN " + repeated("l%d: LOOP ", 664) + "LEAVE l0; " + strings.Repeat("END LOOP; ", 664) + "END": "1436",
		"SET collation_connection = 1": "1273", "SET collation_connection = big5_chinese_ci": "1273", "SET character_set_connection = big5": "1115",
		"DO MATCH (s) AGAINST ('a')":                             "1054",
		"SHOW GLOBAL STATUS WHERE MATCH (s) AGAINST ('a')":       "1214",
		"INSERT INTO test.t VALUES (5, MATCH (s) AGAINST ('a'))": "1214", "SET @a = MATCH (s) AGAINST ('a')": "1214",
		"INSERT INTO test.t VALUES (1, 'b') ON DUPLICATE KEY UPDATE s = MATCH (s) AGAINST ('a')": "1214",
		"SELECT (SELECT MATCH (s) AGAINST ('b')) FROM test.t":                                    "1214", "CALL sys.ps_setup_save(MATCH (s) AGAINST ('a'))": "1214",
		"SELECT JSON_VALUE('{}', '$.a', NULL)": "1064",
		"SELECT INTERVAL 1 DAY":                "1064", "SELECT (INTERVAL 1 DAY)": "1064", "SELECT 1 FROM test.t WHERE INTERVAL 1 DAY": "1064", "SELECT NOW() + (INTERVAL 1 DAY)": "1064",
		"SELECT CONCAT(INTERVAL 1 DAY)": "1064", "DO INTERVAL 1 DAY": "1064", "SET @a = INTERVAL 1 DAY": "1064", "SELECT DATE_ADD(INTERVAL 1 DAY, INTERVAL 1 DAY)": "1064",
		"SELECT FIRST(1, 1, 1)": "1582", "SELECT FIRST(a, 1, 'x') FROM test.t": "1582",
		"VALUES ROW(1, 2), ROW(MATCH (s) AGAINST ('a'), 1)": "1214", "SELECT 1 FROM test.t, JSON_TABLE(MATCH (s) AGAINST ('a'), '$' COLUMNS (x INT PATH '$')) j": "1214",
		"DELETE x FROM test.t x JOIN test.k y ON MATCH (x.s) AGAINST ('a')":                    "1214",
		"SELECT MATCH (s) AGAINST ('a') FROM (SELECT s FROM test.t) d":                         "1214",
		"WITH c AS (SELECT s FROM test.t) SELECT MATCH (s) AGAINST ('a') FROM c":               "1214",
		"SELECT 1 FROM test.t GROUP BY s HAVING MATCH (s) AGAINST ('a')":                       "1214",
		"SELECT 1 FROM test.t WHERE a IN (SELECT 1 FROM test.k WHERE MATCH (t.s) AGAINST (1))": "1214",
		"SELECT MATCH (COUNT(*)) AGAINST ('a') FROM test.t":                                    "1214",
		"SELECT COUNT()": "1064", "SELECT MAX() FROM test.t": "1064",
		"SELECT GROUP_CONCAT(DISTINCT EXISTS (SELECT STRAIGHT_JOIN (1 IN (SELECT 1 FROM test.t)) FROM (SELECT 1 AS a, 'x' AS s, 2 AS b) x CROSS JOIN test.t y ON (1 + 1) WHERE x.a = 1 ORDER BY 1) ORDER BY @@max_connections) FROM test.t": "1235",
		"CREATE EVENT test.e1 ON SCHEDULE EVERY 1 SECOND DO CASE @v1 WHEN (SELECT (@v3 := (SELECT a FROM test.t LIMIT 1)) FROM test.t LIMIT 1) THEN EXECUTE q USING @j; END CASE":                                                           "1235",
		"DO LENGTH(*)":     "1064",
		"SELECT LENGTH(*)": "1064", "SELECT UPPER(*) FROM test.t": "1064", "SELECT GROUP_CONCAT()": "1064", "SELECT ``": "1054", "SELECT `` FROM test.t": "1054",
		"SELECT NTILE(a) OVER (ORDER BY a) FROM test.t": "1210", "SELECT NTILE(0) OVER (ORDER BY a) FROM test.t": "1210", "SELECT NTILE('x') OVER (ORDER BY a) FROM test.t": "1210",
		"SELECT a FROM test.t WHERE 1" + strings.Repeat(" AND a IN (SELECT a FROM test.t)", 100): "1116",
		"SELECT " + strings.Repeat("NULLIF(", 64) + "1" + strings.Repeat(",2)", 64):              "1436",
	} {
		if strings.Contains(q, "JSON_SEARCH(") && missingFunction("json_search") {
			want = "1305"
		}
		if err := s.try(q); err == nil || !strings.HasPrefix(code(err), want) {
			t.Errorf("%s: %v, want %s", q, err, want)
		}
	}
	s.do("CREATE TABLE test.words (a INT PRIMARY KEY, s VARCHAR(20), FULLTEXT KEY (s))")
	s.do("INSERT INTO test.words VALUES (1, 'red apple'), (2, 'green pear')")
	s.do("CREATE PROCEDURE test.finds() SELECT a FROM test.words WHERE MATCH (s) AGAINST ('pear')")
	s.do("CREATE TRIGGER test.finding BEFORE INSERT ON test.k FOR EACH ROW SET @found = (SELECT MAX(a) FROM test.words WHERE MATCH (s) AGAINST ('pear'))")
	s.do("INSERT INTO test.k VALUES (7, 7)")
	s.do("EXPLAIN SELECT a FROM test.words WHERE MATCH (s) AGAINST ('pear')")
	for _, q := range []string{
		"CALL test.finds()", "SELECT @found", "SELECT a FROM test.words WHERE a IN (SELECT a FROM test.words WHERE MATCH (s) AGAINST ('pear'))",
		"SELECT a FROM test.words WHERE a = 0 UNION SELECT a FROM test.words WHERE MATCH (s) AGAINST ('pear')",
	} {
		if got := s.column(q); got != "2" {
			t.Errorf("%s: %s, want 2", q, got)
		}
	}
	s.do("CREATE TABLE test.d (a INT PRIMARY KEY, b INT DEFAULT 7, c INT)")
	s.do("INSERT INTO test.d VALUES (1, DEFAULT, 1), (2, DEFAULT(b), 1)")
	s.do("INSERT INTO test.d VALUES (1, 3, 3), (2, 3, 3) ON DUPLICATE KEY UPDATE b = DEFAULT, c = DEFAULT(b)")
	if got := strings.Join(r.query(t, "SELECT * FROM test.d"), ","); got != "1|7|7,2|7|7" {
		t.Errorf("DEFAULT in ON DUPLICATE KEY UPDATE: %s", got)
	}
	for _, q := range []string{
		"UPDATE test.d SET c = 9 WHERE EXISTS ((SELECT (a LIKE s) FROM test.t) EXCEPT (SELECT x.a + 7 FROM test.t x JOIN test.k y ON x.a <> y.a))",
		"DELETE FROM test.d WHERE NOT EXISTS ((SELECT (a LIKE s) FROM test.t) UNION (SELECT x.a FROM test.t x JOIN test.k y ON x.a = y.a))",
		"UPDATE test.d SET c = 9 WHERE a IN ((SELECT (a LIKE s) + 1 FROM test.t) EXCEPT (SELECT x.a + 7 FROM test.t x JOIN test.k y ON x.a <> y.a))",
	} {
		s.do(q)
	}
	if got := strings.Join(r.query(t, "SELECT * FROM test.d"), ","); got != "1|7|9,2|7|9" {
		t.Errorf("EXISTS of sets: %s", got)
	}
	s.do("SELECT CASE WHEN 0 THEN 'a' ELSE (@v1 := @@sql_mode) END COLLATE utf8mb4_bin, @v1 COLLATE utf8mb4_bin")
	s.do("SELECT (1, 2) IN ((1, 2), (3, 4)), 'default'")
	s.do("SET @j = (1 + INTERVAL 1 DAY) NOT LIKE CASE WHEN 1 THEN 1 ELSE 1 END")
	s.do("DO @@sql_mode COLLATE utf8mb4_bin")
	loops := s.start("INSERT INTO test.g VALUES (1)", "executing")
	r.session(t).do(fmt.Sprintf("KILL QUERY %d", s.id))
	ended(t, "a trigger that loops", loops, "1317")
}

// repeated is a text n times, with the number of each in it.
func repeated(text string, n int) string {
	var to strings.Builder
	for i := range n {
		fmt.Fprintf(&to, text, i)
	}
	return to.String()
}
