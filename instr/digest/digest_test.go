package digest

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// statement returns SQL whose normalised text is text.
func statement(text string) string {
	sql := strings.NewReplacer(
		"(...) /* , ... */", "(1, 'a'), (-2, NULL)", "(?) /* , ... */", "(1), (2)", "?, ...", "1, 2, 3",
		"(...)", "(1, 2)", "(?)", "(1)", "?", "1",
	).Replace(text)
	if strings.Contains(sql, "/*+") {
		sql = strings.NewReplacer("@`qb1`", "@qb1", "`", "").Replace(sql)
	}
	return sql
}

// TestVectors compares with digests that MySQL made.
func TestVectors(t *testing.T) {
	vectors := readFacts(t, "digest_vectors.tsv")
	// From the manual, and from the description of the work on STATEMENT_DIGEST.
	vectors = append(vectors,
		[]string{"3bb95eeade896657c4526e74ff2a2862039d0a0fe8a9e7155b5fe492cbd78387", "SELECT * FROM `mytable` WHERE `cola` = ? AND `colb` = ?"},
		[]string{"fc86ab9f4e4275ef861733844e3b2710313376a3a632204f99eecf8ce0855f4d", "SELECT * FROM `foo`"})
	for _, r := range vectors {
		want, text := r[0], r[1]
		sql := statement(text)
		hash, tokens := Compute(sql, DefaultMaxLength, 0)
		if got := Hex(hash); got != want {
			t.Errorf("%s:\ndigest %s, want %s", sql, got, want)
		}
		if got := Text(tokens); got != text {
			t.Errorf("%s:\ntext %s\nwant %s", sql, got, text)
		}
	}
}

// modes are the modes that the golden file names.
var modes = map[string]Mode{"": 0, "ANSI": AnsiQuotes | PipesAsConcat | IgnoreSpace, "NO_BACKSLASH_ESCAPES": NoBackslashEscapes, "HIGH_NOT_PRECEDENCE": HighNotPrecedence, "IGNORE_SPACE": IgnoreSpace, "PIPES_AS_CONCAT": PipesAsConcat, "ANSI_QUOTES": AnsiQuotes}

const golden = "testdata/statements"

// TestStatements compares with the golden file. It has a paragraph for each digest: lines of SQL
// that have it, the mode after "# mode", the normalised text after "= ", and the digest after that.
func TestStatements(t *testing.T) {
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	digests := map[string]string{}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		var mode Mode
		var result string
		for line := range strings.Lines(paragraph) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, "= ") {
				break
			}
			out.WriteString(line + "\n")
			if comment, ok := strings.CutPrefix(line, "## "); ok {
				if name, ok := strings.CutPrefix(comment, "mode "); ok {
					if mode = ParseMode(name); mode != modes[name] || mode == 0 {
						t.Errorf("unknown mode %s", name)
					}
				}
				continue
			}
			// Characters that a line cannot contain.
			sql := strings.NewReplacer(`␤`, "\n", `␉`, "\t").Replace(line)
			hash, tokens := Compute(sql, DefaultMaxLength, mode)
			got := "= " + Text(tokens) + "\n" + Hex(hash) + "\n"
			if result == "" {
				result = got
			} else if got != result {
				t.Errorf("%s\n%swant\n%s", line, got, result)
			}
			if before, ok := digests[Hex(hash)]; ok && before != result {
				t.Errorf("%s: the digest of another text: %s", line, before)
			}
			digests[Hex(hash)] = result
		}
		if result != "" && !strings.HasSuffix(paragraph+"\n", "\n"+result) && !*rewrite {
			t.Errorf("got\n%swant\n%s", result, paragraph)
		}
		out.WriteString(result + "\n")
	}
	if *rewrite {
		if err := os.WriteFile(golden, []byte(strings.TrimSuffix(out.String(), "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// statements returns the statements of the golden file that have no mode.
func statements(t testing.TB) (all []string) {
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	for paragraph := range strings.SplitSeq(string(text), "\n\n") {
		if strings.Contains(paragraph, "## mode") {
			continue
		}
		for line := range strings.Lines(paragraph) {
			if strings.HasPrefix(line, "= ") {
				break
			}
			if !strings.HasPrefix(line, "## ") {
				all = append(all, strings.TrimSuffix(line, "\n"))
			}
		}
	}
	return all
}

// TestTruncation: the tokens that fit are the beginning of all tokens, except for reductions that
// are not complete, and never take more than the limit.
func TestTruncation(t *testing.T) {
	for _, sql := range statements(t) {
		_, whole := Compute(sql, DefaultMaxLength, 0)
		var before []byte
		for limit := range len(whole) + 40 {
			hash, tokens := Compute(sql, limit, 0)
			if len(tokens) > limit {
				t.Fatalf("%s: %d bytes of %d", sql, len(tokens), limit)
			}
			if !bytes.Equal(tokens, before) {
				before = tokens
			}
			if again, _ := Compute(sql, limit, 0); again != hash {
				t.Fatalf("%s: another digest the second time", sql)
			}
			Text(tokens)
		}
		if !bytes.Equal(before, whole) {
			t.Errorf("%s: %x, want %x", sql, before, whole)
		}
	}
	// If nothing is reduced, they are exactly the beginning.
	const sql = "SELECT a , b AS `xyz` FROM t JOIN u WHERE a IS NOT NULL OR b < c ORDER BY d"
	_, whole := Compute(sql, DefaultMaxLength, 0)
	ends := []int{}
	for limit := range len(whole) + 1 {
		_, tokens := Compute(sql, limit, 0)
		if !bytes.HasPrefix(whole, tokens) {
			t.Fatalf("limit %d: %x is no beginning of %x", limit, tokens, whole)
		}
		if !slices.Contains(ends, len(tokens)) {
			ends = append(ends, len(tokens))
		}
	}
	if want := 23; len(ends) != want { // 22 tokens
		t.Errorf("%d lengths, want %d", len(ends), want)
	}
	if _, tokens := Compute("SELECT `longer than that` FROM t", 10, 0); Text(tokens) != "SELECT" {
		t.Errorf("%s: an identifier that does not fit ends the digest", Text(tokens))
	}
	hash, _ := Compute("SELECT 1", 2, 0)
	if other, _ := Compute("SELECT 1 FROM DUAL", 2, 0); hash != other {
		t.Error("statements that differ behind the limit have two digests")
	}
}

// TestTextOfPart: the text of tokens that are cut off anywhere is a beginning of the whole text.
func TestTextOfPart(t *testing.T) {
	for _, sql := range statements(t) {
		_, tokens := Compute(sql, DefaultMaxLength, 0)
		whole := Text(tokens)
		for n := range len(tokens) {
			if part := Text(tokens[:n]); !strings.HasPrefix(whole, part) {
				t.Fatalf("%s: %d bytes: %q is no beginning of %q", sql, n, part, whole)
			}
		}
	}
}

// TestTextOfAnyBytes: Text does not fail for bytes that are not tokens of a statement.
func TestTextOfAnyBytes(t *testing.T) {
	for _, b := range [][]byte{nil, {1}, {0, 0}, {0xff, 0xff}, {0x52, 4}, {0x52, 4, 9}, {0x52, 4, 9, 0, 'a'}, {0x52, 4, 0, 0}, {200, 0}} {
		if s := Text(b); len(s) > 0 {
			t.Errorf("%x: %q", b, s)
		}
	}
}

func TestLongIdentifiers(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{strings.Repeat("a", 64), "SELECT `" + strings.Repeat("a", 64) + "` FROM `t`"},
		{strings.Repeat("a", 65), "SELECT ...FROM `t`"},
		{strings.Repeat("é", 32), "SELECT `" + strings.Repeat("é", 32) + "` FROM `t`"},
		{strings.Repeat("é", 33), "SELECT ...FROM `t`"},
		{"a😀", "SELECT FROM `t`"},
		{"", "SELECT FROM `t`"},
	} {
		_, tokens := Compute("SELECT `"+c.name+"` FROM t", DefaultMaxLength, 0)
		if got := Text(tokens); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestParseMode(t *testing.T) {
	for s, want := range map[string]Mode{
		"": 0, "STRICT_TRANS_TABLES,NO_ZERO_DATE": 0, "ANSI": AnsiQuotes | PipesAsConcat | IgnoreSpace,
		"ansi_quotes, no_backslash_escapes":                                              AnsiQuotes | NoBackslashEscapes,
		"REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ONLY_FULL_GROUP_BY,ANSI": AnsiQuotes | PipesAsConcat | IgnoreSpace,
		"HIGH_NOT_PRECEDENCE": HighNotPrecedence,
	} {
		if got := ParseMode(s); got != want {
			t.Errorf("%q: %b, want %b", s, got, want)
		}
	}
}

// TestNothing: a text without tokens returns no tokens, and the hash of no bytes.
func TestNothing(t *testing.T) {
	const nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for _, sql := range []string{"", " \n", "/* ping */", "-- x", "#", ";", " ; ;", "\x00SELECT 1"} {
		if hash, tokens := Compute(sql, DefaultMaxLength, 0); tokens != nil || Hex(hash) != nothing {
			t.Errorf("%q: %x", sql, tokens)
		}
	}
	if hash, tokens := Compute("SELECT 1", 1, 0); tokens != nil || Hex(hash) != nothing {
		t.Errorf("%x", tokens)
	}
}

func TestBuilderAllocatesNothing(t *testing.T) {
	var b Builder
	all := statements(t)
	run := func() {
		for _, sql := range all {
			b.Compute(sql, DefaultMaxLength, 0)
		}
	}
	run()
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
