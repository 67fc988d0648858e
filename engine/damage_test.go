package engine

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pfsd/instr"
	"pfsd/tables"
)

// serverFiles are the kinds of files in a data directory and a history directory. content is false for what holds nothing that somebody has
// written: locks, logs for people, room that is kept free, and names without contents.
var serverFiles = []struct {
	path    string // a regular expression
	content bool
}{
	{`accounts\.json`, true},
	{`mysqld-auto\.cnf`, true},
	{`auto\.cnf`, true},
	{`(ca|server-cert|client-cert|server-key|client-key|ca-key)\.pem`, false}, // the form of others; keys that do not fit are refused
	{`(slow|general)_log\.jsonl`, true},
	{`history/samples-\d+\.ash`, true},
	{`(tables|history/buckets)/FORMAT`, true},
	{`(tables|history/buckets)/log/\d+\.log`, true},
	{`(tables|history/buckets)/pebble/MANIFEST-\d+`, true},
	{`(tables|history/buckets)/pebble/OPTIONS-\d+`, true},
	{`(tables|history/buckets)/pebble/\d+\.sst`, true},
	{`(tables|history/buckets)/pebble/\d+\.log`, false}, // empty: the log is beside it
	{`(tables|history/buckets)/pebble/(LOCK|marker\..*)`, false},
	{`tables/BALLAST`, false},
	{`pfsd\.lock|pid|.*\.pid|error\.log|.*-slow\.log`, false},
}

// damages change a file's text at a place.
var damages = map[string]func(text []byte, at int, random *rand.Rand) []byte{
	"flip": func(text []byte, at int, random *rand.Rand) []byte { text[at] ^= 1 << random.IntN(8); return text },
	"cut":  func(text []byte, at int, _ *rand.Rand) []byte { return text[:at] },
	"digit": func(text []byte, at int, _ *rand.Rand) []byte { // the form stays right: only a checksum can tell
		for i := range text {
			if c := &text[(at+i)%len(text)]; *c >= '0' && *c <= '9' {
				*c = '0' + (*c-'0'+1)%10
				break
			}
		}
		return text
	},
	"insert": func(text []byte, at int, random *rand.Rand) []byte {
		return slices.Insert(text, at, fmt.Append(nil, random.Uint64())...)
	},
	"remove": func(text []byte, at int, random *rand.Rand) []byte {
		return slices.Delete(text, at, min(len(text), at+1+random.IntN(100)))
	},
}

// Whatever is changed in a file that the server has written, the next start refuses it by name, or its log names the file or what it keeps,
// or everything is there as it was.
func TestDamageIsNoticed(t *testing.T) {
	whole := t.TempDir()
	variables := map[string]string{"log_output": "TABLE", "slow_query_log": "ON", "long_query_time": "0", "history_buckets_interval": "1"}
	r := serve(t, Options{DataDir: whole, Variables: variables}, tables.All()...)
	r.exec(t, "CREATE USER u IDENTIFIED BY 'x'")
	r.exec(t, "SET PERSIST max_connections = 99")
	r.exec(t, "CREATE TABLE test.t (a INT PRIMARY KEY, b VARCHAR(2000), INDEX (b(10)))")
	for i := range 20 {
		r.exec(t, fmt.Sprintf("INSERT INTO test.t VALUES (%d, REPEAT('row %d', 100))", i, i))
	}
	thread := r.reg.Attach("test/worker")
	for i := range 5 {
		statement := thread.StartStatement(r.reg.NewStatementClass("sql/select"))
		statement.SetText(fmt.Sprintf("SELECT %d", i))
		sampled := make(chan struct{})
		go func() { // a sample leaves its own thread out
			defer close(sampled)
			r.sampler.Sample(time.Now().Add(time.Duration(i)*time.Second), time.Second)
		}()
		<-sampled
		statement.End()
	}
	thread.Detach()
	_ = r.db.Close()
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	again := serve(t, Options{DataDir: whole, Variables: variables}, tables.All()...) // flushes the log into tables
	for i := range 20 {
		again.exec(t, fmt.Sprintf("INSERT INTO test.t VALUES (%d, REPEAT('more %d', 100))", 100+i, i))
	}
	_ = again.db.Close()
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
	want, said := readBack(t, whole, variables)
	for stopped := time.Now(); time.Since(stopped) < 2*time.Second; { // the last bucket of a second is shown when that is over
		want, said = readBack(t, whole, variables)
	}
	if said != "" || len(want) < 6 {
		t.Fatalf("without damage there are %d parts, and %s", len(want), said)
	}
	for part, text := range want {
		if text == "" || strings.Contains(text, "error") {
			t.Errorf("without damage %s is %q", part, text)
		}
	}
	random := rand.New(rand.NewPCG(3, 1))
	kinds := map[int]bool{}
	err := filepath.WalkDir(whole, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(whole, path)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(serverFiles, func(f struct {
			path    string
			content bool
		}) bool {
			return regexp.MustCompile("^(" + f.path + ")$").MatchString(filepath.ToSlash(name))
		})
		if at < 0 {
			t.Errorf("%s is a file of no known kind", name)
			return nil
		}
		kinds[at] = true
		text, err := os.ReadFile(path)
		if err != nil || !serverFiles[at].content || len(text) == 0 {
			return err
		}
		used := len(bytes.TrimRight(text, "\x00"))
		for _, how := range slices.Sorted(maps.Keys(damages)) {
			place := random.IntN(used)
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				return err
			}
			damaged := damages[how](bytes.Clone(text), place, random)
			if err := os.WriteFile(filepath.Join(dir, name), damaged, 0o600); err != nil {
				return err
			}
			got, said := readBack(t, dir, variables)
			part := filepath.Base(name)
			if strings.Contains(name, "pebble") { // Pebble names the directory, or the number of the file
				part = filepath.Base(filepath.Dir(filepath.Dir(name)))
			}
			if !maps.Equal(got, want) && !strings.Contains(said, part) {
				for key := range want {
					if got[key] != want[key] {
						t.Errorf("%s, %s at %d of %d: %s is %.200q, not %.200q, and the log has only %q", name, how, place, len(text), key, got[key], want[key], said)
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range serverFiles {
		if f.content && !kinds[i] {
			t.Errorf("there is no file %s", f.path)
		}
	}
}

// readBack starts a server, and returns what is kept, by its kind, and the errors and warnings about files that the start or the log has.
func readBack(t *testing.T, dir string, variables map[string]string) (parts map[string]string, said string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	variables = maps.Clone(variables)
	variables["slow_query_log"], variables["history_buckets"], variables[failedThreshold] = "OFF", "OFF", "0"
	o := Options{Addr: "127.0.0.1:0", DataDir: dir, Registry: instr.NewRegistry(), LogError: log, InitializeInsecure: true, Variables: variables, ProcessorShare: -1, MaxRunningStatements: -1}
	s, err := newServer(o, tables.All())
	if err != nil {
		return nil, err.Error()
	}
	r := serving(t, s)
	r.db = r.open(t, "")
	parts = map[string]string{}
	for name, query := range map[string]string{
		"accounts":  "SELECT user, host, authentication_string FROM mysql.user ORDER BY user, host",
		"persisted": "SELECT * FROM performance_schema.persisted_variables",
		"uuid":      "SELECT @@server_uuid",
		"rows":      "SELECT * FROM test.t ORDER BY a",
		"index":     "SELECT COUNT(b) FROM test.t FORCE INDEX (b) WHERE b > ''",
		"slow":      "SELECT start_time, sql_text FROM mysql.slow_log",
		"samples":   "SELECT SAMPLE_ID, SAMPLE_TIME, THREAD_ID, NAME, DIGEST_TEXT FROM performance_schema.active_session_history WHERE SAMPLE_TIME < '2000-01-01' OR STATE <> ''",
		"history":   "SELECT COUNT(*), SUM(COUNT_STAR) FROM history.statements_by_digest",
	} {
		rows, err := r.db.Query(query)
		if err != nil {
			parts[name] = "error " + code(err)
			continue
		}
		columns, _ := rows.Columns()
		values := make([]any, len(columns))
		texts := make([]*string, len(columns))
		for i := range values {
			values[i] = &texts[i]
		}
		var b strings.Builder
		for rows.Next() {
			if err := rows.Scan(values...); err != nil {
				t.Fatal(err)
			}
			for _, text := range texts {
				if text != nil {
					b.WriteString(*text)
				}
				b.WriteByte('|')
			}
			b.WriteByte('\n')
		}
		if err := rows.Err(); err != nil {
			fmt.Fprintf(&b, "error %s", code(err))
		}
		parts[name] = b.String()
	}
	_ = r.db.Close()
	_ = r.stop()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if (strings.Contains(line, "[Warning]") || strings.Contains(line, "[ERROR]")) && !strings.Contains(line, "self signed") && !strings.Contains(line, "empty password") && !strings.Contains(line, "Insecure configuration") {
			said += line
		}
	}
	return parts, said
}
