package tables

import (
	"strings"
	"testing"
	"time"

	"pfsd/instr"
	"pfsd/instr/digest"
)

const (
	byDigest            = "events_statements_summary_by_digest"
	histogramByDigest   = "events_statements_histogram_by_digest"
	statementsHistogram = "events_statements_histogram_global"
)

// runStatement runs statements with a text, a digest and a default database.
func runStatement(reg *instr.Registry, th *instr.Thread, schema, sql string, times int) {
	c := reg.NewStatementClass("sql/select")
	for range times {
		s := th.StartStatement(c)
		s.SetText(sql)
		s.SetSchema(schema)
		s.SetDigest(reg.DigestOf(sql))
		s.Add(instr.RowsSent, 2)
		s.End()
	}
}

func hexOf(sql string) string {
	hash, _ := digest.Compute(sql, digest.DefaultMaxLength, 0)
	return digest.Hex(hash)
}

func TestDigestTables(t *testing.T) {
	reg := watched()
	reg.Setup().SetDigestsSize(3)
	th := reg.Attach("test/worker")
	defer th.Detach()
	c := reg.NewStatementClass("sql/select").Class()
	before := time.Now().Truncate(time.Microsecond)
	runStatement(reg, th, "db", "SELECT a FROM t WHERE b = 1", 3)
	c.SetTimed(false)
	runStatement(reg, th, "db", "select a from t where b=2", 1)
	c.SetTimed(true)
	runStatement(reg, th, "", "SELECT 1", 1)
	runStatement(reg, th, "db", "SELECT 1", 2) // has no room

	hash := hexOf("SELECT a FROM t WHERE b = 1")
	all := rows(t, reg, byDigest)
	if len(all) != 3 {
		t.Fatalf("%d rows", len(all))
	}
	expect(t, all[0], row{"SCHEMA_NAME": "NULL", "DIGEST": "NULL", "DIGEST_TEXT": "NULL", "COUNT_STAR": "2", "SUM_ROWS_SENT": "4", "QUERY_SAMPLE_TEXT": "SELECT 1"})
	expect(t, all[1], row{
		"SCHEMA_NAME": "db", "DIGEST": hash, "DIGEST_TEXT": "SELECT `a` FROM `t` WHERE `b` = ?",
		"COUNT_STAR": "4", "SUM_ROWS_SENT": "8", "SUM_ERRORS": "0", "COUNT_SECONDARY": "0",
	})
	expect(t, all[2], row{"SCHEMA_NAME": "NULL", "DIGEST": hexOf("SELECT 1"), "DIGEST_TEXT": "SELECT ?", "COUNT_STAR": "1"})
	r := all[1]
	least, most := numberIn(t, r, "MIN_TIMER_WAIT"), numberIn(t, r, "MAX_TIMER_WAIT")
	if sum := numberIn(t, r, "SUM_TIMER_WAIT"); least > most || sum+4 < 2*least+most || sum > least+2*most+4 || numberIn(t, r, "AVG_TIMER_WAIT") != sum/3 {
		t.Errorf("the times are %v", r)
	}
	if q := numberIn(t, r, "QUANTILE_95"); q <= most || q != numberIn(t, r, "QUANTILE_999") {
		t.Errorf("the quantile of three is %d, the longest time %d", q, most)
	}
	if numberIn(t, r, "QUERY_SAMPLE_TIMER_WAIT") != most || !strings.HasPrefix(r["QUERY_SAMPLE_TEXT"], "SELECT a") {
		t.Errorf("the sample is %q, %s ps of %d", r["QUERY_SAMPLE_TEXT"], r["QUERY_SAMPLE_TIMER_WAIT"], most)
	}
	d := reg.Reader().Digests(instr.DigestFilter{})[1]
	if d.First.Before(before) || d.SampleSeen.Before(d.First) || d.Last.Before(d.SampleSeen) || d.Last.After(time.Now()) {
		t.Errorf("seen from %v to %v, the sample at %v", d.First, d.Last, d.SampleSeen)
	}
	expect(t, r, row{"FIRST_SEEN": text(Time(d.First)), "LAST_SEEN": text(Time(d.Last)), "QUERY_SAMPLE_SEEN": text(Time(d.SampleSeen))})

	key := Key{is("SCHEMA_NAME", "DB"), is("DIGEST", strings.ToUpper(hash))}
	expect(t, one(t, reg, byDigest, key...), row{"COUNT_STAR": "4"})
	checkHistogram(t, rows(t, reg, histogramByDigest, key...), 450, 3)
	checkHistogram(t, rows(t, reg, statementsHistogram), 450, 6)
	if n := len(rows(t, reg, histogramByDigest)); n != 3*450 {
		t.Errorf("%d buckets of 3 digests", n)
	}

	tableNamed(t, histogramByDigest).Truncate(Of(reg))
	checkHistogram(t, rows(t, reg, histogramByDigest, key...), 450, 0)
	expect(t, one(t, reg, byDigest, key...), row{"COUNT_STAR": "4", "QUANTILE_95": "0"})
	checkHistogram(t, rows(t, reg, statementsHistogram), 450, 6)
	tableNamed(t, statementsHistogram).Truncate(Of(reg))
	checkHistogram(t, rows(t, reg, statementsHistogram), 450, 0)
	tableNamed(t, byDigest).Truncate(Of(reg))
	if n := len(rows(t, reg, byDigest)) + len(rows(t, reg, histogramByDigest)); n != 0 {
		t.Errorf("%d rows after TRUNCATE", n)
	}

	// Without a text there is no sample.
	runStatement(reg, th, "db", "", 1)
	if n := len(rows(t, reg, byDigest)); n != 0 {
		t.Errorf("%d rows of statements without a digest", n)
	}
	s := th.StartStatement(reg.NewStatementClass("sql/select"))
	s.SetDigest(reg.DigestOf("SELECT 1"))
	s.End()
	expect(t, one(t, reg, byDigest), row{"COUNT_STAR": "1", "QUERY_SAMPLE_TEXT": "NULL", "QUERY_SAMPLE_SEEN": text(Time(time.Unix(0, 0))), "QUERY_SAMPLE_TIMER_WAIT": "0"})

	reg.Setup().SetConsumer(instr.ConsumerStatementsDigest, false)
	runStatement(reg, th, "db", "SELECT b", 1)
	if n := len(rows(t, reg, byDigest)); n != 1 {
		t.Errorf("%d rows, want none more without the consumer", n)
	}
}
