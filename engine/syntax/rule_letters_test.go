package syntax

import (
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

func TestLetters(t *testing.T) {
	needed(t, "SELECT x$y", "SELECT 1 INTO @a.b", "SELECT ä", "SELECT @x$y", "SELECT @ä")
	for text, want := range map[string]string{
		"SELECT * FROM sys.x$processlist":             "SELECT * FROM sys.`x$processlist`",
		"SELECT a$b, t.x$y AS $x FROM t$ AS t, u$.v$": "SELECT `a$b`, t.`x$y` AS `$x` FROM `t$` AS t, `u$`.`v$`",
		"SELECT 'a$b', `a$b`, /* a$b */ a$b -- a$b":   "SELECT 'a$b', `a$b`, /* a$b */ `a$b` -- a$b",
		"SELECT \"a$b\" + a$b + 1":                    "SELECT \"a$b\" + `a$b` + 1",
		"SELECT größe FROM t":                         "SELECT `größe` FROM t",
		"SELECT 1$a, 1e5, .5, 0x1F, t$.1a FROM t$":    "SELECT `1$a`, 1e5, .5, 0x1F, `t$`.1a FROM `t$`",
		"SELECT sys.x$f(1), x$f (1)":                  "SELECT sys.`x$f`(1), `x$f` (1)",
		"CALL sys.x$p(a$b)":                           "CALL sys.`x$p`(`a$b`)",
		"CREATE VIEW v$x AS SELECT a$b FROM t":        "CREATE VIEW `v$x` AS SELECT `a$b` FROM t",
		"CREATE PROCEDURE p$() BEGIN DECLARE v$ INT; SET v$ = 1; l$: LOOP LEAVE l$; END LOOP; END": "CREATE PROCEDURE `p$`() BEGIN DECLARE `v$` INT; SET `v$` = 1; `l$`: LOOP LEAVE `l$`; END LOOP; END",
		"INSERT INTO t$ (a$) VALUES ('$') ON DUPLICATE KEY UPDATE a$ = 1":                          "INSERT INTO `t$` (`a$`) VALUES ('$') ON DUPLICATE KEY UPDATE `a$` = 1",
		"CREATE TABLE a$ (b$ INT, KEY k$ (b$))":                                                    "CREATE TABLE `a$` (`b$` INT, KEY `k$` (`b$`))",
		"SELECT @a$b, @`a$b`, @ä":                                                                  "SELECT @_variable_0, @_variable_0, @_variable_1",
		"SELECT 1 INTO @a.b":                                                                       "SELECT 1 INTO @_variable_0",
		"SET @a.view = @@global.x, @b = '@a.view'":                                                 "SET @a.view = @@global.x, @b = '@a.view'", // vitess parses this
		"SELECT a$b /*! , c */ FROM t":                                                             "SELECT `a$b` /*! , c */ FROM t",
	} {
		if got := rewritten(t, text); got != want {
			t.Errorf("%s became\n%s, want\n%s", text, got, want)
		}
	}
	if got, err := parseable(`SELECT "a$b".c$d FROM "a$b"`, Mode{AnsiQuotes: true}); err != nil || got != "SELECT \"a$b\".`c$d` FROM \"a$b\"" {
		t.Errorf("with ANSI_QUOTES: %s, %v", got, err)
	}
}

// TestLettersOfVariables checks that variables have their own names in the syntax tree, wherever
// they stand.
func TestLettersOfVariables(t *testing.T) {
	for _, text := range []string{
		"SELECT @A$b, x$y INTO @ä FROM t WHERE @a$b = 1",
		"SET @a$b = @ä + 1",
		"EXECUTE s USING @a$b, @ä",
	} {
		s, err := Default.ParseSimple(text)
		if err != nil {
			t.Errorf("%s: %s", text, err)
			continue
		}
		if got := ast.String(s); strings.Contains(got, "_variable_") || !strings.Contains(got, "ä") {
			t.Errorf("%s is %s", text, got)
		}
	}
}
