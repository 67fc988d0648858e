package history

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"pfsd/instr"
	"pfsd/tables"
)

// digestBytes is how much memory the collector may take for a digest, with a histogram of one bucket: a third more than docs/history.md says.
const digestBytes = 400

// manyDigests is what a program has that makes its statements of texts: each is another digest.
type manyDigests struct {
	*world
	class *instr.StatementClass
	texts []string
	all   []*instr.Digest
}

func newManyDigests(t testing.TB, n int) *manyDigests {
	m := &manyDigests{world: newWorld(t, t.TempDir(), wide)}
	m.reg.Setup().SetDigestsSize(n + 1) // and the row of those without a row
	m.class = m.reg.NewStatementClass("sql/select")
	for i := range n {
		m.texts = append(m.texts, fmt.Sprintf("SELECT a%d FROM t", i))
		m.all = append(m.all, m.reg.DigestOf(m.texts[i]))
	}
	return m
}

// runEach runs some of the statements once.
func (m *manyDigests) runEach(from, to int) {
	for i := from; i < to; i++ {
		s := m.th.StartStatement(m.class)
		s.SetText(m.texts[i])
		s.SetDigest(m.all[i])
		s.End()
	}
}

// heap is how many bytes of the heap are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// With 100,000 digests each statement is in a bucket, those without a row of their own in the row of others, which says how many they are; and
// the collector takes no more memory than is said.
func TestManyDigests(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 10_000
	}
	m := newManyDigests(t, n)
	m.runEach(0, n) // before the collector knows any
	before := heap()
	m.pass(10 * time.Second)
	took := heap() - before
	t.Logf("%d bytes for each of %d digests", took/int64(n), n)
	if took > int64(n)*digestBytes {
		t.Errorf("the collector takes %d bytes for %d digests, more than %d for each", took, n, digestBytes)
	}
	const statements, what = "statements_by_digest", "BUCKET_START OTHER_KEYS COUNT_STAR"
	counts := func(part string, own, others int) {
		t.Helper()
		want := slices.Repeat([]string{part + "|0|1"}, own)
		if others > 0 {
			want = append(want, fmt.Sprintf("%s|%d|%d", part, others, others))
		}
		start, err := time.Parse(time.TimeOnly, part)
		if err != nil {
			t.Fatal(err)
		}
		at := first.Add(start.Sub(start.Truncate(time.Hour)))
		m.want(statements, what, append(seconds(10), tables.Eq{Column: "BUCKET_START", Value: tables.Time(at)}), want...)
	}
	counts("03:00:00", wide.Keys, n-wide.Keys)
	if got, want := m.Others(), uint64(n-wide.Keys); got != want {
		t.Errorf("%d keys are said to be in rows of others, want %d", got, want)
	}
	m.runEach(0, 10)
	m.pass(10 * time.Second)
	counts("03:00:10", 10, 0)
	m.runEach(0, n)
	m.pass(10 * time.Second)
	counts("03:00:20", wide.Keys, n-wide.Keys)
	m.pass(30 * time.Second) // the minute is over
	counted := 0
	for _, r := range m.rows(statements, "COUNT_STAR", seconds(60)) {
		count, err := strconv.Atoi(r)
		if err != nil {
			t.Fatal(err)
		}
		counted += count
	}
	if want := 2*n + 10; counted != want {
		t.Errorf("the minute has %d statements, want %d", counted, want)
	}
	if m.Lost() != 0 || len(m.said) > 0 {
		t.Errorf("%d buckets lost, %q", m.Lost(), m.said)
	}
}

// Digests make room for others, and come again: each statement is in a bucket once, in the row of its digest or of those without a row.
func TestDigestsThatMakeRoom(t *testing.T) {
	m := newManyDigests(t, 20)
	m.reg.Setup().SetDigestEviction(true)
	m.reg.Setup().SetDigestsSize(6)
	random := rand.New(rand.NewPCG(3, 4))
	ran := 0
	for range 300 {
		for range random.IntN(8) {
			i := random.IntN(20)
			m.runEach(i, i+1)
			ran++
		}
		m.pass(10 * time.Second)
	}
	const statements = "statements_by_digest"
	counted := 0
	for _, r := range m.rows(statements, "COUNT_STAR", finest) {
		n, err := strconv.Atoi(r)
		if err != nil {
			t.Fatal(err)
		}
		counted += n
	}
	if counted != ran {
		t.Errorf("%d statements are in buckets, want %d", counted, ran)
	}
	m.pass(time.Hour)
	m.runEach(0, 1)
	m.runEach(0, 1)
	m.runEach(1, 6) // takes its place
	m.pass(10 * time.Second)
	for range 7 {
		m.runEach(0, 1)
	}
	m.pass(10 * time.Second)
	at := tables.Eq{Column: "BUCKET_START", Value: tables.Time(m.at.Wall.Add(-10 * time.Second))}
	m.want(statements, "DIGEST_TEXT COUNT_STAR", append(seconds(10), at), "SELECT `a0` FROM `t`|7")
}
