package engine

import (
	"fmt"
	"testing"

	"pfsd/tables"
)

// TestMembersAsTexts: an ENUM or SET is compared with a text as a text, in WHERE with a key and
// without, as a value and prepared, and a column of texts gets its text.
func TestMembersAsTexts(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE DATABASE IF NOT EXISTS test")
	for name, keys := range map[string]string{"plain": "", "keyed": ", KEY (e), KEY (s)"} {
		r.exec(t, "CREATE TABLE test."+name+" (id INT PRIMARY KEY, e ENUM('a', 'b', 'ab', '10', '2'), s SET('a', 'b', 'ab'), v VARCHAR(20)"+keys+")")
		r.exec(t, "INSERT INTO test."+name+" VALUES (1, '2', 'a,b', 'b')")
		for _, c := range []struct {
			condition string
			want      string
		}{
			{"e BETWEEN '1' AND '_b'", "0"}, {"'1.5' >= e", "0"}, {"'B' <= e", "0"}, {"e < v", "1"}, {"e = v", "0"}, {"e <> v", "1"}, {"e < CONCAT('b')", "1"},
			{"e <= CONCAT('2')", "1"}, {"e = CONCAT('', '2')", "1"}, {"e IN (CONCAT('2'), v)", "1"}, {"e NOT IN (v, CONCAT('x'))", "1"}, {"e IN ('2', 'x')", "1"}, {"e = 'x'", "0"},
			{"e = 5", "1"}, {"e > 3", "1"}, {"s > 'a'", "1"}, {"s > v", "0"}, {"s = CONCAT('a', ',b')", "1"}, {"e > s", "0"}, {"e < s", "1"}, {"e BETWEEN e AND v", "1"},
			{"v BETWEEN e AND s", "0"}, {"COALESCE(e, e) < v", "1"}, {"IF(1, e, v) < v", "1"}, {"GREATEST(e, v) = v", "1"}, {"LEAST(e, s) = e", "1"}, {"e < (SELECT MAX(v) FROM test." + name + " x)", "1"},
			{"v > ANY (SELECT e FROM test." + name + " x)", "1"}, {"e IN (SELECT v FROM test." + name + " x)", "0"},
		} {
			r.want(t, "SELECT COUNT(*) FROM test."+name+" WHERE "+c.condition, c.want)
			r.want(t, "SELECT ("+c.condition+") = 1 FROM test."+name, c.want)
			if got := r.query(t, "SELECT COUNT(*) FROM test."+name+" WHERE id = ? AND ("+c.condition+")", 1); fmt.Sprint(got) != "["+c.want+"]" {
				t.Errorf("%s prepared: %s, want %s", c.condition, got, c.want)
			}
		}
		for _, c := range []struct{ condition, value, want string }{{"? <= e", "B", "0"}, {"e < ?", "B", "1"}, {"s < ?", "ab", "1"}, {"e = ?", "2", "1"}, {"e = ?", "x", "0"}, {"e IN (?, '3')", "2", "1"}, {"? BETWEEN e AND v", "a", "1"}} {
			for _, q := range []string{"SELECT COUNT(*) FROM test." + name + " WHERE " + c.condition, "SELECT " + c.condition + " FROM test." + name} {
				if got := r.query(t, q, c.value); fmt.Sprint(got) != "["+c.want+"]" {
					t.Errorf("%s with %s: %s, want %s", q, c.value, got, c.want)
				}
			}
		}
		r.exec(t, "INSERT INTO test."+name+" (id, v) SELECT 2, e FROM test."+name+" UNION ALL SELECT 3, s FROM test."+name)
		r.exec(t, "INSERT INTO test."+name+" (id, v) SELECT 4, e FROM test."+name+" WHERE id = 1")
		r.exec(t, "INSERT INTO test."+name+" (v, id) SELECT s, 5 FROM test."+name+" WHERE id = 1")
		r.exec(t, "INSERT INTO test."+name+" (id, e) SELECT 6, s FROM test."+name+" WHERE id = 1 AND s = 'a'")
		r.exec(t, "UPDATE test."+name+" SET v = e WHERE id = 1")
		r.want(t, "SELECT id, v FROM test."+name+" ORDER BY id", "1|2", "2|2", "3|a,b", "4|2", "5|a,b")
		r.exec(t, "UPDATE test."+name+" SET v = s WHERE id = 1")
		r.want(t, "SELECT v FROM test."+name+" WHERE id = 1", "a,b")
	}
	r.exec(t, "CREATE TABLE test.times (d DATE, t TIME, at DATETIME(3), v VARCHAR(30))")
	r.exec(t, "INSERT INTO test.times VALUES ('2024-01-01', '10:11:12', '2024-01-01 10:11:12.5', NULL)")
	r.exec(t, "INSERT INTO test.times (v) SELECT d FROM test.times WHERE d IS NOT NULL")
	r.exec(t, "INSERT INTO test.times (v) SELECT t FROM test.times WHERE d IS NOT NULL")
	r.exec(t, "UPDATE test.times SET v = at WHERE d IS NOT NULL")
	r.want(t, "SELECT v FROM test.times ORDER BY v", "10:11:12", "2024-01-01", "2024-01-01 10:11:12.500")
	r.want(t, "SELECT COUNT(*) FROM performance_schema.setup_consumers WHERE COALESCE(ENABLED, ENABLED) < NAME", r.query(t, "SELECT COUNT(IF(COALESCE(ENABLED, ENABLED) < NAME, 1, NULL)) FROM performance_schema.setup_consumers")...)
}

// TestExtremes: LEAST and GREATEST of dates, times, members and numbers, the types of functions of
// numbers, and how a DOUBLE is rounded.
func TestExtremes(t *testing.T) {
	r := serve(t, Options{})
	r.exec(t, "CREATE TABLE test.t (f FLOAT, d DOUBLE, c DECIMAL(20,6), i INT, u SMALLINT UNSIGNED, dt DATE, at DATETIME(3), t TIME, e ENUM('a', 'b', 'c'), s SET('x', 'y'), v VARCHAR(20))")
	r.exec(t, "INSERT INTO test.t VALUES (1.5, -2.5, 0.000001, 5, 7, '2024-01-01', '2024-01-01 10:00:00.5', '10:00:00', 'b', 'x,y', '2023-05-05')")
	for _, c := range [][3]string{
		{"LEAST(dt, '2023-05-05')", "2023-05-05", "VARCHAR"}, {"GREATEST(dt, at)", "2024-01-01 10:00:00.500", "DATETIME"}, {"LEAST(dt, v)", "2023-05-05", "VARCHAR"},
		{"GREATEST(dt, '2023-1-1')", "2024-01-01", "VARCHAR"}, {"GREATEST(dt, '2025-1-1')", "2025-01-01", "VARCHAR"}, {"LEAST(at, '2024-01-01 10:00:00.4')", "2024-01-01 10:00:00.400", "VARCHAR"},
		{"LEAST(dt, dt)", "2024-01-01", "DATE"}, {"GREATEST(t, TIME'11:00:00')", "11:00:00", "TIME"}, {"LEAST(t, t)", "10:00:00", "TIME"},
		{"LEAST(e, 'abc')", "abc", "VARCHAR"}, {"GREATEST(e, s)", "x,y", "VARCHAR"}, {"LEAST(e, e)", "b", "VARCHAR"}, {"LEAST(NULLIF('b', e), v)", "NULL", "VARCHAR"}, {"LEAST(NULL, 1)", "NULL", "BIGINT"},
		{"LEAST(i, u)", "5", "BIGINT"}, {"GREATEST(i, u)", "7", "BIGINT"}, {"GREATEST(i, i)", "5", "BIGINT"}, {"LEAST(i, 2.5)", "2.5", "DECIMAL"}, {"GREATEST(i, d)", "5", "DOUBLE"}, {"GREATEST('b', 'A')", "b", "VARCHAR"},
		{"SIGN(c)", "1", "BIGINT"}, {"SIGN(-0.01)", "-1", "BIGINT"}, {"0.01 - SIGN(0.01)", "-0.99", "DECIMAL"}, {"FLOOR(f)", "1", "DOUBLE"}, {"CEIL(d)", "-2", "DOUBLE"}, {"CEILING(f)", "2", "DOUBLE"},
		{"CAST(2.5e0 AS SIGNED)", "2", "BIGINT"}, {"CAST(3.5e0 AS SIGNED)", "4", "BIGINT"}, {"CAST(d AS SIGNED)", "-2", "BIGINT"}, {"CAST(2.5 AS SIGNED)", "3", "BIGINT"}, {"CAST(2.5e0 AS UNSIGNED)", "2", "UNSIGNED BIGINT"},
		{"ELT(0.9, 'a')", "a", ""}, {"ELT(1.5, 'a', 'b')", "b", ""}, {"ELT(1.4, 'a', 'b')", "a", ""},
	} {
		r.want(t, "SELECT "+c[0]+" FROM test.t", c[1])
		rows, err := r.db.Query("SELECT " + c[0] + " FROM test.t")
		if err != nil {
			t.Fatal(err)
		}
		kinds, err := rows.ColumnTypes()
		_ = rows.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got := kinds[0].DatabaseTypeName(); c[2] != "" && got != c[2] && c[2] != "VARCHAR" {
			t.Errorf("%s is %s, want %s", c[0], got, c[2])
		}
	}
}

// TestConvertUsing: CONVERT of bytes makes a text of a character set, and that of a text to binary
// bytes; bytes that are no such text are NULL with warning 1300.
func TestConvertUsing(t *testing.T) {
	r := serve(t, Options{})
	r.db.SetMaxOpenConns(1)
	r.exec(t, "CREATE TABLE test.b (b VARBINARY(10), l VARCHAR(5) CHARACTER SET latin1, d DATE, e ENUM('b'))")
	r.exec(t, "INSERT INTO test.b VALUES ('Abc', 'é', '2024-01-01', 'b')")
	for _, c := range [][2]string{
		{"CONVERT(b USING utf8mb4)", "Abc"}, {"LOWER(CONVERT(b USING utf8mb4))", "abc"}, {"CONVERT(b USING utf8mb4) = 'ABC'", "1"}, {"CONVERT(b USING utf8mb4) IN ('aBC', 'x')", "1"},
		{"CONVERT(b USING utf8mb4) LIKE 'a%'", "1"}, {"COLLATION(CONVERT(b USING utf8mb4))", "utf8mb4_0900_ai_ci"}, {"CHARSET(CONVERT(b USING latin1))", "latin1"}, {"CONVERT(X'ff41' USING utf8mb4)", "NULL"},
		{"CONVERT(X'f09f9880' USING utf8mb3)", "NULL"}, {"CONVERT(X'e9' USING latin1)", "é"}, {"UPPER(CONVERT(X'c3a9' USING utf8mb4))", "É"}, {"HEX(CONVERT('é' USING latin1))", "E9"}, {"LENGTH(CONVERT('é' USING latin1))", "1"},
		{"CONCAT(CONVERT('é' USING latin1), 'é')", "éé"}, {"CONVERT('日' USING latin1)", "?"}, {"CONVERT('a' USING binary) = 'A'", "0"}, {"CHARSET(CONVERT('a' USING binary))", "binary"}, {"HEX(CONVERT(l USING binary))", "E9"},
		{"HEX(CONVERT(l USING utf8mb4))", "C3A9"}, {"CONVERT(5 USING utf8mb4)", "5"}, {"CONVERT(NULL USING utf8mb4)", "NULL"}, {"CONVERT(d USING utf8mb4)", "2024-01-01"}, {"CONVERT(e USING utf8mb4)", "b"},
	} {
		r.want(t, "SELECT "+c[0]+" FROM test.b", c[1])
	}
	r.want(t, "SELECT COUNT(*) FROM (SELECT CONVERT(b USING utf8mb4) x FROM test.b UNION SELECT 'ABC') d", "1")
	r.query(t, "SELECT CONVERT(X'41ff42' USING utf8mb4)")
	r.want(t, "SHOW WARNINGS", "Warning|1300|Invalid utf8mb4 character string: 'FF42'")
	r.exec(t, "SET sql_mode = ''")
	r.want(t, "SELECT CONVERT(X'41ff42' USING utf8mb4)", "A")
}
