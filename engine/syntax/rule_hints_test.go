package syntax

import "testing"

func TestHints(t *testing.T) {
	needed(t, "SELECT a FROM t USE INDEX (a) IGNORE INDEX (b)", "SELECT a FROM t USE INDEX ()", "SELECT a FROM t FORCE INDEX (PRIMARY)")
	rewrites(t, map[string]string{
		"SELECT a FROM t USE INDEX (a) IGNORE KEY FOR JOIN (b), u FORCE INDEX (c)":                "SELECT a FROM t USE INDEX (a) , u FORCE INDEX (c)",
		"SELECT a FROM t AS x IGNORE INDEX FOR ORDER BY (a) USE INDEX (b) WHERE a = 'USE KEY ()'": "SELECT a FROM t AS x  USE INDEX (b) WHERE a = 'USE KEY ()'",
		"SELECT a FROM t USE INDEX () JOIN u FORCE INDEX (PRIMARY, b)":                            "SELECT a FROM t  JOIN u FORCE INDEX (`PRIMARY`, b)",
		"UPDATE t IGNORE INDEX FOR JOIN (a) USE KEY (b) SET a = 1":                                "UPDATE t IGNORE INDEX  (a)  SET a = 1",
	})
	keeps(t, "SELECT a FROM t USE INDEX (a)", "SELECT 'USE INDEX (a) USE INDEX (b)', `use` FROM t")
	refuses(t, "SELECT a FROM t USE INDEX", "SELECT a FROM t USE (a) USE INDEX (b)", "SELECT a FROM t USE INDEX (a", "SELECT USE INDEX (a) IGNORE INDEX (b)")
}
