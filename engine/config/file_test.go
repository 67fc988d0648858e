package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pfsd/engine/workload"
)

// writeFile makes a file in the test's directory and returns its path.
func TestOptionFile(t *testing.T) {
	file := writeFile(t, "my.cnf", "\uFEFF"+`# a comment
; and another
[client]
port = nonsense that is not ours
[mysqld]
port=3307
  max_connections   =   7   # in the middle
socket = "/tmp/a # b.sock"
[ server ]
skip-networking
loose_innodb_no_such_size=1G
[mysqld_safe]
nice=1
[pfsd]
datadir='C:\\data\s\x\t'
performance-schema-instrument='wait/%=ON'
performance-schema-instrument = idle=off
`+"pid-file=/p\r\nlog-error=\r\n")
	line, err := ParseCommandLine([]string{"--defaults-file=" + file, "--skip-networking=OFF"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := ParseCommandLine(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Options{
		Limits: plain.Options.Limits, Sizes: plain.Options.Sizes, // the defaults
		Addr: "127.0.0.1:3307", Socket: "/tmp/a # b.sock", DataDir: "C:\\data \\x\t", PidFile: "/p",
		MaxConnections: 7, LogErrorVerbosity: 2, HostCacheSize: new(-1), MaxConnectErrors: 100, MaxAllowedPacket: 64 << 20, HistorySize: new(-1), HistoryLongSize: new(-1), MaxDigestLength: new(1024),
		Instruments: []string{"wait/%=ON", "idle=off"}, Consumers: map[string]bool{},
		QueryMemoryLimit: -1, ConnectionMemoryLimit: -1, GlobalConnectionMemoryLimit: -1, ProcessorShare: -1, MaxRunningStatements: -1, ShutdownTimeout: 10 * time.Second,
		WorkloadRate: workload.DefaultRate, WorkloadConcurrency: workload.DefaultConcurrency,
	}
	want.Origins = line.Options.Origins
	if d := cmp.Diff(want, line.Options); d != "" {
		t.Error(d)
	}
	warning := []string{file + ":11: ignoring unknown option 'loose_innodb_no_such_size=1G'"}
	if d := cmp.Diff(warning, line.Warnings); d != "" {
		t.Error(d)
	}
}

func TestOptionFileIncludes(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"my.cnf":      "!include " + dir + "/one.inc\n[mysqld]\nport=2\n!includedir\t" + dir + "/d\nmax-connections=9\n",
		"one.inc":     "[mysqld]\nport=1\nsocket=/one\n",
		"d/b.cnf":     "[mysqld]\nport=4\n",
		"d/a.cnf":     "[mysqld]\nport=3\nmax-connections=3\n",
		"d/other.txt": "nonsense",
		"loop.cnf":    "!include " + dir + "/loop.cnf\n",
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := parse(t, "--defaults-file", dir+"/my.cnf").Options
	if o.Addr != "127.0.0.1:4" || o.Socket != "/one" || o.MaxConnections != 9 {
		t.Errorf("got %+v", o)
	}
	_, err := ParseCommandLine([]string{"--defaults-file=" + dir + "/loop.cnf"}, nil)
	if got, want := message(err), dir+"/loop.cnf:1: includes are more than 10 deep"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOptionFileErrors(t *testing.T) {
	tests := []struct{ content, want string }{
		{"port=1", ":1: option 'port=1' stands before any [group]"},
		{"[mysqld\nport=1", ":1: group '[mysqld' lacks its ]"},
		{"[mysqld]\n\nprot = 1", ":3: unknown option 'prot = 1'"},
		{"[mysqld]\nport=70000", ":2: option '--port': value '70000' is out of range 0 to 65535"},
		{"[mysqld]\nport", ":2: option '--port' requires a value"},
		{"[mysqld]\n=1", ":2: unknown option '=1'"},
		{"[mysqld]\n--port=1", ":2: unknown option '--port=1'"},
		{"[mysqld]\ndefaults-file=x", ":2: option '--defaults-file': must come first on the command line"},
		{"[mysqld]\nperformance-schema-instrument='%'", ":2: option '--performance-schema-instrument': value '%' is not of the form PATTERN=VALUE"},
		{"!import x", ":1: bad directive '!import x'"},
		{"!include", ":1: bad directive '!include'"},
		{"\n!include /nowhere/x.cnf", ":2: option file: open /nowhere/x.cnf: no such file or directory"},
		{"!includedir /nowhere", ":1: option directory: open /nowhere: no such file or directory"},
	}
	for _, test := range tests {
		file := writeFile(t, "my.cnf", test.content)
		_, err := ParseCommandLine([]string{"--defaults-file=" + file}, nil)
		if got := message(err); got != file+test.want {
			t.Errorf("%q: got %q, want %q", test.content, got, file+test.want)
		}
	}
}

// Any content either parses or is refused with an error that names the line. A quoted value is read
// unchanged.
func FuzzOptionFile(f *testing.F) {
	f.Add("[mysqld]\nport=3307\n", "3307")
	f.Add("# c\n[pfsd]\nsocket = '/tmp/x' # c\nskip-networking\n", `C:\new\table # "x"`)
	f.Add("[mysqld\n", "\t\b\r\n ")
	f.Add("!include x\n!includedir y\n", `\`)
	f.Add("port\n", `"'`)
	f.Add("[mysqld]\r\nport='\\", `it's`)
	f.Fuzz(func(t *testing.T, content, value string) {
		as, err := parseOptionFile("f", content)
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%q does not name its line", err)
		}
		for _, a := range as {
			if !strings.HasPrefix(a.origin, "f:") || strings.Contains(a.text, "\n") {
				t.Errorf("assignment %+v", a)
			}
		}
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(value)
		as, err = parseOptionFile("f", "[pfsd]\nsocket = \""+quoted+"\" # comment")
		if err != nil || len(as) != 1 || as[0].value != value {
			t.Errorf("%q was read as %+v, %v", value, as, err)
		}
	})
}
