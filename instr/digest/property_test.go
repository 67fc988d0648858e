package digest

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// pieces are the tokens of statements; each element has the literals that can stand in one place.
var pieces = [][]string{
	{"SELECT"}, {"FROM"}, {"t"}, {"`a b`"}, {","}, {"("}, {")"}, {"IN"}, {"="}, {"-"}, {"+"}, {"*"}, {"NULL"}, {"NOT"}, {"IS"},
	{"VALUES"}, {"WITH"}, {"ROLLUP"}, {"DEFAULT"}, {"<=>"}, {":="}, {"->"}, {"LIKE"}, {"."}, {";"}, {"@@"}, {"count"},
	{"1", "2.5", "1e5", "0x1F", "x'1F'", "b'01'", "99999999999999999999", "0b1"},
	{"'x'", "''", `"y"`, "N'z'", `'a''b'`, `'a\'b'`, "'-- no comment'", "'/*'", "?"},
}

var spaces = []string{" ", "\n", "\t ", " /* x */ ", "/**/ ", " -- y\n", " # z\n", " /*!99999 nothing */ ", " /*!80400 */ "}

// TestSpaceAndLiterals: the digest does not depend on what is between tokens, nor on the values of
// literals.
func TestSpaceAndLiterals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		var one, other strings.Builder
		for range 1 + r.IntN(20) {
			p := pieces[r.IntN(len(pieces))]
			one.WriteString(p[0] + " ")
			other.WriteString(p[r.IntN(len(p))] + spaces[r.IntN(len(spaces))])
		}
		// After @@ there is a name, and a sign before a text stays.
		if strings.Contains(one.String(), "@@") {
			continue
		}
		h1, t1 := Compute(one.String(), DefaultMaxLength, 0)
		h2, t2 := Compute(other.String(), DefaultMaxLength, 0)
		if h1 != h2 {
			t.Fatalf("%s\n%s\nbut\n%s\n%s", one.String(), Text(t1), other.String(), Text(t2))
		}
	}
}

// TestLetters: the digest depends on the letter case of identifiers, but not of keywords.
func TestLetters(t *testing.T) {
	for _, k := range keywords {
		after := " "
		if k.function {
			after = "("
		}
		upper, _ := Compute("x "+k.word+after, DefaultMaxLength, 0)
		lower, tokens := Compute("x "+strings.ToLower(k.word)+after, DefaultMaxLength, 0)
		if upper != lower {
			t.Errorf("%s: %s", k.word, Text(tokens))
		}
		if got := token(tokens[5]) | token(tokens[6])<<8; got != k.token {
			t.Errorf("%s: token %d, want %d", k.word, got, k.token)
		}
		if !k.function {
			continue
		}
		if _, tokens := Compute(k.word+" (", DefaultMaxLength, 0); Text(tokens) != "`"+k.word+"` (" {
			t.Errorf("%s with space behind it: %s", k.word, Text(tokens))
		}
		if _, tokens := Compute(k.word+" (", DefaultMaxLength, IgnoreSpace); Text(tokens) == "`"+k.word+"` (" {
			t.Errorf("%s with space behind it, ignored: %s", k.word, Text(tokens))
		}
	}
	a, _ := Compute("SELECT a", DefaultMaxLength, 0)
	if b, _ := Compute("SELECT A", DefaultMaxLength, 0); a == b {
		t.Error("the case of an identifier is not in the digest")
	}
	for _, k := range hintKeywords {
		if _, tokens := Compute("SELECT /*+ "+strings.ToLower(k.word)+" */ 1", DefaultMaxLength, 0); Text(tokens) != "SELECT /*+ "+k.word+" */ ?" {
			t.Errorf("hint %s: %s", k.word, Text(tokens))
		}
	}
}

// TestReductions compares with a model that reduces all tokens afterwards, step by step.
func TestReductions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	words := []string{"1", ",", "(", ")", "-", "a", "IN", "NULL"}
	for range 20000 {
		var sql []string
		for range 1 + r.IntN(24) {
			sql = append(sql, words[r.IntN(len(words))])
		}
		_, tokens := Compute(strings.Join(sql, " "), DefaultMaxLength, 0)
		if got, want := Text(tokens), reduced(sql); got != want {
			t.Fatalf("%s:\n%s, want\n%s", strings.Join(sql, " "), got, want)
		}
	}
}

// reduced is the model of TestReductions: it reduces tokens, as texts, from the left.
func reduced(sql []string) string {
	var out []string
	at := func(n int) string {
		for i := 1; i <= n; i++ {
			if len(out) < i || out[len(out)-i] == "`a`" {
				return ""
			}
		}
		return out[len(out)-n]
	}
	replace := func(n int, by string) { out = append(out[:len(out)-n], by) }
	before := ""
	for _, w := range sql {
		read := w
		switch {
		case w == "a":
			w = "`a`"
		case w == "1":
			w = "?"
			for at(1) == "-" && strings.Contains("(,-", at(2)) && at(2) != "" {
				out = out[:len(out)-1]
			}
		case w == "NULL" && before != "" && strings.Contains("( , - IN", before):
			w = "?"
		}
		out = append(out, w)
		for again := true; again; {
			again = false
			switch {
			case at(1) == "?" && at(2) == "," && (at(3) == "?" || at(3) == "?, ..."):
				replace(3, "?, ...")
			case w == ")" && at(1) == ")" && at(2) == "?" && at(3) == "(":
				replace(3, "(?)")
				again = true
			case w == ")" && at(1) == ")" && at(2) == "?, ..." && at(3) == "(":
				replace(3, "(...)")
				again = true
			case again || w == ")" && (at(1) == "(?)" || at(1) == "(...)"):
				switch row := at(1); {
				case at(2) == "IN":
					replace(2, "IN (...)")
				case at(2) == "," && (at(3) == row || at(3) == row+" /* , ... */"):
					replace(3, row+" /* , ... */")
				}
				w = ""
			}
		}
		before = read
	}
	return strings.Join(out, " ")
}

// FuzzCompute: for any text Compute does not fail, keeps the limit, and returns the same digest the
// second time; and the digest of the normalised text is the same.
func FuzzCompute(f *testing.F) {
	for _, sql := range statements(f) {
		f.Add(sql, uint8(0), uint16(DefaultMaxLength))
		f.Add(sql, uint8(31), uint16(40))
	}
	f.Fuzz(func(t *testing.T, sql string, mode uint8, limit uint16) {
		hash, tokens := Compute(sql, int(limit), Mode(mode))
		if len(tokens) > int(limit) {
			t.Fatalf("%d bytes of %d", len(tokens), limit)
		}
		again, same := Compute(sql, int(limit), Mode(mode))
		if again != hash || !bytes.Equal(same, tokens) {
			t.Fatal("another digest the second time")
		}
		text := Text(tokens)
		if len(text) > 16*len(tokens) {
			t.Fatalf("%d bytes of text for %d of tokens", len(text), len(tokens))
		}
		for n := range min(len(tokens), 64) {
			Text(tokens[n:])
		}
	})
}

// TestLinear: each byte is read a few times at most, so that a long statement costs as much as its
// parts.
func TestLinear(t *testing.T) {
	for _, part := range []string{"1,", "(1),", "-", "/*", "/*!99999 /* */", "'", "`", "$", "$a$", "a.", "--", "/*+", "SELECT /*+ ", "@", "@@", "!", "é", "\\", "1e", "x'", "*/", "/*!", "SELECT/*+'"} {
		sql := strings.Repeat(part, 1<<16/len(part))
		var b Builder
		// Quadratic work would take minutes here.
		for range 20 {
			b.Compute(sql, 1<<20, 0)
		}
	}
}
