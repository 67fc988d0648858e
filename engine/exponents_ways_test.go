package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exponentTypes are the types of numbers and times that a text may become.
var exponentTypes = []string{
	"DECIMAL(10,2)", "DECIMAL(65,30)", "DECIMAL(65,0)", "INT", "BIGINT UNSIGNED", "TINYINT", "FLOAT", "DOUBLE", "BIT(8)", "YEAR", "TIME", "TIME(6)", "DATETIME(6)",
	"TIMESTAMP", "DATE", "JSON", "ENUM('a')", "SET('a')", "VARCHAR(10)",
}

// exponentCasts are those that CAST and the like know by another name, "" if by none.
var exponentCasts = strings.NewReplacer("BIGINT UNSIGNED", "UNSIGNED", "TINYINT", "SIGNED", "INT", "SIGNED", "VARCHAR", "CHAR", "TIMESTAMP", "DATETIME")

// exponentWays are how a text, or a number, gets to a type: T is the type, C its name in CAST, V the number, P a directory.
// A way is a list of statements, each of which may fail. Table w is there no more before it.
var exponentWays = []string{
	"CREATE TABLE w (d T DEFAULT 'V'); INSERT INTO w VALUES (); SHOW CREATE TABLE w; SELECT * FROM information_schema.columns WHERE table_name = 'w'; DESCRIBE w",
	"CREATE TABLE w (d T DEFAULT V); INSERT INTO w VALUES ()",
	"CREATE TABLE w (d T DEFAULT ('V')); INSERT INTO w VALUES (); SHOW CREATE TABLE w; INSERT INTO w VALUES (DEFAULT); UPDATE w SET d = DEFAULT",
	"CREATE TABLE w (d T DEFAULT (CONCAT('V', ''))); INSERT INTO w VALUES (); INSERT INTO w VALUES (DEFAULT); UPDATE w SET d = DEFAULT; DESCRIBE w",
	"CREATE TABLE w (s TEXT, d T DEFAULT (s)); INSERT INTO w (s) VALUES ('V')",
	"CREATE TABLE w (d T); ALTER TABLE w ALTER d SET DEFAULT 'V'; ALTER TABLE w ALTER d SET DEFAULT ('V'); INSERT INTO w VALUES ()",
	"CREATE TABLE w (a INT); INSERT INTO w VALUES (1); ALTER TABLE w ADD d T DEFAULT 'V'; ALTER TABLE w ADD e T DEFAULT ('V'); ALTER TABLE w ADD f T NOT NULL DEFAULT 'V'; SELECT * FROM w",
	"CREATE TABLE w (d T); INSERT INTO w VALUES (NULL); ALTER TABLE w MODIFY d T DEFAULT 'V'; ALTER TABLE w CHANGE d e T DEFAULT 'V'; ALTER TABLE w MODIFY d T NOT NULL DEFAULT ('V')",
	"CREATE TABLE w (s VARCHAR(40)); INSERT INTO w VALUES ('V'); ALTER TABLE w MODIFY s T; ALTER TABLE w CHANGE s x T NOT NULL; SELECT * FROM w",
	"CREATE TABLE w (s VARCHAR(40), KEY (s)); INSERT INTO w VALUES ('V'); ALTER TABLE w MODIFY s T, ADD KEY k2 (s)",
	"CREATE TABLE w (s JSON); INSERT INTO w VALUES ('\"V\"'), ('V'); ALTER TABLE w MODIFY s T",
	"CREATE TABLE w (s BLOB); INSERT INTO w VALUES ('V'); ALTER TABLE w MODIFY s T",
	"CREATE TABLE w (s VARCHAR(40) PRIMARY KEY); INSERT INTO w VALUES ('V'); ALTER TABLE w MODIFY s T; SELECT * FROM w",
	"SET sql_mode = ''; CREATE TABLE w (s VARCHAR(40)); INSERT INTO w VALUES ('V'); ALTER TABLE w MODIFY s T; SET sql_mode = DEFAULT; SELECT * FROM w",
	"CREATE TABLE w (s VARCHAR(40), d T AS (s) STORED); INSERT INTO w (s) VALUES ('V'); SELECT * FROM w; UPDATE w SET s = '-V'",
	"CREATE TABLE w (s VARCHAR(40), d T AS (s) VIRTUAL); INSERT INTO w (s) VALUES ('V'); SELECT * FROM w; SELECT * FROM w WHERE d = 1",
	"CREATE TABLE w (s VARCHAR(40)); INSERT INTO w VALUES ('V'); ALTER TABLE w ADD d T AS (s) STORED; ALTER TABLE w ADD e T AS (s) VIRTUAL; SELECT * FROM w",
	"CREATE TABLE w AS SELECT CAST('V' AS C) AS d; SELECT * FROM w", "CREATE TABLE w (d T) AS SELECT 'V' AS d; SELECT * FROM w",
	"CREATE TABLE w (d T); INSERT INTO w VALUES ('V'); INSERT INTO w SET d = 'V'; INSERT INTO w VALUES (V); INSERT IGNORE INTO w VALUES ('V'), (V), ('-V'); REPLACE INTO w VALUES ('V')",
	"CREATE TABLE w (d T); SET sql_mode = ''; INSERT INTO w VALUES ('V'), (V), ('-V'); SET sql_mode = DEFAULT; SELECT * FROM w",
	"CREATE TABLE w (d T); INSERT INTO w SELECT 'V'; INSERT INTO w SELECT * FROM (SELECT 'V') t; INSERT INTO w TABLE s; INSERT INTO w SELECT JSON_EXTRACT('[V]', '$[0]'); INSERT INTO w VALUES ((SELECT s FROM s LIMIT 1))",
	"CREATE TABLE w (d T PRIMARY KEY); INSERT INTO w VALUES (1) ON DUPLICATE KEY UPDATE d = 'V'; INSERT INTO w VALUES (1) ON DUPLICATE KEY UPDATE d = 'V'; UPDATE w SET d = 'V'; UPDATE IGNORE w SET d = 'V'; DELETE FROM w WHERE d = 'V'",
	"CREATE TABLE w (d T); LOAD DATA INFILE 'P/values' INTO TABLE w; LOAD DATA INFILE 'P/values' IGNORE INTO TABLE w; LOAD DATA INFILE 'P/values' INTO TABLE w (@v) SET d = @v",
	"CREATE TABLE w (d T, CHECK (d < 'V')); INSERT INTO w VALUES (1)", "CREATE TABLE w (d T, CHECK (d > 'V' OR d IN ('V', 1))); INSERT INTO w VALUES (1)",
	"CREATE TABLE w (d T, KEY (d)); INSERT INTO w VALUES (1), (2), (NULL); SELECT * FROM w WHERE d = 'V'; SELECT * FROM w WHERE d < 'V'; SELECT * FROM w WHERE d > 'V'; SELECT * FROM w WHERE d <> 'V'; SELECT * FROM w WHERE d <=> 'V'; " +
		"SELECT * FROM w WHERE d <= 'V'; SELECT * FROM w WHERE d >= 'V'; SELECT * FROM w WHERE d = V; SELECT * FROM w WHERE d < V; SELECT * FROM w WHERE d IN ('V', 1); SELECT * FROM w WHERE d NOT IN ('V', 1); SELECT * FROM w WHERE d IN (V, 1); " +
		"SELECT * FROM w WHERE d BETWEEN 'V' AND 2; SELECT * FROM w WHERE d BETWEEN 1 AND 'V'; SELECT * FROM w WHERE d NOT BETWEEN 'V' AND 'V'; SELECT * FROM w WHERE (d, 1) = ('V', 1); SELECT * FROM w WHERE (d, 1) IN (('V', 1), (1, 1)); " +
		"SELECT * FROM w WHERE 'V' > d; SELECT * FROM w WHERE d LIKE 'V'; SELECT * FROM w WHERE NOT d = 'V'; SELECT * FROM w WHERE d = 'V' OR d = 1; EXPLAIN SELECT * FROM w WHERE d = 'V'",
	"CREATE TABLE w (d T, KEY (d)); INSERT INTO w VALUES (1), (2); SET @v = 'V'; SELECT * FROM w WHERE d = @v; SELECT * FROM w WHERE d < @v; SELECT * FROM w WHERE d IN (@v, 1); PREPARE p FROM 'SELECT * FROM w WHERE d = ?'; EXECUTE p USING @v; " +
		"PREPARE p FROM 'SELECT * FROM w WHERE d BETWEEN ? AND ?'; EXECUTE p USING @v, @v; PREPARE p FROM 'INSERT INTO w VALUES (?)'; EXECUTE p USING @v; PREPARE p FROM 'SELECT * FROM w WHERE d < ?'; EXECUTE p USING @v",
	"CREATE TABLE w (d T PRIMARY KEY); INSERT INTO w VALUES (1), (2); SELECT * FROM w WHERE d = 'V'; SELECT * FROM w JOIN s ON w.d = s.s; SELECT * FROM w LEFT JOIN s ON w.d = s.s; SELECT * FROM s LEFT JOIN w ON w.d = s.s; SELECT * FROM w JOIN s ON w.d < s.s; " +
		"SELECT * FROM w WHERE d IN (SELECT s FROM s); SELECT * FROM w WHERE d NOT IN (SELECT s FROM s); SELECT * FROM w WHERE EXISTS (SELECT 1 FROM s WHERE s = d); SELECT * FROM w WHERE d = ANY (SELECT s FROM s); SELECT * FROM w WHERE d > ALL (SELECT s FROM s); " +
		"SELECT * FROM s WHERE s IN (SELECT d FROM w); SELECT * FROM w WHERE d = (SELECT s FROM s LIMIT 1); SELECT * FROM w JOIN (SELECT 'V' AS d) t USING (d); SELECT * FROM w NATURAL JOIN (SELECT 'V' AS d) t",
	"SELECT * FROM JSON_TABLE('[\"V\"]', '$[*]' COLUMNS (d T PATH '$')) t; SELECT * FROM JSON_TABLE('[V]', '$[*]' COLUMNS (d T PATH '$')) t; SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (d T PATH '$.a' DEFAULT 'V' ON EMPTY)) t; " +
		"SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (d T PATH '$.a' DEFAULT '\"V\"' ON EMPTY)) t; SELECT * FROM JSON_TABLE('[{}]', '$[*]' COLUMNS (d T PATH '$' DEFAULT 'V' ON ERROR)) t; SELECT * FROM JSON_TABLE('[[\"V\"]]', '$[*]' COLUMNS (NESTED PATH '$[*]' COLUMNS (d T PATH '$'))) t",
	"SELECT JSON_VALUE('[\"V\"]', '$[0]' RETURNING C); SELECT JSON_VALUE('[V]', '$[0]' RETURNING C); SELECT JSON_VALUE('[]', '$[0]' RETURNING C DEFAULT 'V' ON EMPTY)",
	"SELECT CAST('V' AS C); SELECT CAST(V AS C); SELECT CONVERT('V', C); SELECT CAST(JSON_EXTRACT('[V]', '$[0]') AS C); SELECT CAST(JSON_EXTRACT('[\"V\"]', '$[0]') AS C); SELECT CAST(@v AS C), CAST(b AS C), CAST(s AS C) FROM s; SELECT CAST(_binary 'V' AS C)",
	"SELECT CAST(1 AS C) + 'V', CAST(1 AS C) * 'V', CAST(1 AS C) / 'V', CAST(1 AS C) - 'V', CAST(1 AS C) % 'V', CAST(1 AS C) DIV 'V', - CAST('V' AS C), ~ CAST('V' AS C), CAST(1 AS C) | 'V', CAST(1 AS C) << 'V', CAST(1 AS C) XOR 'V'",
	"SELECT CAST(1 AS C) = 'V', CAST(1 AS C) < 'V', CAST(1 AS C) IN ('V', 1), CAST(1 AS C) BETWEEN 'V' AND 'V', CAST(1 AS C) <=> 'V', (CAST(1 AS C), 1) = ('V', 1), CASE CAST(1 AS C) WHEN 'V' THEN 1 END, CAST(1 AS C) LIKE 'V', 'V' BETWEEN CAST(1 AS C) AND 2",
	"SELECT IF(1, 'V', CAST(1 AS C)), IFNULL('V', CAST(1 AS C)), COALESCE('V', CAST(1 AS C)), NULLIF(CAST(1 AS C), 'V'), GREATEST(CAST(1 AS C), 'V'), LEAST(CAST(1 AS C), 'V'), FIELD(CAST(1 AS C), 'V'), ELT(1, 'V', CAST(1 AS C)), INTERVAL(CAST(1 AS C), 'V'), CASE WHEN 1 THEN 'V' ELSE CAST(1 AS C) END",
	"SELECT ROUND(CAST('V' AS C), 2), TRUNCATE(CAST('V' AS C), 2), FLOOR(CAST('V' AS C)), CEIL(CAST('V' AS C)), FORMAT(CAST('V' AS C), 2), ROUND(CAST(1 AS C), 'V'), TRUNCATE(CAST(1 AS C), 'V'), FORMAT(CAST(1 AS C), 'V'), CONCAT(CAST('V' AS C)), HEX(CAST('V' AS C)), ABS(CAST('V' AS C)), MOD(CAST('V' AS C), 'V')",
	"SELECT CAST(1 AS C) UNION SELECT 'V'; SELECT 'V' UNION ALL SELECT CAST(1 AS C); SELECT CAST(1 AS C) EXCEPT SELECT 'V'; SELECT CAST(1 AS C) INTERSECT SELECT 'V'; VALUES ROW(CAST(1 AS C)), ROW('V'); SELECT * FROM (VALUES ROW(1.5), ROW('V')) t; " +
		"WITH RECURSIVE r AS (SELECT CAST(1 AS C) AS d UNION SELECT 'V' FROM r) SELECT * FROM r; SELECT * FROM (SELECT CAST(1 AS C) AS d UNION SELECT 'V') t WHERE d = 'V'; SELECT CAST(1 AS C) AS d UNION SELECT s FROM s ORDER BY d",
	"CREATE TABLE w (d T); INSERT INTO w VALUES (1), (2); SELECT SUM(d + 'V'), AVG('V'), MAX('V'), STD('V'), BIT_OR('V'), SUM(DISTINCT 'V'), GROUP_CONCAT(d + 'V'), JSON_ARRAYAGG('V') FROM w; SELECT SUM(s), AVG(s), VAR_POP(s), BIT_XOR(s) FROM s; SELECT d FROM w GROUP BY d HAVING d < 'V'; SELECT d FROM w ORDER BY d + 'V'; " +
		"SELECT LAG(d, 1, 'V') OVER (ORDER BY d), FIRST_VALUE('V') OVER (), NTH_VALUE(d, 1) OVER (ORDER BY d + 'V') FROM w; SELECT SUM(d) OVER (ORDER BY d RANGE BETWEEN 'V' PRECEDING AND CURRENT ROW) FROM w; SELECT SUM(d) OVER (ORDER BY d RANGE BETWEEN V PRECEDING AND CURRENT ROW) FROM w; " +
		"SELECT d, SUM(d) FROM w GROUP BY d WITH ROLLUP; SELECT DISTINCT d + 'V' FROM w; SELECT * FROM w LIMIT 1 OFFSET 0",
	"DROP PROCEDURE IF EXISTS w; CREATE PROCEDURE w (IN p T) SELECT p; CALL w('V'); CALL w(V); SET @v = 'V'; CALL w(@v); DROP PROCEDURE w; CREATE PROCEDURE w (OUT p T) SET p = 'V'; CALL w(@x); SELECT @x; DROP PROCEDURE w; CREATE PROCEDURE w (INOUT p T) SET p = p; CALL w(@v)",
	"DROP PROCEDURE IF EXISTS w; CREATE PROCEDURE w () BEGIN DECLARE d T DEFAULT 'V';SELECT d;END; CALL w(); DROP PROCEDURE w; CREATE PROCEDURE w () BEGIN DECLARE d T;SET d = 'V';SELECT 'V' INTO d;SELECT s INTO d FROM s LIMIT 1;SELECT d;END; CALL w(); " +
		"DROP PROCEDURE w; CREATE PROCEDURE w () BEGIN DECLARE d T;DECLARE c CURSOR FOR SELECT s FROM s;OPEN c;FETCH c INTO d;SELECT d;END; CALL w()",
	"DROP FUNCTION IF EXISTS w; CREATE FUNCTION w (p T) RETURNS T DETERMINISTIC RETURN 'V'; SELECT w(1); SELECT w('V')",
	"CREATE TABLE w (d T); CREATE TRIGGER w BEFORE INSERT ON w FOR EACH ROW SET NEW.d = 'V'; INSERT INTO w VALUES (1)",
	"CREATE TABLE w (d T); CREATE VIEW wv AS SELECT CAST('V' AS C) AS d, w.d AS e FROM w WHERE d < 'V'; SELECT * FROM wv; SELECT * FROM wv WHERE d = 'V'; INSERT INTO wv (e) VALUES ('V'); DROP VIEW wv",
	"CREATE TABLE w (d T) PARTITION BY RANGE (d) (PARTITION a VALUES LESS THAN ('V')); INSERT INTO w VALUES ('V'); CREATE TEMPORARY TABLE w (d T DEFAULT 'V'); INSERT INTO w VALUES (); DROP TEMPORARY TABLE w",
}

// Whatever way a number of a large exponent gets to a type, nothing works on the digits that it would have: the statement has ended
// before anybody could end it, and takes no memory.
func TestExponentsEveryWay(t *testing.T) {
	oneAtATime(t)
	values := []string{"1e999999999", "1e-999999999"}
	if os.Getenv("PFSD_SOAK") != "" {
		values = append(values, "-1e999999999", "-1e-999999999", "1e2147483647", "1e-2147483648", "1e99999999999999999999", "1e-99999999999999999999", "1"+strings.Repeat("0", 3000), "0."+strings.Repeat("0", 3000)+"1", "9.99e1000000")
	}
	h := attack(t)
	const root = 3
	begin := func() *hostileSession {
		t.Helper()
		s, err := h.session(root)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := begin()
	defer func() { s.close() }()
	for _, v := range values {
		prepare := func() {
			if err := os.WriteFile(filepath.Join(h.dir, "values"), []byte(v+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, q := range []string{"DROP TABLE IF EXISTS s", "CREATE TABLE s (s VARCHAR(4000), b BLOB)", "INSERT INTO s VALUES ('" + v + "', '" + v + "')", "SET @v = '" + v + "'"} {
				if s.run(q); s.outcome != nil {
					t.Fatalf("%s: %v", q, s.outcome)
				}
			}
		}
		prepare()
		for i, typ := range exponentTypes {
			if strings.HasPrefix(v, "1e-") && i > 2 && len(values) == 2 {
				break
			}
			texts := strings.NewReplacer("T", typ, "C", exponentCasts.Replace(typ), "V", v, "P", h.dir)
			for _, way := range exponentWays {
				s.run("DROP TABLE IF EXISTS w")
				for _, q := range strings.Split(way, "; ") {
					f := s.run(replaceWords(q, texts))
					if f == nil {
						continue
					}
					t.Error(f)
					if !h.alive() || strings.HasPrefix(f.what, "KILL") {
						h.stop()
						s.close()
						h = attack(t)
						s = begin()
						prepare()
						break
					}
				}
			}
		}
	}
}

// replaceWords replaces the letters T, C, V and P where they are words.
func replaceWords(q string, by *strings.Replacer) string {
	letter := func(i int) bool {
		return i >= 0 && i < len(q) && (q[i]|0x20 >= 'a' && q[i]|0x20 <= 'z' || q[i] == '_' || q[i] >= '0' && q[i] <= '9')
	}
	var b strings.Builder
	for i := range len(q) {
		if c := q[i : i+1]; strings.Contains("TCVP", c) && !letter(i-1) && !letter(i+1) {
			b.WriteString(by.Replace(c))
		} else {
			b.WriteString(c)
		}
	}
	return b.String()
}
