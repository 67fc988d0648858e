package config

import (
	"slices"
	"strings"
	"testing"

	"pfsd/engine/sysvar"

	"github.com/google/go-cmp/cmp"
)

// Options of all variables can be spelled in MySQL's ways, on the command line and in files.
func TestOptionSpellings(t *testing.T) {
	for _, c := range []struct{ args, name, want string }{
		{"--wait-timeout=60", "wait_timeout", "60"},
		{"--wait_timeout 61", "wait_timeout", "61"},
		{"--loose_wait_timeout=62", "wait_timeout", "62"},
		{"--join_buffer-size=1M", "join_buffer_size", "1048576"},
		{"--max-join-size=2P", "max_join_size", "2251799813685248"},
		{"--max-join-size=1e", "max_join_size", "1152921504606846976"},
		{"--join-buffer-size=300", "join_buffer_size", "256"},
		{"--slow-query-log", "slow_query_log", "ON"},
		{"--slow_query_log=true", "slow_query_log", "ON"},
		{"--skip-sql-notes", "sql_notes", "OFF"},
		{"--disable-sql-notes", "sql_notes", "OFF"},
		{"--enable-slow-query-log", "slow_query_log", "ON"},
		{"--loose-skip-sql_notes", "sql_notes", "OFF"},
		{"--sql-mode=ansi_quotes,strict_all_tables", "sql_mode", "ANSI_QUOTES,STRICT_ALL_TABLES"},
		{"--transaction-isolation=read-committed", "transaction_isolation", "READ-COMMITTED"},
		{"--optimizer-switch=mrr=off", "optimizer_switch", strings.Replace(find1("optimizer-switch").def, "mrr=on", "mrr=off", 1)},
		{"--character-set-server=latin1", "collation_server", "latin1_swedish_ci"},
		{"-C latin1", "character_set_server", "latin1"},
		{"-b/usr", "basedir", "/usr"},
		{"--long-query-time=0.5", "long_query_time", "0.5"},
	} {
		o := parse(t, strings.Fields(c.args)...).Options
		if got := o.Variables[c.name]; got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.args, c.name, got, c.want)
		}
	}
	if got := parse(t, "-P3307", "-h", "/data").Options; got.Addr != "127.0.0.1:3307" || got.DataDir != "/data" {
		t.Errorf("%+v", got)
	}
	if got := parse(t, "--maximum-sort-buffer-size=1M", "--loose-maximum-nosuch=1").Options.Maxima; !cmp.Equal(got, map[string]int64{"sort_buffer_size": 1 << 20}) {
		t.Errorf("maxima %v", got)
	}
	if line := parse(t, "--verbose", "-?"); !line.Verbose || !line.Help {
		t.Errorf("%+v", line)
	}
	for args, want := range map[string]string{
		"--wait-timeout=0":            "option '--wait-timeout': value '0' is out of range 1 to 31536000",
		"--wait-timeout=soon":         "option '--wait-timeout': value 'soon' is not a whole number",
		"--sql-mode=nosuch":           "option '--sql-mode': value 'nosuch' is none of the variable sql_mode",
		"--time-zone=Nowhere":         "option '--time-zone': value 'Nowhere' is none of the variable time_zone",
		"--slow-query-log=maybe":      "option '--slow-query-log': value 'maybe' is neither ON nor OFF",
		"--wait-time=5":               "unknown option '--wait-time=5'",
		"--WAIT-TIMEOUT=5":            "unknown option '--WAIT-TIMEOUT=5'",
		"--maximum-sql-mode=5":        "unknown option '--maximum-sql-mode=5'",
		"--have-geometry=YES":         "unknown option '--have-geometry=YES'",
		"--insert-id=5":               "unknown option '--insert-id=5'",
		"--hostname=x":                "unknown option '--hostname=x'",
		"-z":                          "unknown option '-z'",
		"-P":                          "option '--port' requires a value",
		"--port=1 --no-defaults":      "option '--no-defaults': must come first on the command line",
		"--port=1 --print-defaults":   "option '--print-defaults': must come first on the command line",
		"--defaults-extra-file":       "option '--defaults-extra-file' requires a value",
		"--no-defaults --nosuch":      "unknown option '--nosuch'",
		"--skip-wait-timeout":         "unknown option '--skip-wait-timeout'",
		"--skip-slow-query-log=1":     "option '--skip-slow-query-log' takes no value",
		"--defaults-extra-file=/none": "option file: open /none: no such file or directory",
	} {
		if _, err := ParseCommandLine(strings.Fields(args), nil); message(err) != want {
			t.Errorf("%s\n got %s\nwant %s", args, message(err), want)
		}
	}
}

// Option files are read in MySQL's order, and the arguments about them take effect.
func TestOptionFileArguments(t *testing.T) {
	file := writeFile(t, "my.cnf", "[mysqld-8.4]\nwait_timeout=1\nport=1\n[mysqld-5.7]\nnosuch\n")
	extra := writeFile(t, "extra.cnf", "[server]\nloose-wait-timeout = '2'\n")
	line := parse(t, "--defaults-file", file, "--defaults-extra-file="+extra, "--print-defaults", "--max_connections=9")
	if !line.PrintDefaults {
		t.Error("--print-defaults is lost")
	}
	if want := []string{"--wait-timeout=1", "--port=1", "--loose-wait-timeout=2", "--max-connections=9"}; !slices.Equal(line.Defaults, want) {
		t.Errorf("%q, want %q", line.Defaults, want)
	}
	want := map[string]sysvar.Origin{
		"wait_timeout": {Source: "EXTRA", Path: extra}, "port": {Source: "EXPLICIT", Path: file}, "max_connections": {Source: "COMMAND_LINE"},
	}
	if d := cmp.Diff(want, line.Options.Origins); d != "" {
		t.Error(d)
	}
	environ := []string{"PFSD_DEFAULTS_FILE=" + file, "PFSD_SORT_BUFFER_SIZE=64K"}
	with, err := ParseCommandLine(nil, environ)
	if err != nil || with.Options.Variables["wait_timeout"] != "1" || with.Options.Variables["sort_buffer_size"] != "65536" {
		t.Errorf("%v, %v", with, err)
	}
	without, err := ParseCommandLine([]string{"--no-defaults"}, environ)
	if err != nil || without.Options.Variables["wait_timeout"] != "" || without.Options.Variables["sort_buffer_size"] != "65536" {
		t.Errorf("%v, %v", without, err)
	}
}

// Each option for a variable accepts the variable's default, which --verbose --help shows.
func TestVariableOptions(t *testing.T) {
	var help strings.Builder
	if err := PrintVariables(&help); err != nil {
		t.Fatal(err)
	}
	for _, o := range variableOptions {
		if !strings.Contains(help.String(), "  "+o.usage()+" ") {
			t.Errorf("%s is not in the help", o.name)
		}
		if o.kind == booleanOption {
			continue
		}
		v, err := o.parse(o.def)
		if err == nil {
			err = o.set(&settings{}, v)
		}
		if err != nil && o.def != "" {
			t.Errorf("%s: %v", o.name, err)
		}
	}
}
