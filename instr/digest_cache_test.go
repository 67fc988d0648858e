package instr

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"pfsd/instr/digest"
)

func TestDigestOf(t *testing.T) {
	r := NewRegistry()
	const sql = "SELECT a FROM t WHERE b = 1"
	d := r.DigestOf(sql)
	hash, tokens := digest.Compute(sql, DefaultMaxDigestLength, 0)
	if d == nil || d.Hex() != digest.Hex(hash) || d.Text() != digest.Text(tokens) {
		t.Fatalf("the digest is %v", d)
	}
	if r.DigestOf(strings.Clone(sql)) != d || r.DigestOf("select a  from t where b=2") != d {
		t.Error("statements that differ in values and in spelling have two digests")
	}
	if r.DigestOf("SELECT b FROM t WHERE b = 1") == d {
		t.Error("statements with different names have one digest")
	}
	for _, empty := range []string{"", "  ", "/* a */", ";"} {
		if d := r.DigestOf(empty); d != nil {
			t.Errorf("the digest of %q is %s", empty, d.Text())
		}
	}
	quoted := `SELECT "a" FROM t`
	if plain, ansi := r.DigestOf(quoted), r.DigestOfMode(quoted, digest.AnsiQuotes); plain == ansi || ansi != r.DigestOf("SELECT `a` FROM t") {
		t.Errorf("with ANSI_QUOTES the digest is %s", ansi.Text())
	}
}

func TestDigestConsumer(t *testing.T) {
	r := NewRegistry()
	for _, c := range []Consumer{ConsumerStatementsDigest, ConsumerGlobalInstrumentation} {
		r.Setup().SetConsumer(c, false)
		if d := r.DigestOf("SELECT 1"); d != nil {
			t.Errorf("without the consumer %v there is the digest %s", c, d.Text())
		}
		r.Setup().SetConsumer(c, true)
		if r.DigestOf("SELECT 1") == nil {
			t.Errorf("with the consumer %v again there is no digest", c)
		}
	}
	r.Setup().SetConsumer(ConsumerThreadInstrumentation, false)
	if r.DigestOf("SELECT 1") == nil {
		t.Error("the consumer thread_instrumentation switches digests off")
	}
}

func TestMaxDigestLength(t *testing.T) {
	r := NewRegistry()
	const sql = "SELECT a, b, c FROM t"
	whole := r.DigestOf(sql)
	r.Setup().SetMaxDigestLength(16)
	cut := r.DigestOf(sql)
	if hash, _ := digest.Compute(sql, 16, 0); cut.Hex() != digest.Hex(hash) || cut.Hex() == whole.Hex() {
		t.Errorf("with 16 bytes the digest is of %s", cut.Text())
	}
	r.Setup().SetMaxDigestLength(0)
	if d := r.DigestOf(sql); d != nil {
		t.Errorf("with 0 bytes the digest is of %s", d.Text())
	}
	r.Setup().SetMaxDigestLength(DefaultMaxDigestLength)
	if d := r.DigestOf(sql); d.Hex() != whole.Hex() {
		t.Errorf("with %d bytes again the digest is of %s", r.Setup().MaxDigestLength(), d.Text())
	}
}

// The hash is of all tokens that count, and the text of those of them that are kept.
func TestKeptDigestLength(t *testing.T) {
	r := NewRegistry()
	sql := func(last string) string { return "SELECT a, b, c FROM " + last }
	whole := r.DigestOf(sql("t"))
	r.Setup().SetKeptDigestLength(16)
	cut, other := r.DigestOf(sql("t")), r.DigestOf(sql("u"))
	if got, want := cut.Text(), "SELECT `a` , `b` ,"; got != want || other.Text() != want {
		t.Errorf("of 16 bytes the texts are %q and %q, want %q", got, other.Text(), want)
	}
	if cut.Hex() != whole.Hex() || cut.Hex() == other.Hex() {
		t.Errorf("hashes %s and %s, before %s", cut.Hex(), other.Hex(), whole.Hex())
	}
	if c := r.digests.cache.Load(); cap(cut.tokens) > 24 {
		t.Errorf("%d bytes are kept", cap(cut.tokens))
	} else {
		c.check(t)
	}
	r.Setup().SetMaxDigestLength(16)
	if both := r.DigestOf(sql("t")); both.Text() != cut.Text() || both.Hex() == cut.Hex() || both != r.DigestOf(sql("u")) {
		t.Errorf("if no more count the digest is %s of %q", both.Hex(), both.Text())
	}
	r.Setup().SetMaxDigestLength(DefaultMaxDigestLength)
	for _, n := range []int{0, -1} {
		r.Setup().SetKeptDigestLength(n)
		if none := r.DigestOf(sql("t")); none == nil || none.Text() != "" || none.Hex() != "" || none == r.DigestOf(sql("u")) || r.Setup().KeptDigestLength() != 0 {
			t.Errorf("of %d bytes there is %+v", n, none)
		}
	}
	r.Setup().SetKeptDigestLength(defaultKeptDigestLength)
	if d := r.DigestOf(sql("t")); d.Text() != whole.Text() || d.Hex() != whole.Hex() {
		t.Errorf("of %d bytes again the text is %q", r.Setup().KeptDigestLength(), d.Text())
	}
}

// check checks that the cache counts what is in it, and that this is within its bounds.
func (c *digestCache) check(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	n, texts := 0, map[*Digest]int{}
	for i := range c.places {
		if text := c.places[i].Load(); text != nil {
			n += len(text.text) + digestOverhead
			if texts[text.digest]++; texts[text.digest] == 1 {
				n += len(text.digest.tokens)
			}
			if len(text.text) > digestWholeText {
				t.Errorf("the cache keeps a text of %d bytes", len(text.text))
			}
		}
	}
	if n != c.bytes || n > digestBytes {
		t.Errorf("the cache counts %d bytes, and has %d", c.bytes, n)
	}
	if len(texts) != len(c.digests) {
		t.Errorf("the cache counts %d digests, and has %d", len(c.digests), len(texts))
	}
	for d, n := range texts {
		if d.texts != n || c.digests[d.hash] != d {
			t.Errorf("a digest counts %d texts, and has %d", d.texts, n)
		}
	}
}

// testText is one of many statements: short ones, and some as long as size.
func testText(n, size int) string {
	sql := fmt.Sprintf("SELECT a%d FROM t WHERE b = %d", n%5000, n)
	if n%20 == 0 {
		sql += " AND c = '" + strings.Repeat("x", max(size, 0)) + "'"
	}
	return sql
}

func TestDigestCacheIsBounded(t *testing.T) {
	r := NewRegistry()
	for n := range 2 * digestTexts {
		sql := testText(n, n%(2*digestWholeText))
		hash, _ := digest.Compute(sql, DefaultMaxDigestLength, 0)
		if d := r.DigestOf(sql); d.hash != hash {
			t.Fatalf("the digest of %q is of %q", sql, d.Text())
		}
		if n%1000 == 0 {
			r.digests.cache.Load().check(t)
		}
	}
	r.digests.cache.Load().check(t)

	// Only identifiers, so that the cache is full by its bytes.
	for n := range digestTexts * 5 / 8 {
		sql := fmt.Sprint("SELECT a", n) + strings.Repeat(fmt.Sprint(",a", n), 200)
		r.DigestOf(sql)
	}
	c := r.digests.cache.Load()
	c.check(t)
	if c.bytes < digestBytes/2 {
		t.Errorf("the cache keeps %d bytes of %d", c.bytes, digestBytes)
	}
}

// TestDigestCacheKeepsWhatIsUsed: a text that is looked up again and again stays.
func TestDigestCacheKeepsWhatIsUsed(t *testing.T) {
	r := NewRegistry()
	d := r.DigestOf("SELECT used")
	long := "SELECT long_one, '" + strings.Repeat("x", 2*digestWholeText) + "'"
	longDigest := r.DigestOf(long)
	for n := range 2 * digestTexts {
		r.DigestOf(testText(n, 0))
		if r.DigestOf("SELECT used") != d || n%10 == 0 && r.DigestOf(long) != longDigest {
			t.Fatalf("after %d other texts the cache has thrown out one that is used", n)
		}
	}
}

func TestDigestCacheConcurrently(t *testing.T) {
	r := NewRegistry()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(w), 3))
			for range 3000 {
				n := rnd.IntN(2 * digestTexts)
				sql := testText(n, 3*n%digestWholeText)
				hash, _ := digest.Compute(sql, DefaultMaxDigestLength, 0)
				if d := r.DigestOf(sql); d.hash != hash {
					t.Errorf("the digest of %q is of %q", sql, d.Text())
				}
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			r.Setup().SetMaxDigestLength(DefaultMaxDigestLength + 1024)
			r.Setup().SetMaxDigestLength(DefaultMaxDigestLength)
		}
	})
	wg.Wait()
	r.DigestOf("SELECT 1")
	r.digests.cache.Load().check(t)
}

func BenchmarkDigestOf(b *testing.B) {
	short := "SELECT c FROM sbtest1 WHERE id = 4711"
	for _, bench := range []struct{ name, sql string }{
		{"37", short},
		{"1000", short + strings.Repeat(" OR id = 4711", 74)},
		{"10000", short + strings.Repeat(" OR id = 4711", 766)},
	} {
		b.Run("bytes="+bench.name, func(b *testing.B) {
			r := NewRegistry()
			r.DigestOf(bench.sql)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r.DigestOf(bench.sql)
				}
			})
		})
	}
}

// BenchmarkDigestOfNew has a new text each time.
func BenchmarkDigestOfNew(b *testing.B) {
	r := NewRegistry()
	texts := make([]string, 4*digestTexts)
	for n := range texts {
		texts[n] = fmt.Sprint("SELECT c FROM sbtest1 WHERE id = ", n)
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		r.DigestOf(texts[n%len(texts)])
	}
}
