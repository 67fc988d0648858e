package engine

import (
	"strings"
	"testing"
)

// TestLimitValues: a LIMIT and an OFFSET are integers from 0 on, or texts of such, in each kind of statement and whatever executes it; anything
// else is error 1210, and changes nothing.
func TestLimitValues(t *testing.T) {
	r := serve(t, Options{})
	r.exec(t, "CREATE DATABASE d")
	r.exec(t, "CREATE TABLE d.t (a INT PRIMARY KEY)")
	r.exec(t, "INSERT INTO d.t VALUES (1), (2), (3)")
	r.exec(t, "CREATE TABLE d.to_t (a INT)")
	c, _ := r.conn(t)
	do := func(q string, args ...any) string {
		_, err := c.ExecContext(t.Context(), q, args...)
		if err == nil {
			return ""
		}
		return code(err)
	}
	bad := map[string]string{"NULL": "NULL", "negative": "-1", "a text": "'x'", "a negative text": "'-1'", "a fraction in a text": "'1.5'", "DOUBLE": "1e0", "DECIMAL": "1.5", "a date": "DATE'2026-01-01'", "an empty text": "''"}
	good := map[string]string{"0": "0", "1": "1", "a text": "'2'", "the greatest": "18446744073709551615"}
	for _, text := range []string{
		"SELECT a FROM d.t LIMIT ?", "SELECT a FROM d.t LIMIT 1 OFFSET ?", "SELECT a FROM d.t ORDER BY NULL LIMIT ?", "SELECT 1 UNION SELECT 2 LIMIT ?", "SELECT * FROM (SELECT a FROM d.t LIMIT ?) x", "SELECT a FROM d.t WHERE a = (SELECT a FROM d.t ORDER BY a LIMIT 1 OFFSET ?)",
		"WITH c AS (SELECT a FROM d.t LIMIT ?) SELECT * FROM c", "INSERT INTO d.to_t SELECT a FROM d.t LIMIT ?", "UPDATE d.t SET a = a LIMIT ?", "DELETE FROM d.to_t LIMIT ?",
	} {
		if err := do("PREPARE s FROM '" + text + "'"); err != "" {
			t.Fatalf("%s: %s", text, err)
		}
		for what, value := range bad {
			if err := do("SET @v = " + value); err != "" {
				t.Fatal(err)
			}
			if err := do("EXECUTE s USING @v"); err != "1210 HY000 Incorrect arguments to EXECUTE" {
				t.Errorf("%s with %s: %s", text, what, err)
			}
		}
		for what, value := range good {
			if err := do("SET @v = " + value); err != "" {
				t.Fatal(err)
			}
			if err := do("EXECUTE s USING @v"); err != "" {
				t.Errorf("%s with %s: %s", text, what, err)
			}
		}
		for _, v := range []any{nil, -1, 1.5, "x", "-1", ""} {
			if err := do(text, v); err != "1210 HY000 Incorrect arguments to mysqld_stmt_execute" {
				t.Errorf("%s with %v of the protocol: %s", text, v, err)
			}
		}
		for _, v := range []any{0, 1, uint64(1<<64 - 1), "2"} {
			if err := do(text, v); err != "" {
				t.Errorf("%s with %v of the protocol: %s", text, v, err)
			}
		}
		body := strings.ReplaceAll(text, "?", "n")
		for _, q := range []string{"DROP PROCEDURE IF EXISTS d.p", "CREATE PROCEDURE d.p(n BIGINT) " + body} {
			if err := do(q); err != "" {
				t.Fatalf("%s: %s", q, err)
			}
		}
		for value, want := range map[string]string{"NULL": "1210 HY000 Incorrect arguments to LIMIT", "-1": "1210 HY000 Incorrect arguments to LIMIT", "0": "", "2": ""} {
			if err := do("CALL d.p(" + value + ")"); err != want {
				t.Errorf("%s with %s in a procedure: %s", body, value, err)
			}
		}
	}
	r.want(t, "SELECT COUNT(*) FROM d.t", "3")
}
