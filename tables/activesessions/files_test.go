package activesessions

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pfsd/instr"
	"pfsd/tables"
)

// plenty is more bytes than a test writes.
const plenty = 64 << 20

// kept is files in a directory, and what was said of them.
type kept struct {
	*Files
	latest uint64
	said   []string
}

func open(t *testing.T, dir string, size int64) *kept {
	t.Helper()
	k := &kept{}
	class := instr.NewRegistry().NewFileClass("test/samples")
	k.Files, k.latest = OpenFiles(class, dir, size, func(err error) { k.said = append(k.said, err.Error()) })
	t.Cleanup(k.Close)
	return k
}

// silent fails the test if anything was said.
func (k *kept) silent(t *testing.T) {
	t.Helper()
	if len(k.said) > 0 {
		t.Errorf("said: %q", k.said)
	}
}

// rows reads the samples before one.
func (k *kept) rows(before uint64) (all []tables.ActiveSession) {
	scan := k.read(before, fieldsOf(nil))
	for {
		var s tables.ActiveSession
		if !scan.row(&s, func(*decoder) bool { return true }) {
			return all
		}
		all = append(all, s)
	}
}

// randomSample is a sample with at least one row.
func randomSample(random *rand.Rand, sample uint64) (one []tables.ActiveSession) {
	text := func(n int) string {
		if random.IntN(9) == 0 {
			return ""
		}
		return fmt.Sprintf("text %d", random.IntN(n))
	}
	for thread := range uint64(1 + random.IntN(4)) {
		one = append(one, tables.ActiveSession{
			Sample: sample, Time: begin.Add(time.Duration(sample) * time.Second), Thread: thread + 1, Goroutine: random.Uint64() >> random.IntN(64),
			Name: text(3), User: text(9), Host: text(9), Waits: random.IntN(2) == 0, WaitClass: text(5), EventName: text(5), Source: text(50),
			Event: random.Uint64(), Object: random.Uint64(), Waited: random.Uint64(), Timed: random.IntN(2) == 0, ObjectName: text(1000),
			Blocker: random.Uint64(), BlockerSource: text(9), BlockerEvent: text(9), Statement: random.Uint64(), Transaction: random.Uint64(),
			Digest: text(2000), Schema: text(2), Stage: text(7), Trace: text(100000), DigestText: text(2000),
			StatementName: text(3), StageStatement: random.Uint64(), Request: random.Uint64(), RequestName: text(3), RequestDigest: text(9), RequestDigestText: text(9), RequestSchema: text(3),
			BlockerName: text(9), BlockerUser: text(9), BlockerHost: text(9), BlockerDigestText: text(9), BlockerHeld: random.Uint64(), UnbrokenFrom: 1, Weight: 1.25,
		})
	}
	return one
}

// What was added is read again, also after the files were opened anew; the oldest goes when there is too much, and the
// directory stays below its limit.
func TestFiles(t *testing.T) {
	const size = 128 << 10
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	var want []tables.ActiveSession
	k := open(t, dir, size)
	for sample := uint64(1); sample <= 3000; sample++ {
		if sample%700 == 0 { // the process ends, and another one starts
			k.silent(t)
			if k = open(t, dir, size); k.latest != sample-1 {
				t.Fatalf("the latest sample is %d, want %d", k.latest, sample-1)
			}
		}
		one := randomSample(random, sample)
		k.add(one)
		want = append(want, one...)
		total := int64(0)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			total += info.Size()
		}
		if total > size || total != k.total() {
			t.Fatalf("%d bytes on disk, %d counted, the limit is %d", total, k.total(), size)
		}
	}
	k.silent(t)
	got := k.rows(math.MaxUint64)
	if len(got) < 500 || len(got) >= len(want) {
		t.Fatalf("%d rows of %d", len(got), len(want))
	}
	if diff := cmp.Diff(want[len(want)-len(got):], got); diff != "" {
		t.Error(diff)
	}
	for _, r := range k.rows(2950) {
		if r.Sample >= 2950 {
			t.Fatalf("sample %d is not before 2950", r.Sample)
		}
	}
	k.SetSize(0)
	if n, err := os.ReadDir(dir); err != nil || len(n) != 0 {
		t.Errorf("%d files with a limit of 0, %v", len(n), err)
	}
	k.add(randomSample(random, 5000))
	k.SetSize(size)
	k.add(randomSample(random, 5001))
	if got := k.rows(math.MaxUint64); got[0].Sample != 5001 {
		t.Errorf("the first is sample %d", got[0].Sample)
	}
	k.Truncate()
	if n := len(k.rows(math.MaxUint64)); n != 0 {
		t.Errorf("%d rows after TRUNCATE", n)
	}
	k.silent(t)
}

// A file that is cut off at any place, as when the process is killed, has the samples before that place, and the
// next process continues behind them. A byte that is changed hides the samples from there on, and is told once.
func TestDamagedFile(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	dir := t.TempDir()
	k := open(t, dir, plenty)
	ends := []int64{headerBytes} // of records
	var want []tables.ActiveSession
	for sample := uint64(1); sample <= 3; sample++ {
		one := randomSample(random, sample)
		k.add(one)
		want = append(want, one...)
		ends = append(ends, k.total())
	}
	k.Close()
	name := k.name(1)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for at := range whole {
		for _, cut := range []bool{true, false} {
			text := slices.Clone(whole)
			if cut {
				text = text[:at]
			} else {
				text[at] ^= 0x41
			}
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
			k := open(t, dir, plenty)
			i, _ := slices.BinarySearch(ends, int64(at)+1)
			complete := uint64(max(0, i-1))
			got := k.rows(math.MaxUint64)
			expected := []tables.ActiveSession(nil)
			if at >= headerBytes {
				for _, r := range want {
					if r.Sample <= complete {
						expected = append(expected, r)
					}
				}
			}
			if diff := cmp.Diff(expected, got); diff != "" {
				t.Fatalf("byte %d, cut %v: %s", at, cut, diff)
			}
			k.rows(math.MaxUint64)
			// A file that ends where a record does is as if the others had never been written.
			if want := !cut || !slices.Contains(ends, int64(at)); len(k.said) > 1 || (len(k.said) == 1) != want || want && !strings.Contains(k.said[0], name) {
				t.Fatalf("byte %d, cut %v: said %q", at, cut, k.said)
			}
			next := randomSample(random, k.latest+1)
			k.add(next)
			if diff := cmp.Diff(append(expected, next...), k.rows(math.MaxUint64)); diff != "" {
				t.Fatalf("byte %d, cut %v: after one more: %s", at, cut, diff)
			}
			k.Close()
			for _, p := range k.parts {
				if p.first != 1 {
					if err := os.Remove(k.name(p.first)); err != nil {
						t.Fatal(err)
					}
				}
			}
			if after, err := os.ReadFile(name); err != nil || string(after) != string(text) {
				t.Fatalf("byte %d, cut %v: the damaged file has changed, %v", at, cut, err)
			}
		}
	}
}

// Files of others stay as they are, and their names are not used.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	k := open(t, dir, plenty)
	names := []string{k.name(1), k.name(7), k.name(math.MaxUint64), filepath.Join(dir, "notes.txt"), filepath.Join(dir, "samples-3.ash"), filepath.Join(dir, "samples-x.ash")}
	for _, name := range names {
		if err := os.WriteFile(name, []byte("this is not a file of samples"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(k.name(2), 0o700); err != nil {
		t.Fatal(err)
	}
	k = open(t, dir, 1000)
	if len(k.said) != 3 || k.latest != 7 {
		t.Errorf("latest %d, said %q", k.latest, k.said)
	}
	k.said = nil
	random := rand.New(rand.NewPCG(5, 6))
	for sample := k.latest + 1; sample < 200; sample++ {
		k.add(randomSample(random, sample))
	}
	k.silent(t)
	for _, name := range names {
		if text, err := os.ReadFile(name); err != nil || string(text) != "this is not a file of samples" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// A sample that cannot be written is counted and told once, and the next one is written when that is possible
// again.
func TestWriteFails(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "history")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file in the place of the directory
		t.Fatal(err)
	}
	k := open(t, dir, plenty)
	if len(k.said) != 1 {
		t.Errorf("said %q", k.said)
	}
	random := rand.New(rand.NewPCG(7, 8))
	add := func(sample uint64) { k.add(randomSample(random, sample)) }
	for sample := range uint64(3) {
		add(sample + 1)
	}
	if len(k.said) != 2 || k.Lost() != 3 {
		t.Errorf("lost %d, said %q", k.Lost(), k.said)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	add(4)
	add(5)
	_ = k.last.Close() // and so writing fails, in the middle of a file
	add(6)
	add(7)
	_ = k.last.Close()
	add(8) // again, and the file was new
	add(9)
	k.last.Close()
	add(10)
	if k.Lost() != 6 || len(k.said) != 5 || !strings.Contains(k.said[4], "not written") {
		t.Errorf("lost %d, said %q", k.Lost(), k.said)
	}
	var samples []uint64
	for _, r := range k.rows(math.MaxUint64) {
		if n := len(samples); n == 0 || samples[n-1] != r.Sample {
			samples = append(samples, r.Sample)
		}
	}
	if want := []uint64{4, 5, 7, 9}; !slices.Equal(samples, want) {
		t.Errorf("samples %v, want %v", samples, want)
	}
}

// A reader who stands still while files age away reads what is left.
func TestReaderOfOldFiles(t *testing.T) {
	k := open(t, t.TempDir(), 64<<10)
	random := rand.New(rand.NewPCG(9, 10))
	for sample := uint64(1); sample < 1500; sample++ {
		k.add(randomSample(random, sample))
	}
	scan := k.read(math.MaxUint64, fieldsOf(nil))
	var s tables.ActiveSession
	if !scan.row(&s, func(*decoder) bool { return true }) {
		t.Fatal("there is no sample")
	}
	first := s.Sample
	for sample := uint64(1500); sample < 3500; sample++ {
		k.add(randomSample(random, sample))
	}
	latest := first
	for scan.row(&s, func(*decoder) bool { return true }) {
		if s.Sample < latest {
			t.Fatalf("sample %d after %d", s.Sample, latest)
		}
		latest = s.Sample
	}
	if latest >= 1500 {
		t.Errorf("a sample that came after the scan had started: %d", latest)
	}
	k.silent(t)
}

// The table has what is only in files, then what is in memory, and each sample once; a window of time reads no other
// samples.
func TestHistoryWithFiles(t *testing.T) {
	k := open(t, t.TempDir(), plenty)
	s := &Sampler{history: history{size: 64 << 10}}
	s.KeepIn(k.Files, k.latest)
	random := rand.New(rand.NewPCG(11, 12))
	var want []tables.ActiveSession
	for sample := uint64(1); sample <= 2000; sample++ {
		one := randomSample(random, sample)
		s.history.add(one)
		want = append(want, one...)
	}
	if diff := cmp.Diff(want, s.all(nil)); diff != "" {
		t.Error(diff)
	}
	for _, sample := range []uint64{3, 1999} {
		got := s.all(tables.Key{{Column: "SAMPLE_ID", Value: tables.Uint(sample)}, {Column: "THREAD_ID", Value: tables.Uint(1)}})
		if len(got) != 1 || got[0].Sample != sample || got[0].Thread != 1 {
			t.Errorf("sample %d: %+v", sample, got)
		}
	}
	at := func(sample uint64) tables.Value { return tables.Time(begin.Add(time.Duration(sample) * time.Second)) }
	for _, from := range []uint64{5, 1990} {
		got := s.all(tables.Key{{Column: "SAMPLE_TIME", Value: at(from), Bound: tables.AtLeast}, {Column: "SAMPLE_TIME", Value: at(from + 3), Bound: tables.AtMost}})
		if len(got) == 0 || got[0].Sample != from || got[len(got)-1].Sample != from+3 {
			t.Errorf("from %d: %d rows", from, len(got))
		}
	}
	s.history.truncate()
	if n := len(s.all(nil)); n != 0 {
		t.Errorf("%d rows after TRUNCATE", n)
	}
	k.silent(t)
}

// A scan of one column has what a scan of all columns has in it, from files and from memory.
func TestColumns(t *testing.T) {
	k := open(t, t.TempDir(), plenty)
	model := tables.Of(instr.NewRegistry())
	s := New(model)
	defer s.Close()
	s.SetSize(64 << 10)
	s.KeepIn(k.Files, k.latest)
	random := rand.New(rand.NewPCG(15, 16))
	for sample := uint64(1); sample <= 500; sample++ {
		s.history.add(randomSample(random, sample))
	}
	all := tables.All()
	table := all[slices.IndexFunc(all, func(t tables.Table) bool { return t.Name() == "active_session_history" })]
	var columns []int
	for i := range table.Columns() {
		columns = append(columns, i)
	}
	for _, key := range []tables.Key{nil, {{Column: "THREAD_ID", Value: tables.Uint(2)}}} {
		for i, c := range table.Columns() {
			whole, one := table.Scan(model, columns, key), table.Scan(model, []int{i}, key)
			rows := 0
			for ; whole.Advance(); rows++ {
				if !one.Advance() || one.Value(0) != whole.Value(i) {
					t.Fatalf("%s of row %d is %v, want %v", c.Name, rows, one.Value(0), whole.Value(i))
				}
			}
			if one.Advance() || rows < 300 {
				t.Errorf("%s: not %d rows", c.Name, rows)
			}
		}
	}
	k.silent(t)
}

// No text makes the decoder fail otherwise than with an error, or return more than the text has.
func FuzzDecoder(f *testing.F) {
	e := newEncoder()
	random := rand.New(rand.NewPCG(13, 14))
	text := binary.LittleEndian.AppendUint64(magic[:8:8], 1)
	for sample := uint64(1); sample <= 3; sample++ {
		text = e.record(text, randomSample(random, sample))
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		// The sums of records are made right, so that what is in them is read.
		for rest := text; len(rest) > headerBytes+frameBytes; {
			body := rest[headerBytes:]
			n := int(binary.LittleEndian.Uint32(body))
			if n > len(body)-frameBytes {
				break
			}
			binary.LittleEndian.PutUint32(body[4:], crc32.Checksum(body[frameBytes:frameBytes+n], castagnoli))
			rest = rest[frameBytes+n:]
		}
		d, err := newDecoder(text, fieldsOf(nil))
		if err != nil {
			return
		}
		rows := 0
		for {
			ok, err := d.record()
			if err != nil || !ok {
				break
			}
			for s := (tables.ActiveSession{}); ; rows++ {
				if ok, err := d.row(&s); err != nil || !ok {
					break
				}
			}
		}
		if rows > len(text) {
			t.Errorf("%d rows of %d bytes", rows, len(text))
		}
	})
}

// BenchmarkReadFiles reads an hour of 200 active threads, with and without a window of 5 minutes, and two columns of it.
func BenchmarkReadFiles(b *testing.B) {
	files, _ := OpenFiles(instr.NewRegistry().NewFileClass("test/samples"), b.TempDir(), 1<<30, func(err error) { b.Error(err) })
	defer files.Close()
	s := &Sampler{history: history{size: 1, files: files}}
	for sample := range uint64(3600) {
		one := make([]tables.ActiveSession, 200)
		for i := range one {
			one[i] = tables.ActiveSession{
				Sample: sample + 1, Time: begin.Add(time.Duration(sample) * time.Second), Thread: uint64(i) + 50, Goroutine: uint64(i) + 1000, Name: "thread/sql/one_connection", User: "app", Host: "10.0.0.7",
				Waits: true, Timed: true, WaitClass: "wait/io/file", EventName: "wait/io/file/pebble/wal", Source: "store.go:233", Event: sample*1000 + 7, Object: uint64(i) * 64, Waited: sample * 1e9,
				ObjectName: "/var/lib/pfsd/tables/000123.log", Statement: sample*1000 + 3, Digest: fmt.Sprintf("%064x", i%50), Schema: "shop", Stage: "stage/sql/executing", Weight: 1,
			}
		}
		files.add(one)
	}
	for _, read := range []struct {
		name    string
		columns []string
		key     tables.Key
	}{
		{"hour", nil, nil},
		{"columns", []string{"WAIT_CLASS", "DIGEST"}, nil},
		{"window", nil, tables.Key{{Column: "SAMPLE_TIME", Value: tables.Time(begin.Add(time.Hour / 2)), Bound: tables.AtLeast}, {Column: "SAMPLE_TIME", Value: tables.Time(begin.Add(time.Hour/2 + 5*time.Minute)), Bound: tables.AtMost}}},
	} {
		b.Run("read="+read.name, func(b *testing.B) {
			rows := 0
			for b.Loop() {
				rows = 0
				buf := make([]*tables.ActiveSession, 256)
				src := s.history.read(read.key, read.columns)
				for n := src(buf); n > 0; n = src(buf) {
					rows += n
				}
			}
			b.ReportMetric(float64(rows), "rows")
			b.ReportMetric(float64(files.total())/float64(3600*200), "bytes/row")
		})
	}
}
