package history

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"pfsd/instr"
	"pfsd/tables"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("HISTORY_TEST_CHILD"); dir != "" {
		writeUntilKilled(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

var wide = Limits{Fine: 3600, Minutes: 24 * 3600, Hours: 30 * 24 * 3600, Bytes: 64 << 20, Keys: 100}

// first is when the tests begin: the start of an hour.
var first = time.Date(2026, 11, 28, 3, 0, 0, 0, time.UTC)

// world is a program with a collector, whose clocks the test sets.
type world struct {
	t    testing.TB
	reg  *instr.Registry
	th   *instr.Thread
	dir  string
	said []string
	*Store
	*Collector
	at Moment
}

func newWorld(t testing.TB, dir string, limits Limits) *world {
	w := &world{t: t, reg: instr.NewRegistry(), dir: dir, at: Moment{Wall: first}}
	w.th = w.reg.Attach("test/worker")
	t.Cleanup(w.th.Detach)
	w.open(limits)
	t.Cleanup(func() { w.end() })
	return w
}

func (w *world) open(limits Limits) {
	w.Store = Open(w.reg, w.dir, limits, func(err error) { w.said = append(w.said, err.Error()) })
	w.Collector = New(tables.Of(w.reg), w.Store)
	w.Take(w.at)
}

func (w *world) end() {
	w.Collector.Close()
	if err := w.Store.Close(); err != nil {
		w.t.Error(err)
	}
}

// run runs statements of one digest, the number of which is how many columns it reads.
func (w *world) run(digest, times int) {
	text := "SELECT " + strings.Repeat("a, ", digest) + "b FROM t"
	for range times {
		s := w.th.StartStatement(w.reg.NewStatementClass("sql/select"))
		s.SetText(text)
		s.SetSchema("db")
		s.SetDigest(w.reg.DigestOf(text))
		s.Add(instr.RowsSent, 2)
		s.End()
	}
}

// pass has both clocks go on, and ends the bucket.
func (w *world) pass(d time.Duration) {
	w.at.Wall, w.at.Uptime = w.at.Wall.Add(d), w.at.Uptime+d
	w.Take(w.at)
}

// place is the place of a table.
func place(name string) int {
	return slices.IndexFunc(tables.HistoryTables(), func(h *tables.HistoryTable) bool { return h.Name == name })
}

// rows are some columns of the rows of a table that match key, as texts.
func (w *world) rows(table, columns string, key tables.Key) (all []string) {
	h := tables.HistoryTables()[place(table)]
	var cols []int
	for name := range strings.SplitSeq(columns, " ") {
		cols = append(cols, slices.IndexFunc(h.Table().Columns(), func(c tables.ColumnInfo) bool { return c.Name == name }))
	}
	values := make([]tables.Value, len(cols))
	for c := h.Table().Scan(tables.Of(w.reg), cols, key); c.Next(values); {
		var line []string
		for _, v := range values {
			switch {
			case v.IsNull():
				line = append(line, "NULL")
			case v.IsText():
				line = append(line, v.Str())
			case v.IsTime():
				line = append(line, v.Time().Format(time.TimeOnly))
			case v.IsDouble():
				line = append(line, fmt.Sprint(v.Float()))
			default:
				line = append(line, fmt.Sprint(int64(v.Bits())))
			}
		}
		all = append(all, strings.Join(line, "|"))
	}
	return all
}

func (w *world) want(table, columns string, key tables.Key, want ...string) {
	w.t.Helper()
	got := w.rows(table, columns, key)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		w.t.Errorf("%s of %s: %s", columns, table, diff)
	}
}

func seconds(n uint64) tables.Key {
	return tables.Key{{Column: "BUCKET_SECONDS", Value: tables.Uint(n)}}
}

var finest = tables.Key{{Column: "FINEST", Value: tables.Text("YES")}}

// A bucket has what was counted in it; minutes and hours have the sums; and a restart in the middle loses nothing.
func TestBuckets(t *testing.T) {
	w := newWorld(t, t.TempDir(), wide)
	const statements, what = "statements_by_digest", "BUCKET_START BUCKET_SECONDS MEASURED_SECONDS FINEST OTHER_KEYS SCHEMA_NAME DIGEST_TEXT COUNT_STAR SUM_ROWS_SENT"
	w.run(0, 3)
	w.pass(10 * time.Second)
	w.pass(10 * time.Second)
	w.run(0, 1)
	w.run(1, 1)
	w.pass(5 * time.Second)
	w.want(statements, what, nil,
		"03:00:00|10|10|YES|0|db|SELECT `b` FROM `t`|3|6", "03:00:20|10|5|YES|0|db|SELECT `a` , `b` FROM `t`|1|2", "03:00:20|10|5|YES|0|db|SELECT `b` FROM `t`|1|2")
	for _, r := range w.rows(statements, "SUM_TIMER_WAIT MAX_TIMER_WAIT QUANTILE_99 HISTOGRAM", nil) {
		if strings.Contains(r, "NULL") || strings.HasPrefix(r, "0") {
			t.Errorf("times %s", r)
		}
	}
	w.end()
	w.open(wide)
	w.run(0, 2)
	w.pass(5 * time.Second)
	w.pass(30 * time.Second)
	w.want(statements, "BUCKET_START MEASURED_SECONDS DIGEST_TEXT COUNT_STAR", seconds(60),
		"03:00:00|25|SELECT `a` , `b` FROM `t`|1", "03:00:00|25|SELECT `b` FROM `t`|4", "03:00:00|35|SELECT `b` FROM `t`|2")
	w.want(statements, "BUCKET_START COUNT_STAR", seconds(3600), "03:00:00|1", "03:00:00|4") // that of the first run is over
	w.pass(time.Hour)
	w.want(statements, "BUCKET_START MEASURED_SECONDS FINEST DIGEST_TEXT COUNT_STAR", seconds(3600),
		"03:00:00|25|NO|SELECT `a` , `b` FROM `t`|1", "03:00:00|25|NO|SELECT `b` FROM `t`|4", "03:00:00|3635|NO|SELECT `b` FROM `t`|2")
	w.want(statements, "BUCKET_SECONDS FINEST COUNT_STAR", finest, "60|YES|1", "60|YES|2", "60|YES|4") // those of ten seconds are too old
	window := tables.Key{{Column: "BUCKET_START", Value: tables.Time(first.Add(time.Minute)), Bound: tables.AtLeast}}
	w.want(statements, what, window)
	w.Truncate(place(statements))
	w.want(statements, what, nil)
	if len(w.said) > 0 {
		t.Errorf("said %q", w.said)
	}
}

// Over hours of statements, restarts, clocks that are set and summaries that are emptied, each statement is in the finest buckets
// once, in each bucket a key is once, and as much time was measured as passed.
func TestEverythingOnce(t *testing.T) {
	const statements = "statements_by_digest"
	random := rand.New(rand.NewPCG(1, 2))
	w := newWorld(t, t.TempDir(), wide)
	ran, passed := 0, time.Duration(0)
	for range 2000 {
		for range random.IntN(3) {
			n := 1 + random.IntN(3)
			w.run(random.IntN(5), n)
			ran += n
		}
		d := time.Duration(1+random.IntN(15)) * time.Second
		passed += d
		switch random.IntN(100) {
		case 0:
			w.pass(0)
			w.end()
			w.open(wide)
		case 1:
			w.at.Wall = w.at.Wall.Add(-time.Duration(random.IntN(300)) * time.Second)
		case 2:
			w.at.Wall = w.at.Wall.Add(time.Duration(random.IntN(300)) * time.Second)
		case 3:
			w.pass(0)
			tables.Of(w.reg).TruncateDigests()
		case 4:
			w.SetInterval(int64(1 + random.IntN(30)))
		}
		w.pass(d)
	}
	total := 0
	for _, r := range w.rows(statements, "COUNT_STAR", finest) {
		var n int
		_, _ = fmt.Sscan(r, &n)
		if n <= 0 {
			t.Fatalf("a count of %s", r)
		}
		total += n
	}
	if total != ran {
		t.Errorf("%d statements in the buckets, %d ran", total, ran)
	}
	all := w.rows(statements, "BOOT_ID BUCKET_SECONDS BUCKET_START DIGEST", nil)
	if slices.Sort(all); len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Error("a key is twice in a bucket")
	}
	measured, seen := 0.0, map[string]bool{}
	for _, r := range w.rows("memory_by_event_name", "BOOT_ID BUCKET_SECONDS BUCKET_START MEASURED_SECONDS", finest) { // something is allocated in each
		if seen[r] {
			continue
		}
		seen[r] = true
		var n float64
		_, _ = fmt.Sscan(r[strings.LastIndexByte(r, '|')+1:], &n)
		measured += n
	}
	if measured < 0.95*passed.Seconds() || measured > passed.Seconds() {
		t.Errorf("%v seconds measured of %v", measured, passed)
	}
	if len(w.said) > 0 || w.Lost() > 0 {
		t.Errorf("said %q, lost %d", w.said, w.Lost())
	}
}

// TRUNCATE of a summary makes no negative numbers, and a longest time from before it does not count.
func TestEmptiedSummary(t *testing.T) {
	w := newWorld(t, "", wide)
	w.run(0, 5)
	w.pass(10 * time.Second)
	tables.Of(w.reg).TruncateDigests() // which nobody tells the collector
	w.run(0, 2)
	w.pass(10 * time.Second)
	w.want("statements_by_digest", "COUNT_STAR SUM_ROWS_SENT", nil, "5|10", "2|4")
	w.run(0, 3)
	after := w.aroundTruncate(w.at)
	tables.Of(w.reg).TruncateDigests()
	after()
	w.run(0, 7) // more than before
	w.pass(10 * time.Second)
	w.want("statements_by_digest", "COUNT_STAR SUM_ROWS_SENT", nil, "5|10", "2|4", "10|20")
	if got, want := subtract([]tables.TimeCount{{Bucket: 3, Count: 4}, {Bucket: 5, Count: 2}}, []tables.TimeCount{{Bucket: 3, Count: 4}, {Bucket: 5, Count: 1}}), []tables.TimeCount{{Bucket: 5, Count: 1}}; !slices.Equal(got, want) {
		t.Errorf("difference %v, want %v", got, want)
	}
	for _, before := range [][]tables.TimeCount{{{Bucket: 3, Count: 5}}, {{Bucket: 2, Count: 1}}, {{Bucket: 7, Count: 1}}} {
		now := []tables.TimeCount{{Bucket: 3, Count: 4}, {Bucket: 5, Count: 2}}
		if got := subtract(now, before); !slices.Equal(got, now) {
			t.Errorf("difference to %v: %v", before, got)
		}
	}
}

// The keys with the most time have a row, all others one together, which is counted.
func TestOthers(t *testing.T) {
	limits := wide
	limits.Keys = 3
	w := newWorld(t, "", limits)
	for digest := range 10 {
		w.run(digest, 1+digest)
	}
	w.pass(10 * time.Second)
	rows := w.rows("statements_by_digest", "OTHER_KEYS DIGEST COUNT_STAR", nil)
	if len(rows) != 4 || !strings.HasPrefix(rows[3], "7|NULL|") {
		t.Fatalf("rows %q", rows)
	}
	count := func() (total int) {
		for _, r := range w.rows("statements_by_digest", "COUNT_STAR", finest) {
			var n int
			_, _ = fmt.Sscan(r, &n)
			total += n
		}
		return total
	}
	if n := count(); n != 55 || w.Others() < 7 {
		t.Errorf("%d statements, %d keys without a row", n, w.Others())
	}
	w.run(0, 1)
	w.pass(50 * time.Second)
	minutes := w.rows("statements_by_digest", "OTHER_KEYS COUNT_STAR", seconds(60))
	if n := len(minutes); n < 3 || n > 4 || count() != 56 {
		t.Errorf("minutes %q", minutes)
	}
}

// What is too much goes, the oldest first, and the texts with it.
func TestTooMuch(t *testing.T) {
	limits := wide
	limits.Bytes = 64 << 10
	w := newWorld(t, t.TempDir(), limits)
	for range 3 * 24 * 12 {
		for digest := range 5 {
			w.run(digest, 1)
		}
		w.pass(5 * time.Minute)
		if w.size > limits.Bytes {
			t.Fatalf("%d bytes", w.size)
		}
	}
	if len(w.days) > 2 {
		t.Errorf("texts of %d days", len(w.days))
	}
	size := w.size
	w.end()
	w.open(limits)
	if w.size > size || w.size < size/2 {
		t.Errorf("%d bytes after a restart, %d before", w.size, size)
	}
	starts := w.rows("statements_by_digest", "BUCKET_SECONDS", finest)
	if len(starts) < 5 {
		t.Errorf("finest %q", starts)
	}
	for table := range w.index {
		w.Truncate(table)
	}
	w.pass(48 * time.Hour)
	w.pass(time.Second)
	if w.size > 8<<10 {
		t.Errorf("%d bytes of nothing", w.size)
	}
	if len(w.said) > 0 {
		t.Errorf("said %q", w.said)
	}
}

// full is a medium that has no room.
type full struct {
	medium
	err error
}

func (f *full) apply(b *batch) error {
	if f.err != nil {
		return f.err
	}
	return f.medium.apply(b)
}

// Buckets that cannot be written are counted and told once, and later ones are written again.
func TestWriteFails(t *testing.T) {
	w := newWorld(t, "", wide)
	f := &full{medium: w.medium, err: errors.New("no room")}
	w.medium = f
	for range 3 {
		w.run(0, 1)
		w.pass(10 * time.Second)
	}
	if w.Lost() < 3 || len(w.said) != 1 || !strings.Contains(w.said[0], "no room") {
		t.Errorf("lost %d, said %q", w.Lost(), w.said)
	}
	w.want("statements_by_digest", "COUNT_STAR", nil)
	f.err = nil
	w.run(0, 2)
	w.pass(10 * time.Second)
	w.want("statements_by_digest", "BUCKET_START COUNT_STAR DIGEST_TEXT", nil, "03:00:30|2|SELECT `b` FROM `t`")
	if lost := w.Lost(); lost != w.Lost() || len(w.said) != 1 {
		t.Errorf("lost %d, said %q", lost, w.said)
	}
}

// A directory that is no store stays as it is, and the buckets are in memory.
func TestForeignDirectory(t *testing.T) {
	for _, file := range []string{"FORMAT", "notes.txt", "pebble/CURRENT"} {
		dir := t.TempDir()
		path := filepath.Join(dir, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("what is this"), 0o600)); err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, dir, wide)
		w.run(0, 1)
		w.pass(10 * time.Second)
		w.want("statements_by_digest", "COUNT_STAR", nil, "1")
		if text, err := os.ReadFile(path); err != nil || string(text) != "what is this" || len(w.said) != 1 {
			t.Errorf("%s: %q, %v; said %q", file, text, err, w.said)
		}
	}
}

// A scan that goes on while its buckets are removed, and the store is closed, leaves them out.
func TestReaderOfOldBuckets(t *testing.T) {
	w := newWorld(t, t.TempDir(), wide)
	for range 200 {
		w.run(0, 1)
		w.pass(10 * time.Second)
	}
	h := tables.HistoryTables()[0]
	for _, close := range []bool{false, true} {
		rows := h.Table().Scan(tables.Of(w.reg), []int{0}, nil)
		if !rows.Advance() {
			t.Fatal("no rows")
		}
		if close {
			w.end()
		} else {
			w.pass(3 * time.Hour)
		}
		n := 1
		for rows.Advance() {
			n++
		}
		if n > 100 {
			t.Errorf("%d rows", n)
		}
	}
	if len(w.said) > 0 {
		t.Errorf("said %q", w.said)
	}
	w.open(wide)
}

// writeUntilKilled writes a bucket, says so, and goes on.
func writeUntilKilled(dir string) {
	s := Open(instr.NewRegistry(), dir, wide, func(err error) { fmt.Println(err) })
	for i := int64(0); ; i++ {
		all := make([]*bucket, len(tables.HistoryTables()))
		for table, h := range tables.HistoryTables() {
			all[table] = &bucket{rows: []row{{key: string(appendKey(nil, tables.Text("k"))), sums: make([]uint64, len(h.Sums)), latest: make([]uint64, len(h.Latest))}}}
		}
		s.Add(first.Unix()+10*i, 10, 10*time.Second, all, func(string) string { return "" })
		if i%100 == 0 {
			if err := errors.Join(s.Forget("last"), s.Keep(tables.WaitsSnapshot{Name: "last", Waits: []tables.SnapshotWait{{Event: fmt.Sprint(i)}}})); err != nil {
				fmt.Println(err)
			}
		}
		fmt.Println(i)
	}
}

// What a process has written is there after it was killed.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	total := 0
	for range 3 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "HISTORY_TEST_CHILD="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for i := 0; i < 500 && lines.Scan(); i++ {
			if lines.Text() != fmt.Sprint(i) {
				t.Fatalf("the child says %s", lines.Text())
			}
		}
		_ = child.Process.Kill()
		_ = child.Wait()
		total += 500
		s := Open(instr.NewRegistry(), dir, wide, func(err error) { t.Error(err) })
		n := 0
		for _, list := range s.index[3] {
			n += len(list)
		}
		if n < total {
			t.Errorf("%d buckets, %d were written", n, total)
		}
		total = n
		if waits := s.SnapshotWaits("last"); len(s.Snapshots()) > 1 || len(waits) > 1 || len(waits) == 1 && waits[0].Event < "4" {
			t.Errorf("snapshots %v, waits %v", s.Snapshots(), waits)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A bucket that is cut off or changed is refused or read, and nothing worse.
func FuzzDecode(f *testing.F) {
	h := tables.HistoryTables()[0]
	b := &bucket{measured: time.Second, rows: []row{{key: "k", sums: make([]uint64, len(h.Sums)), times: []tables.TimeCount{{Bucket: 3, Count: 4}, {Bucket: 70, Count: 1}}, max: 7, hasMax: true}}}
	f.Add(b.append(nil))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, h := range tables.HistoryTables() {
			b, err := decode(h, text)
			if err != nil {
				continue
			}
			if again, err := decode(h, b.append(nil)); err != nil || len(again.rows) != len(b.rows) {
				t.Errorf("%v, %d rows of %d", err, len(again.rows), len(b.rows))
			}
			for _, r := range b.rows {
				parseKey([]byte(r.key), len(h.Keys))
			}
		}
	})
}
