package engine

import (
	"fmt"
	"testing"
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

func TestNoDigests(t *testing.T) {
	r := serveAll(t, parse(t, "--port=0", "--max-digest-length=0").Options)
	r.query(t, "SELECT 1")
	r.want(t, "SELECT COUNT(*) FROM events_statements_summary_by_digest", "0")
	r.want(t, "SELECT DIGEST, DIGEST_TEXT FROM events_statements_history WHERE SQL_TEXT = 'SELECT 1'", "NULL|NULL")

	o := Options{MaxDigestLength: new(1 << 21)}
	want := "option '--max-digest-length': value '2097152' is out of range 0 to 1048576"
	if err := o.apply(r.reg); message(err) != want {
		t.Errorf("got %q, want %q", message(err), want)
	}
}
