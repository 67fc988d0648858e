package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pfsd/engine/workload"
	"pfsd/instr"
)

func TestDefaults(t *testing.T) {
	got := parse(t).Options
	want := Options{
		Addr: "127.0.0.1:3306", MaxConnections: 151, LogErrorVerbosity: 2, HostCacheSize: new(-1), MaxConnectErrors: 100, MaxAllowedPacket: 64 << 20,
		HistorySize: new(-1), HistoryLongSize: new(-1), MaxDigestLength: new(1024), Consumers: map[string]bool{},
		QueryMemoryLimit: -1, ConnectionMemoryLimit: -1, GlobalConnectionMemoryLimit: -1, ProcessorShare: -1, MaxRunningStatements: -1, ShutdownTimeout: 10 * time.Second,
		WorkloadRate: workload.DefaultRate, WorkloadConcurrency: workload.DefaultConcurrency,
		Limits: map[instr.Limit]int{}, Sizes: map[string]int{},
	}
	for _, w := range workSizes {
		if w.def >= w.min {
			want.Sizes[w.name] = w.def
		}
	}
	for l := range instr.LimitCount {
		want.Limits[l] = l.Default()
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestOptions(t *testing.T) {
	tests := []struct {
		args string
		get  func(Options) any
		want any
	}{
		{"--port=0", func(o Options) any { return o.Addr }, "127.0.0.1:0"},
		{"--port 3307", func(o Options) any { return o.Addr }, "127.0.0.1:3307"},
		{"--port=1 --port=2", func(o Options) any { return o.Addr }, "127.0.0.1:2"},
		{"--loose-port=5", func(o Options) any { return o.Addr }, "127.0.0.1:5"},
		{"--bind_address=::1", func(o Options) any { return o.Addr }, "[::1]:3306"},
		{"--bind-address=*", func(o Options) any { return o.Addr }, ":3306"},
		{"--admin-address=::1", func(o Options) any { return o.AdminAddr }, "[::1]:33062"},
		{"--admin-address=localhost --admin-port=5", func(o Options) any { return o.AdminAddr }, "localhost:5"},
		{"--admin-port=5", func(o Options) any { return o.AdminAddr }, ""},
		{"--skip-networking", func(o Options) any { return o.Addr }, "-"},
		{"--skip_networking=0", func(o Options) any { return o.Addr }, "127.0.0.1:3306"},
		{"--socket=s --datadir=/d", func(o Options) any { return o.Socket }, "/d/s"},
		{"--socket=/t/s --datadir=/d", func(o Options) any { return o.Socket }, "/t/s"},
		{"--pid-file=p", func(o Options) any { return o.PidFile }, "p"},
		{"--log-error=e --datadir d", func(o Options) any { return o.LogError }, "d/e"},
		{"--max-allowed-packet=16M", func(o Options) any { return o.MaxAllowedPacket }, int64(16 << 20)},
		{"--max-allowed-packet=1g", func(o Options) any { return o.MaxAllowedPacket }, int64(1 << 30)},
		{"--event-scheduler=OFF", func(o Options) any { return o.EventScheduler }, Off},
		{"--max-connections 1K", func(o Options) any { return o.MaxConnections }, 1024},
		{"--performance-schema-events-waits-history-size -1", func(o Options) any { return *o.HistorySize }, -1},
		{"--performance_schema_events_waits_history_size=0", func(o Options) any { return *o.HistorySize }, 0},
		{"--performance-schema-events-waits-history-long-size=1M", func(o Options) any { return *o.HistoryLongSize }, 1 << 20},
		{"--performance-schema-consumer-events-waits-current", consumer("events_waits_current"), true},
		{"--performance-schema-consumer-events-waits-current=off", consumer("events_waits_current"), false},
		{"--skip-performance-schema-consumer-thread-instrumentation", consumer("thread_instrumentation"), false},
		{"--disable-performance-schema-consumer-statements-digest", consumer("statements_digest"), false},
		{"--enable-performance-schema-consumer-events-statements-cpu", consumer("events_statements_cpu"), true},
		{"--performance-schema=no", consumer("global_instrumentation"), false},
		{"--performance-schema=no --performance-schema-instrument=wait/%=ON", instruments, "%=OFF"},
		{"--performance-schema-instrument=wait/%=ON --performance-schema-instrument wait/synch/%=counted", instruments, "wait/%=ON wait/synch/%=counted"},
		{"--workload=mixed", instruments, "wait/%=ON"},
		{"--workload=mixed", consumer("events_waits_history_long"), true},
		{"--workload=mixed --skip-performance-schema-consumer-events-waits-history-long", consumer("events_waits_history_long"), false},
		{"--workload=mixed --performance-schema-instrument=idle=ON", instruments, "idle=ON"},
		{"--workload=mixed --performance-schema=OFF", consumer("events_waits_current"), false},
		{"--workload-rate=2.5", func(o Options) any { return o.WorkloadRate }, 2.5},
		{"--workload-concurrency=8", func(o Options) any { return o.WorkloadConcurrency }, 8},
	}
	for _, test := range tests {
		if got := test.get(parse(t, strings.Fields(test.args)...).Options); got != test.want {
			t.Errorf("%s: got %v, want %v", test.args, got, test.want)
		}
	}
}

// consumer returns a function that reads one consumer's setting, which is nil if there is none.
func consumer(name string) func(Options) any {
	return func(o Options) any {
		if on, said := o.Consumers[name]; said {
			return on
		}
		return nil
	}
}

func instruments(o Options) any { return strings.Join(o.Instruments, " ") }

func TestActions(t *testing.T) {
	for _, arg := range []string{"--version", "-V"} {
		if line := parse(t, arg); !line.Version || line.Help {
			t.Errorf("%s: got %+v", arg, line)
		}
	}
	for _, arg := range []string{"--help", "-?"} {
		if line := parse(t, arg); !line.Help || line.Version {
			t.Errorf("%s: got %+v", arg, line)
		}
	}
}

func TestLooseUnknownIsAWarning(t *testing.T) {
	line := parse(t, "--loose-innodb_no_such_size=1G", "--port=4")
	want := []string{"ignoring unknown option '--loose-innodb_no_such_size=1G'"}
	if d := cmp.Diff(want, line.Warnings); d != "" || line.Options.Addr != "127.0.0.1:4" {
		t.Error(d, line.Options.Addr)
	}
}

func TestOptionErrors(t *testing.T) {
	tests := []struct{ args, want string }{
		{"--prot=3307", "unknown option '--prot=3307'"},
		{"--skip-port", "unknown option '--skip-port'"},
		{"-p", "unknown option '-p'"},
		{"--", ""},
		{"stop", "unexpected argument 'stop'"},
		{"--port", "option '--port' requires a value"},
		{"--port=", "option '--port': value '' is not a whole number"},
		{"--port=K", "option '--port': value 'K' is not a whole number"},
		{"--port=70000", "option '--port': value '70000' is out of range 0 to 65535"},
		{"--port=-1", "option '--port': value '-1' is out of range 0 to 65535"},
		{"--port=99999999999999999999", "option '--port': value '99999999999999999999' is out of range 0 to 65535"},
		{"--port=-9000000000T", "option '--port': value '-9000000000T' is out of range 0 to 65535"},
		{"--workload-rate=NaN", "option '--workload-rate': value 'NaN' is not a number"},
		{"--workload-rate=-1", "option '--workload-rate': value '-1' is out of range 0 to 100000"},
		{"--workload=idling", "option '--workload': value 'idling' is none of " + strings.Join(workload.Names(), ", ")},
		{"--performance-schema=maybe", "option '--performance-schema': value 'maybe' is neither ON nor OFF"},
		{"--skip-performance-schema=1", "option '--skip-performance-schema' takes no value"},
		{"--help=1", "option '--help' takes no value"},
		{"--port=1 --defaults-file=x", "option '--defaults-file': must come first on the command line"},
		{"--defaults-file", "option '--defaults-file' requires a value"},
		{"--defaults-file=/nowhere/my.cnf", "option file: open /nowhere/my.cnf: no such file or directory"},
		{"--performance-schema-instrument=wait/%", "option '--performance-schema-instrument': value 'wait/%' is not of the form PATTERN=VALUE"},
		{"--performance-schema-instrument==ON", "option '--performance-schema-instrument': value '=ON' has an empty pattern"},
		{"--performance-schema-instrument=wait/%=maybe", "option '--performance-schema-instrument': value 'wait/%=maybe' sets neither ON nor OFF nor COUNTED"},
	}
	for _, test := range tests {
		_, err := ParseCommandLine(strings.Fields(test.args), nil)
		if got := message(err); got != test.want {
			t.Errorf("%s: got %q, want %q", test.args, got, test.want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	file := writeFile(t, "my.cnf", "[pfsd]\nport=1\nmax-connections=1\nsocket=/file\n")
	line, err := ParseCommandLine([]string{"--port=3"}, []string{
		"PFSD_DEFAULTS_FILE=" + file, "PFSD_PORT=2", "PFSD_MAX_CONNECTIONS=2", "PORT=9",
		"PFSD_PERFORMANCE_SCHEMA_INSTRUMENT=wait/%=ON,idle=OFF", "PFSD_SERVICE_HOST=10.0.0.1", "PFSD_RECORD=/tmp", "PFSD_RECORD_HOLDS=1",
	})
	if err != nil {
		t.Fatal(err)
	}
	o := line.Options
	if o.Addr != "127.0.0.1:3" || o.MaxConnections != 2 || o.Socket != "/file" {
		t.Errorf("command line, environment and file in the wrong order: %+v", o)
	}
	if got := instruments(o); got != "wait/%=ON idle=OFF" {
		t.Errorf("instruments %v", got)
	}
	want := []string{"environment variable PFSD_SERVICE_HOST: ignoring unknown option 'PFSD_SERVICE_HOST'"}
	if d := cmp.Diff(want, line.Warnings); d != "" {
		t.Error(d)
	}
	_, err = ParseCommandLine(nil, []string{"PFSD_PORT=tcp://10.0.0.1:3306"})
	if got, want := message(err), "environment variable PFSD_PORT: option '--port': value 'tcp://10.0.0.1:3306' is not a whole number"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestConsumersHaveOptions(t *testing.T) {
	for c := range instr.ConsumerCount {
		got := parse(t, "--performance_schema_consumer_"+c.String()+"=1").Options.Consumers
		if d := cmp.Diff(map[string]bool{c.String(): true}, got); d != "" {
			t.Error(d)
		}
	}
}

func TestApply(t *testing.T) {
	reg := instr.NewRegistry()
	reg.NewMutex("test/early")
	err := Apply(parse(t, "--performance-schema-instrument= wait/synch/% = counted", "--performance-schema-instrument=%/late=ON",
		"--performance-schema-consumer-events-waits-current", "--skip-performance-schema-consumer-statements-digest",
		"--performance-schema-events-waits-history-size=3", "--performance-schema-events-waits-history-long-size=100").Options, reg)
	if err != nil {
		t.Fatal(err)
	}
	reg.NewMutex("test/late") // both patterns match it, and the longer one is used
	for _, name := range []string{"wait/synch/mutex/test/early", "wait/synch/mutex/test/late"} {
		if c := reg.Reader().ClassByName(name); !c.Enabled() || c.Timed() {
			t.Errorf("%s: enabled %v, timed %v", name, c.Enabled(), c.Timed())
		}
	}
	if !reg.Setup().Consumer(instr.ConsumerEventsWaitsCurrent) || reg.Setup().Consumer(instr.ConsumerStatementsDigest) || reg.Setup().Consumer(instr.ConsumerEventsWaitsHistory) {
		t.Error("wrong consumers")
	}
	if reg.Setup().HistorySize(instr.FamilyWaits) != 3 || reg.Setup().HistoryLongSize(instr.FamilyWaits) != 100 {
		t.Errorf("sizes %d, %d", reg.Setup().HistorySize(instr.FamilyWaits), reg.Setup().HistoryLongSize(instr.FamilyWaits))
	}
	bad := Options{Consumers: map[string]bool{"events_waits": true}}
	if got, want := message(Apply(bad, reg)), "unknown consumer 'events_waits'"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOptionsDocumented(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "options.md")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const mark = "<!-- made by: go test ./engine/config -run TestOptionsDocumented -rewrite-docs -->\n"
	head, table, _ := bytes.Cut(old, []byte(mark))
	var b strings.Builder
	b.WriteString("\n| option | default | range | what it is |\n|---|---|---|---|\n")
	for _, o := range options {
		b.WriteString("| `" + strings.ReplaceAll(o.usage(), "|", `\|`) + "` | " + o.def + " | " + o.bounds() + " | " + o.doc + " |\n")
	}
	if *rewrite {
		err := os.WriteFile(file, []byte(string(head)+mark+b.String()), 0o644)
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(b.String(), string(table)); d != "" {
		t.Errorf("docs/options.md is out of date, run with -rewrite-docs:\n%s", d)
	}
}

// For any arguments and variables, there are either options or one line that says why not.
func FuzzParseCommandLine(f *testing.F) {
	for _, args := range []string{
		"--port=3307", "--port\n3307", "--skip-networking", "--performance-schema-instrument=wait/%=ON",
		"--performance-schema-instrument\n%=counted", "--loose-x=1", "--", "-V", "--=", "--workload-rate=1e5",
		"--performance-schema-events-waits-history-size=-1", "--max-allowed-packet=9223372036854775807T",
		"--loose-skip-performance-schema", "--enable-performance-schema=0",
		"--performance-schema-max-mutex-classes=1k", "--performance_schema_accounts_size\n-1", "--performance-schema-max-table-handles=-1",
	} {
		f.Add(args, "PFSD_"+strings.ToUpper(strings.TrimPrefix(args, "--")))
	}
	f.Fuzz(func(t *testing.T, args, variable string) {
		if strings.Contains(args, "defaults") || strings.Contains(strings.ToLower(variable), "defaults") {
			t.Skip("would read files")
		}
		line, err := ParseCommandLine(strings.Split(args, "\n"), []string{variable})
		if (line == nil) == (err == nil) {
			t.Fatalf("got %v and %v", line, err)
		}
		if err != nil {
			return
		}
		o := line.Options
		if o.MaxConnections < 1 || o.MaxAllowedPacket < 1024 || *o.HistorySize < -1 || *o.HistorySize > 1024 ||
			*o.HistoryLongSize < -1 || *o.HistoryLongSize > 1<<20 || o.checkSizes() != nil || !(o.WorkloadRate >= 0) || o.WorkloadConcurrency < 0 {
			t.Errorf("out of range: %+v", o)
		}
		for _, i := range o.Instruments {
			if _, _, err := parseInstrument(i); err != nil {
				t.Error(err)
			}
		}
	})
}
