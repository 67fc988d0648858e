package syntax

import "testing"

func TestODBC(t *testing.T) {
	needed(t, "SELECT {d '2024-01-02'}", "SELECT {fn NOW()}", "SELECT 1 FROM {oj t JOIN u}")
	rewrites(t, map[string]string{
		"SELECT {d '2024-01-02'}, { ts '2024-01-02 03:04:05' }, {T'03:04:05'}": "SELECT `typed literal`('DATE', '2024-01-02'), `typed literal`('TIMESTAMP', '2024-01-02 03:04:05' ), `typed literal`('TIME','03:04:05')",
		"SELECT {fn UCASE({fn CONCAT('{d', b)})}, {d a} FROM t":                "SELECT ( UCASE(( CONCAT('{d', b)))), ( a) FROM t",
		"SELECT 1 FROM {oj t LEFT JOIN u ON t.a = u.a} WHERE 1":                "SELECT 1 FROM ( t LEFT JOIN u ON t.a = u.a) WHERE 1",
	})
	keeps(t, `SELECT '{d ''2024-01-02''}', "{fn NOW()}", a AS `+"`{d}`"+` FROM t /* {d '1'} */ -- {d '1'}`, `SELECT '{"d": "x"}'`)
	refuses(t, "SELECT {d '2024-01-02'", "SELECT {}", "SELECT {d}", "SELECT d '2024-01-02'}", "SELECT {'2024-01-02'}")
}
