package digest

import (
	"strings"
	"testing"
)

// statement returns SQL whose normalised text is text.
func statement(text string) string {
	return strings.NewReplacer(
		"(...) /* , ... */", "(1, 'a'), (-2, NULL)", "(?) /* , ... */", "(1), (2)", "?, ...", "1, 2, 3",
		"(...)", "(1, 2)", "(?)", "(1)", "?", "1",
	).Replace(text)
}

// TestVectors compares with digests that MySQL made.
func TestVectors(t *testing.T) {
	for _, r := range readFacts(t, "digest_vectors.tsv") {
		want, text := r[0], r[1]
		sql := statement(text)
		if strings.Contains(text, "/*+") {
			sql = strings.NewReplacer("@`qb1`", "@qb1", "`", "").Replace(sql)
		}
		hash, tokens := Compute(sql, DefaultMaxLength, 0)
		if got := Hex(hash); got != want {
			t.Errorf("%s:\ndigest %s, want %s", sql, got, want)
		}
		if got := Text(tokens); got != text {
			t.Errorf("%s:\ntext %s\nwant %s", sql, got, text)
		}
	}
}
