package digest

import "testing"

// benchmarked are statements as clients send them.
var benchmarked = []struct{ name, sql string }{
	{"point", "SELECT c FROM sbtest1 WHERE id=4711"},
	{"100-bytes", "SELECT id, name, price FROM products WHERE category_id = 42 AND name LIKE 'a%' ORDER BY price LIMIT 1"},
	{"insert", "INSERT INTO sbtest1 (id, k, c, pad) VALUES (0, 5047, '68487932199-96439406143-93774651418-41631865787-96406072701-20604855487', '22195207048-70116052123')"},
	{"agent", "SELECT SCHEMA_NAME, DIGEST, LEFT(DIGEST_TEXT, 120), COUNT_STAR, SUM_TIMER_WAIT FROM performance_schema.events_statements_summary_by_digest WHERE SCHEMA_NAME NOT IN ('mysql', 'performance_schema', 'information_schema') AND LAST_SEEN > DATE_SUB(NOW(), INTERVAL 86400 SECOND) ORDER BY SUM_TIMER_WAIT DESC LIMIT 250"},
}

func BenchmarkCompute(b *testing.B) {
	for _, c := range benchmarked {
		b.Run("sql="+c.name, func(b *testing.B) {
			var d Builder
			b.SetBytes(int64(len(c.sql)))
			b.ReportAllocs()
			for b.Loop() {
				d.Compute(c.sql, DefaultMaxLength, 0)
			}
		})
	}
}

func BenchmarkText(b *testing.B) {
	for _, c := range benchmarked {
		b.Run("sql="+c.name, func(b *testing.B) {
			_, tokens := Compute(c.sql, DefaultMaxLength, 0)
			text := make([]byte, 0, 4096)
			b.ReportAllocs()
			for b.Loop() {
				text = AppendText(text[:0], tokens)
			}
		})
	}
}
