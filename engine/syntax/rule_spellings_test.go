package syntax

import "testing"

func TestSpellings(t *testing.T) {
	needed(t, "SELECT DISTINCTROW a FROM t", "SELECT a FROM t FOR SHARE", "SELECT a FROM t USE KEY (a)", "SELECT a FROM t USE INDEX FOR JOIN (a)",
		"SELECT 1 IS UNKNOWN", "INSERT LOW_PRIORITY INTO t VALUES (1)", "DELETE LOW_PRIORITY FROM t", "DROP TABLES a", "SET character_set_results = binary", "DROP VIEW a RESTRICT", "ALTER SCHEMA d CHARACTER SET utf8mb4")
	for text, want := range map[string]string{
		"SELECT DISTINCTROW a FROM t USE KEY (a) FOR SHARE":                           "SELECT DISTINCT a FROM t USE INDEX (a) FOR UPDATE OF `<share>`",
		"SELECT a FROM t, u FOR SHARE OF t, d.u SKIP LOCKED":                          "SELECT a FROM t, u FOR UPDATE OF `<share>`, t,u SKIP LOCKED",
		"SELECT a FROM t FOR SHARE NOWAIT":                                            "SELECT a FROM t FOR UPDATE OF `<share>` NOWAIT",
		"SELECT a FROM t FORCE INDEX FOR ORDER BY (a) JOIN u IGNORE KEY FOR JOIN (b)": "SELECT a FROM t FORCE INDEX  (a) JOIN u IGNORE INDEX  (b)",
		"SELECT HIGH_PRIORITY DISTINCT SQL_BUFFER_RESULT a FROM t FOR SHARE":          "SELECT  DISTINCT  a FROM t FOR UPDATE OF `<share>`",
		"SELECT a IS NOT UNKNOWN, 'x IS UNKNOWN' FROM t":                              "SELECT a IS NOT NULL, 'x IS UNKNOWN' FROM t",
		"INSERT LOW_PRIORITY IGNORE INTO t VALUES (1)":                                "INSERT  IGNORE INTO t VALUES (1)",
		"REPLACE DELAYED INTO t VALUES (1)":                                           "REPLACE  INTO t VALUES (1)",
		"SET character_set_client = binary, @a := BINARY":                             "SET character_set_client = 'binary', @a := 'binary'",
		"UPDATE LOW_PRIORITY t SET a = 1":                                             "UPDATE  t SET a = 1",
		"DELETE LOW_PRIORITY QUICK FROM t":                                            "DELETE   FROM t",
		"DROP TEMPORARY TABLES IF EXISTS a, b CASCADE":                                "DROP TEMPORARY TABLE IF EXISTS a, b ",
		"ALTER SCHEMA d CHARACTER SET utf8mb4":                                        "ALTER DATABASE d CHARACTER SET utf8mb4",
	} {
		if got := rewritten(t, text); got != want {
			t.Errorf("%s became\n%s, want\n%s", text, got, want)
		}
	}
	for _, text := range []string{"SELECT a FROM t FOR SHARES", "DROP TABLE a CASCADE b", "SELECT UNKNOWN IS", "INSERT QUICK INTO t VALUES (1)", "SELECT DISTINCTROW", "FOR SHARE"} {
		if got, err := parseable(text, Mode{}); err == nil {
			t.Errorf("%s became %s, want an error", text, got)
		}
	}
	for _, text := range []string{"SELECT `distinctrow`, t.high_priority, 'FOR SHARE' FROM t", "SELECT a FROM t AS unknown"} {
		if got, err := parseable(text, Mode{}); err != nil || got != text && got != "SELECT a FROM t AS `unknown`" {
			t.Errorf("%s became %s, %v", text, got, err)
		}
	}
}
