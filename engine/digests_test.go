package engine

import (
	"fmt"
	"strings"
	"testing"

	"pfsd/engine/config"
)

// What digests are made of, and what of that the tables keep, are two lengths.
func TestDigestLengths(t *testing.T) {
	r := serveAll(t, parse(t, "--port=0", "--max-digest-length=30", "--performance-schema-max-digest-length=12").Options)
	r.checkVariable(t, "max_digest_length", "integer", "30")
	r.checkVariable(t, "performance_schema_max_digest_length", "integer", "12")
	r.fails(t, "SET GLOBAL max_digest_length = 1", "1238 HY000 Variable 'max_digest_length' is a read only variable")
	r.exec(t, "TRUNCATE TABLE events_statements_summary_by_digest")

	statements := func(n string) string { return "SELECT 1 AS a, 2 AS b, 3 AS c" + n }
	r.query(t, statements("1")) // differ in what is kept of neither
	r.query(t, statements("2"))
	r.query(t, "SELECT 1 AS a, 2 AS bb") // differs in what is not kept
	const shown = "SELECT ? AS `a`"      // 11 bytes; half of the comma is not shown
	r.want(t, "SELECT DIGEST_TEXT, COUNT_STAR FROM events_statements_summary_by_digest WHERE DIGEST_TEXT LIKE 'SELECT ? AS%' ORDER BY COUNT_STAR", shown+"|1", shown+"|2")
	r.want(t, "SELECT COUNT(*), COUNT(DISTINCT DIGEST), MIN(DIGEST_TEXT), MAX(DIGEST_TEXT) FROM events_statements_history WHERE SQL_TEXT LIKE 'SELECT 1 AS%'",
		fmt.Sprintf("3|2|%s|%[1]s", shown))
	// The functions show all that counts.
	text := fmt.Sprintf("'%s'", statements("1"))
	r.want(t, "SELECT STATEMENT_DIGEST_TEXT("+text+")", "SELECT ? AS `a` , ? AS `b` , ? AS")
	r.want(t, "SELECT COUNT_STAR FROM events_statements_summary_by_digest WHERE DIGEST = STATEMENT_DIGEST("+text+")", "2")
}

// With 0 kept the statements count by their hashes, which as in MySQL nobody sees.
func TestDigestsOfWhichNothingIsKept(t *testing.T) {
	r := serveAll(t, parse(t, "--port=0", "--performance-schema-max-digest-length=0").Options)
	r.query(t, "SELECT 1")
	r.query(t, "SELECT 1, 2 FROM DUAL")
	r.want(t, "SELECT COUNT(DIGEST), COUNT(DIGEST_TEXT), COUNT(QUERY_SAMPLE_TEXT) FROM events_statements_summary_by_digest WHERE QUERY_SAMPLE_TEXT LIKE 'SELECT 1%'", "0|0|2")
	r.want(t, "SELECT DIGEST, DIGEST_TEXT FROM events_statements_history WHERE SQL_TEXT = 'SELECT 1'", "NULL|NULL")
}

// The session's SQL mode decides what the tokens of a statement are.
func TestDigestsInModes(t *testing.T) {
	r := serveAll(t, Options{})
	r.db.SetMaxOpenConns(1)
	digestOf := func(statement, mode string) (digest, text string) {
		r.exec(t, "SET sql_mode = '"+mode+"'")
		r.query(t, statement)
		r.exec(t, "SET sql_mode = DEFAULT")
		row := r.query(t, "SELECT DIGEST, DIGEST_TEXT FROM events_statements_history WHERE SQL_TEXT = ? ORDER BY EVENT_ID DESC LIMIT 1", statement)
		if len(row) != 1 {
			t.Fatalf("%s: %d statements in the history", statement, len(row))
		}
		digest, text, _ = strings.Cut(row[0], "|")
		if got := r.query(t, "SELECT COUNT_STAR FROM events_statements_summary_by_digest WHERE DIGEST = ? AND DIGEST_TEXT = ?", digest, text); len(got) != 1 {
			t.Errorf("%s with %s: not in the summary", statement, mode)
		}
		r.exec(t, "SET sql_mode = '"+mode+"'")
		literal := strings.ReplaceAll(strings.ReplaceAll(statement, "'", "''"), `\`, `\\`)
		if got := r.query(t, "SELECT STATEMENT_DIGEST('"+literal+"'), STATEMENT_DIGEST_TEXT('"+literal+"')"); got[0] != row[0] {
			t.Errorf("%s with %s:\nthe functions say %s\nthe history says %s", statement, mode, got[0], row[0])
		}
		return digest, text
	}
	for _, c := range []struct{ statement, mode, plain, text string }{
		{`SELECT "a" FROM (SELECT 1 AS a) b`, "ANSI_QUOTES", "SELECT ? FROM ( SELECT ? AS `a` ) `b`", "SELECT `a` FROM ( SELECT ? AS `a` ) `b`"},
		{`SELECT "a" AS c FROM (SELECT 1 AS a) b`, "ANSI", "SELECT ? AS `c` FROM ( SELECT ? AS `a` ) `b`", "SELECT `a` AS `c` FROM ( SELECT ? AS `a` ) `b`"},
		{`SELECT 0 || 1`, "PIPES_AS_CONCAT", "SELECT ? || ?", "SELECT ? || ?"},
		{`SELECT NOT 1`, "HIGH_NOT_PRECEDENCE", "SELECT NOT ?", "SELECT ! ?"},
		{`SELECT 'a\', 1 AS b -- \''`, "NO_BACKSLASH_ESCAPES", "SELECT ?", "SELECT ?, ... AS `b`"},
		{`SELECT COUNT (*) FROM events_waits_current`, "IGNORE_SPACE", "SELECT `COUNT` ( * ) FROM `events_waits_current`", "SELECT COUNT ( * ) FROM `events_waits_current`"},
		{`SELECT 1 AS d`, "STRICT_ALL_TABLES,ONLY_FULL_GROUP_BY", "SELECT ? AS `d`", "SELECT ? AS `d`"},
	} {
		plain, plainText := digestOf(c.statement, "")
		digest, text := digestOf(c.statement, c.mode)
		if plainText != c.plain || text != c.text {
			t.Errorf("%s:\nwithout mode %s\nwith %s %s", c.statement, plainText, c.mode, text)
		}
		if lexical := !strings.HasPrefix(c.mode, "STRICT"); (digest != plain) != lexical {
			t.Errorf("%s: %s without mode, %s with %s", c.statement, plain, digest, c.mode)
		}
	}

	// It is the mode that is set when the statement comes.
	r.exec(t, "SET sql_mode = 'ANSI_QUOTES'")
	s, err := r.db.Prepare(`SELECT "a" + ? FROM (SELECT 1 AS a) b`)
	if err != nil {
		t.Fatal(err)
	}
	var sum int
	if err := s.QueryRow(2).Scan(&sum); err != nil || sum != 3 {
		t.Errorf("%d, %v", sum, err)
	}
	_ = s.Close()
	r.want(t, "SELECT EVENT_NAME, DIGEST_TEXT FROM events_statements_history WHERE DIGEST_TEXT LIKE 'SELECT `a` + ?%'",
		"statement/com/Prepare|SELECT `a` + ? FROM ( SELECT ? AS `a` ) `b`", "statement/com/Execute|SELECT `a` + ? FROM ( SELECT ? AS `a` ) `b`")
}

func TestNoDigests(t *testing.T) {
	r := serveAll(t, parse(t, "--port=0", "--max-digest-length=0").Options)
	r.query(t, "SELECT 1")
	r.want(t, "SELECT COUNT(*) FROM events_statements_summary_by_digest", "0")
	r.want(t, "SELECT DIGEST, DIGEST_TEXT FROM events_statements_history WHERE SQL_TEXT = 'SELECT 1'", "NULL|NULL")

	o := Options{MaxDigestLength: new(1 << 21)}
	want := "option '--max-digest-length': value '2097152' is out of range 0 to 1048576"
	if err := config.Apply(o, r.reg); message(err) != want {
		t.Errorf("got %q, want %q", message(err), want)
	}
}
