package syntax

import "testing"

func TestAssign(t *testing.T) {
	needed(t, "SELECT @a := 1", "SELECT a FROM t WHERE (@a := 1) > 0")
	for text, want := range map[string]string{
		"SELECT @a := 1":                                                          "SELECT `:=`('a', 1)",
		"SELECT @a:=1, 2":                                                         "SELECT `:=`('a',1), 2",
		"SELECT @r := @r + 1 AS place, a FROM t":                                  "SELECT `:=`('r', @r + 1) AS place, a FROM t",
		"SELECT @r := @r + 1 place FROM t":                                        "SELECT `:=`('r', @r + 1) place FROM t",
		"SELECT @r := @r + a.b 'place' FROM t":                                    "SELECT `:=`('r', @r + a.b) 'place' FROM t",
		"SELECT @a := @b := 3 OR 4, 5":                                            "SELECT `:=`('a', `:=`('b', 3 OR 4)), 5",
		"SELECT (@a := 1) + 2":                                                    "SELECT (`:=`('a', 1)) + 2",
		"SELECT IF(@a = b, @n := @n + 1, @n := 1) FROM t":                         "SELECT IF(@a = b, `:=`('n', @n + 1), `:=`('n', 1)) FROM t",
		"SELECT @a := CASE WHEN x THEN 1 ELSE @b := 2 END y":                      "SELECT `:=`('a', CASE WHEN x THEN 1 ELSE `:=`('b', 2) END) y",
		"SELECT CASE WHEN @p = c THEN @r := @r + 1 WHEN @p := c THEN @r := 1 END": "SELECT CASE WHEN @p = c THEN `:=`('r', @r + 1) WHEN `:=`('p', c) THEN `:=`('r', 1) END",
		"SELECT * FROM t, (SELECT @r := 0, @s := 'x') v WHERE @r := a":            "SELECT * FROM t, (SELECT `:=`('r', 0), `:=`('s', 'x')) v WHERE `:=`('r', a)",
		"SELECT @a := 'it''s' 'x' y, @b := _utf8mb4'z' w":                         "SELECT `:=`('a', 'it''s' 'x') y, `:=`('b', _utf8mb4'z') w",
		"SELECT @a := NOW() + INTERVAL 1 DAY d FROM t":                            "SELECT `:=`('a', NOW() + INTERVAL 1 DAY) d FROM t",
		"SELECT @a := DATE '2020-01-01' d, @b := x IS NOT NULL n":                 "SELECT `:=`('a', `typed literal`('DATE', '2020-01-01')) d, `:=`('b', x IS NOT NULL) n",
		"SELECT @a := -x NOT IN (1, 2) FROM t":                                    "SELECT `:=`('a', -x NOT IN (1, 2)) FROM t",
		"SELECT @a := COUNT(*) FROM t":                                            "SELECT `:=`('a', COUNT(*)) FROM t",
		"SELECT @a := (SELECT MAX(b) FROM u) FROM t":                              "SELECT `:=`('a', (SELECT MAX(b) FROM u)) FROM t",
		"SELECT a FROM t WHERE @a := b ORDER BY a LIMIT 1":                        "SELECT a FROM t WHERE `:=`('a', b) ORDER BY a LIMIT 1",
		"SELECT a FROM t ORDER BY @a := b DESC":                                   "SELECT a FROM t ORDER BY `:=`('a', b) DESC",
		"UPDATE t SET a = @r := @r + 1, b := 2 ORDER BY c":                        "UPDATE t SET a = `:=`('r', @r + 1), b := 2 ORDER BY c",
		"SET @a = @b := 2, @c := 3":                                               "SET @a = `:=`('b', 2), @c := 3",
		"SET @a := 1, @c := (SELECT @d := 4)":                                     "SET @a := 1, @c := (SELECT `:=`('d', 4))",
		"SELECT @`a``b` := 1, @'c''d' := 2, ':=', \"@a := 1\" /* @a := 1 */":      "SELECT `:=`('a`b', 1), `:=`('c''d', 2), ':=', \"@a := 1\" /* @a := 1 */",
		"SELECT @a$ := @a$ + 1":                                                   "SELECT `:=`('a$', @_variable_0 + 1)",
		"SELECT @a := now FROM t":                                                 "SELECT `:=`('a', `now`) FROM t",
		"SELECT @a := ROW_NUMBER() OVER (ORDER BY b) FROM t":                      "SELECT `:=`('a', ROW_NUMBER() OVER (ORDER BY b)) FROM t",
		"SELECT @a := j->'$.x' x, @b := j->>'$.y' FROM t":                         "SELECT `:=`('a', j->'$.x') x, `:=`('b', j->>'$.y') FROM t",
		"SELECT @a := ?, @b := b'1' + x'41'":                                      "SELECT `:=`('a', ?), `:=`('b', b'1' + x'41')",
		"CREATE PROCEDURE p() BEGIN SET @a := 1; SET v := 2, @b := 3; SELECT @a := 4; IF @a := 5 THEN SET @c := 6; END IF; END": "CREATE PROCEDURE p() BEGIN SET @a := 1; SET v := 2, @b := 3; SELECT `:=`('a', 4); IF `:=`('a', 5) THEN SET @c := 6; END IF; END",
		"INSERT INTO t VALUES (@a := 1, @a + 1)": "INSERT INTO t VALUES (`:=`('a', 1), @a + 1)",
	} {
		if got := rewritten(t, text); got != want {
			t.Errorf("%s became\n%s, want\n%s", text, got, want)
		}
	}
	for _, text := range []string{"SELECT @a :=", "SELECT @a := FROM t", "SELECT @@a := 1", "SELECT a := 1", "SELECT (@a := 1", "SELECT @a := 1 2"} {
		if got, err := parseable(text, Mode{}); err == nil {
			t.Errorf("%s became %s, want an error", text, got)
		}
	}
}
