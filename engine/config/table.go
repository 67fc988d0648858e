package config

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"pfsd/engine/sysvar"
	"pfsd/engine/workload"
	"pfsd/instr"
)

// An option is one line of the table that the parser, --help and docs/options.md use.
type option struct {
	name, arg string // arg is the name of the value in --help; "" if there is no value
	kind      optionKind
	def       string
	min, max  int64 // of integers and decimals
	doc       string
	set       func(*settings, optionValue) error
}

var errNotFirst = errors.New("must come first on the command line")

type optionKind uint8

const (
	textOption    optionKind = iota // any text
	integerOption                   // a whole number, which K, M, G, T, P or E may follow
	decimalOption                   // a number
	booleanOption                   // ON or OFF; ON if no value is given
	listOption                      // text; several options of this name are joined
	actionOption                    // takes no value
)

// An optionValue is the value of an option, parsed according to the option's kind.
type optionValue struct {
	text   string
	number int64
	float  float64
	on     bool
}

var options = slices.Concat([]option{
	{"port", "N", integerOption, "3306", 0, 65535, "TCP port; 0 takes a free one",
		func(s *settings, v optionValue) error { s.port = v.number; return nil }},
	{"bind-address", "HOST", textOption, "127.0.0.1", 0, 0, "address to listen on; * is every address of the machine",
		func(s *settings, v optionValue) error { s.bindAddress = v.text; return nil }},
	{"skip-networking", "", booleanOption, "OFF", 0, 0, "no TCP, the unix socket alone",
		func(s *settings, v optionValue) error { s.skipNetworking = v.on; return nil }},
	{"admin-address", "HOST", textOption, "", 0, 0, "address to listen on besides, for accounts with SERVICE_CONNECTION_ADMIN alone; max-connections and clients that do not sign in leave it free",
		func(s *settings, v optionValue) error {
			if EveryAddress(v.text) {
				return fmt.Errorf("value '%s' is every address", v.text)
			}
			s.adminAddress = v.text
			return nil
		}},
	{"admin-port", "N", integerOption, "33062", 0, 65535, "TCP port of admin-address; 0 takes a free one",
		func(s *settings, v optionValue) error { s.adminPort = v.number; return nil }},
	{"socket", "FILE", textOption, "", 0, 0, "unix socket to listen on besides; relative to the data directory",
		func(s *settings, v optionValue) error { s.Socket = v.text; return nil }},
	{"datadir", "DIR", textOption, "", 0, 0, "directory for the files of one server, which locks it; made if it is missing",
		func(s *settings, v optionValue) error { s.DataDir = v.text; return nil }},
	{"history-dir", "DIR", textOption, "", 0, 0, "directory for samples of active sessions and buckets of time, which one server locks; made if it is missing; without it they are below the data directory, or in memory if there is none",
		func(s *settings, v optionValue) error { s.HistoryDir = v.text; return nil }},
	{"pid-file", "FILE", textOption, "", 0, 0, "file that holds the process id; relative to the data directory",
		func(s *settings, v optionValue) error { s.PidFile = v.text; return nil }},
	{"log-error", "FILE", textOption, "", 0, 0, "error log, standard error if none; relative to the data directory",
		func(s *settings, v optionValue) error { s.LogError = v.text; return nil }},
	{"secure-file-priv", "DIR", textOption, "", 0, 0, "directory that LOAD_FILE and LOAD DATA may read and SELECT INTO OUTFILE may write, which sys.ps_trace_thread does; none if it is not given",
		func(s *settings, v optionValue) error { s.SecureFilePriv = v.text; return nil }},
	{"max-connections", "N", integerOption, "151", 1, 100000, "largest number of clients at a time",
		func(s *settings, v optionValue) error { s.MaxConnections = int(v.number); return nil }},
	{"max-allowed-packet", "N", integerOption, "64M", 1024, 1 << 30, "largest command a client may send, and largest value that a function makes, bytes",
		func(s *settings, v optionValue) error { s.MaxAllowedPacket = v.number; return nil }},
	{"processor-share", "N", decimalOption, "0", 0, 1024, "processors that statements may keep busy together, 0.5 is half of one; 0 is no limit",
		func(s *settings, v optionValue) error { s.ProcessorShare = orNone(v.float); return nil }},
	{"max-running-statements", "N", integerOption, "0", 0, 100000, "statements that may run at a time, but for those of administrators and those that wait; 0 is no limit",
		func(s *settings, v optionValue) error { s.MaxRunningStatements = orNone(int(v.number)); return nil }},
	{"shutdown-timeout", "N", integerOption, "10", 1, 3600, "how long statements have to end when the server stops, seconds; those that do not are named in the log",
		func(s *settings, v optionValue) error {
			s.ShutdownTimeout = time.Duration(v.number) * time.Second
			return nil
		}},
	{"query-memory-limit", "N", integerOption, "-1", -1, math.MaxInt64, "most memory that a statement may keep rows and values in, bytes; -1 is automatic: a sixteenth of what the machine, its control group and GOMEMLIMIT allow, no less than 64M; the variable query_memory_limit changes it",
		func(s *settings, v optionValue) error { s.QueryMemoryLimit = v.number; return nil }},
	{"connection-memory-limit", "N", integerOption, "-1", -1, math.MaxInt64, "the same of a connection, with what it keeps between statements; -1 is automatic: an eighth, no less than 128M; the variable connection_memory_limit changes it",
		func(s *settings, v optionValue) error { s.ConnectionMemoryLimit = v.number; return nil }},
	{"global-connection-memory-limit", "N", integerOption, "-1", -1, math.MaxInt64, "the same of all connections together; -1 is automatic: half, no less than 256M; the variable global_connection_memory_limit changes it",
		func(s *settings, v optionValue) error { s.GlobalConnectionMemoryLimit = v.number; return nil }},
	{"event-scheduler", "", booleanOption, "ON", 0, 0, "events of databases are carried out; the variable event_scheduler changes it",
		func(s *settings, v optionValue) error { s.EventScheduler = SwitchOf(v.on); return nil }},
	{"performance-schema", "", booleanOption, "ON", 0, 0, "OFF starts with every instrument and consumer off",
		func(s *settings, v optionValue) error { s.PerformanceSchema = SwitchOf(v.on); return nil }},
	{"mysql-version", "VERSION", textOption, "", 0, 0, "version of MySQL that the server says it is, and whose tables it has: 8.4, which it is by default, or 9.6",
		func(s *settings, v optionValue) error {
			if _, ok := mysqlVersions[v.text]; !ok {
				return fmt.Errorf("value '%s' is neither 8.4 nor 9.6", v.text)
			}
			s.MySQLVersion = v.text
			return nil
		}},
	{"performance-schema-instrument", "PATTERN=VALUE", listOption, "", 0, 0, "sets the instruments whose name matches ON, OFF or COUNTED; may be given again",
		func(s *settings, v optionValue) error {
			if _, _, err := parseInstrument(v.text); err != nil {
				return err
			}
			s.Instruments, s.instrSet = append(s.Instruments, v.text), true
			return nil
		}},
	{"performance-schema-events-waits-history-size", "N", integerOption, "-1", -1, 1024, "rows of events_waits_history per thread; -1 is automatic",
		func(s *settings, v optionValue) error { s.HistorySize = new(int(v.number)); return nil }},
	{"performance-schema-events-waits-history-long-size", "N", integerOption, "-1", -1, 1 << 20, "rows of events_waits_history_long; -1 is automatic",
		func(s *settings, v optionValue) error { s.HistoryLongSize = new(int(v.number)); return nil }},
	{maxDigestLength, "N", integerOption, "1024", 0, 1 << 20, "bytes of the tokens of a statement that its digest is made of; 0 is no digests",
		func(s *settings, v optionValue) error { s.MaxDigestLength = new(int(v.number)); return nil }},
	{"performance-schema-digest-eviction", "", booleanOption, "OFF", 0, 0, "ON has the digest that was seen least recently make room for a new one, where MySQL counts the new one in the row for all others",
		func(s *settings, v optionValue) error { s.DigestEviction = v.on; return nil }},
	{"workload", "NAME", textOption, "", 0, 0, "instrumented work to run inside the server: " + strings.Join(workload.Names(), ", ") + "; it switches on wait/% and events_waits_*, except where options of those say otherwise",
		func(s *settings, v optionValue) error {
			if v.text != "" && !slices.Contains(workload.Names(), v.text) {
				return fmt.Errorf("value '%s' is none of %s", v.text, strings.Join(workload.Names(), ", "))
			}
			s.Workload = v.text
			return nil
		}},
	{"workload-rate", "N", decimalOption, strconv.Itoa(workload.DefaultRate), 0, workload.MaxRate, "operations per second of each worker, at most; 0 is the default",
		func(s *settings, v optionValue) error { s.WorkloadRate = v.float; return nil }},
	{"workload-concurrency", "N", integerOption, strconv.Itoa(workload.DefaultConcurrency), 0, workload.MaxConcurrency, "workers of each sort; 0 is the default",
		func(s *settings, v optionValue) error { s.WorkloadConcurrency = int(v.number); return nil }},
	{"web", "ADDRESS", textOption, "", 0, 0, "loopback address, host:port, of the page for browsers; port 0 takes a free one",
		func(s *settings, v optionValue) error {
			if v.text != "" && !loopbackAddress(v.text) {
				return fmt.Errorf("value '%s' is not a loopback address and a port, such as 127.0.0.1:8080", v.text)
			}
			s.Web = v.text
			return nil
		}},
	{"web-write", "", booleanOption, "OFF", 0, 0, "the page may switch instruments and consumers, for accounts that may do so in SQL",
		func(s *settings, v optionValue) error { s.WebWrite = v.on; return nil }},
	{"defaults-file", "FILE", textOption, "", 0, 0, "option file to read, in my.cnf format; must come first",
		func(s *settings, v optionValue) error { return errNotFirst }},
	{"defaults-extra-file", "FILE", textOption, "", 0, 0, "option file to read after that of defaults-file; must come first",
		func(s *settings, v optionValue) error { return errNotFirst }},
	{"no-defaults", "", actionOption, "", 0, 0, "no file that the environment names; must come first",
		func(s *settings, v optionValue) error { return errNotFirst }},
	{"print-defaults", "", actionOption, "", 0, 0, "prints the options that are given, wherever, and stops; must come first",
		func(s *settings, v optionValue) error { return errNotFirst }},
	{"verbose", "", actionOption, "", 0, 0, "has --help print the options for system variables, too",
		func(s *settings, v optionValue) error { s.verbose = true; return nil }},
	{"version", "", actionOption, "", 0, 0, "prints the version and stops",
		func(s *settings, v optionValue) error { s.version = true; return nil }},
	{"help", "", actionOption, "", 0, 0, "prints this and stops",
		func(s *settings, v optionValue) error { s.help = true; return nil }},
}, accountOptions(), hostOptions(), logOptions(), tlsOptions(), limitOptions(), workSizeOptions(), consumerOptions())

// consumerOptions returns --performance-schema-consumer-NAME for each consumer.
func consumerOptions() []option {
	var opts []option
	for c := range instr.ConsumerCount {
		name, def := c.String(), "OFF"
		if c.Default() {
			def = "ON"
		}
		opts = append(opts, option{
			"performance-schema-consumer-" + strings.ReplaceAll(name, "_", "-"), "", booleanOption, def, 0, 0,
			"ENABLED of " + name + " in setup_consumers",
			func(s *settings, v optionValue) error {
				if s.Consumers == nil {
					s.Consumers = map[string]bool{}
				}
				s.Consumers[name] = v.on
				return nil
			}})
	}
	return opts
}

// parse parses a value according to the option's kind.
func (o *option) parse(raw string) (v optionValue, err error) {
	v.text = raw
	switch o.kind {
	case integerOption:
		v.number, err = parseInteger(raw)
		if err == nil {
			err = o.inRange(raw, v.number)
		}
	case decimalOption:
		v.float, err = strconv.ParseFloat(raw, 64)
		if err != nil || math.IsNaN(v.float) {
			err = fmt.Errorf("value '%s' is not a number", raw)
		} else if v.float < float64(o.min) || v.float > float64(o.max) {
			err = fmt.Errorf("value '%s' is out of range %d to %d", raw, o.min, o.max)
		}
	case booleanOption:
		v.on, err = sysvar.ParseBoolean(raw)
	}
	return v, err
}

// inRange returns an error if the whole number n, written as raw, is out of range.
func (o *option) inRange(raw string, n int64) error {
	if n < o.min || n > o.max {
		return fmt.Errorf("value '%s' is out of range %d to %d", raw, o.min, o.max)
	}
	return nil
}

// parseInteger reads a whole number with an optional unit of 1024 or a power of it.
func parseInteger(raw string) (int64, error) {
	digits, unit := raw, int64(1)
	if raw != "" {
		if p := strings.IndexByte("KMGTPE", raw[len(raw)-1]&^0x20); p >= 0 {
			digits, unit = raw[:len(raw)-1], int64(1)<<(10*(p+1))
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if errors.Is(err, strconv.ErrRange) || err == nil && (n > math.MaxInt64/unit || n < math.MinInt64/unit) {
		// The number is too large for any option: return one that is out of every range.
		if strings.HasPrefix(digits, "-") {
			return math.MinInt64, nil
		}
		return math.MaxInt64, nil
	}
	if err != nil {
		return 0, fmt.Errorf("value '%s' is not a whole number", raw)
	}
	return n * unit, nil
}

// usage returns the option as --help and the documentation show it.
func (o *option) usage() string {
	switch {
	case o.kind == booleanOption:
		return "--" + o.name + "[=ON|OFF]"
	case o.arg != "":
		return "--" + o.name + "=" + o.arg
	}
	return "--" + o.name
}

// bounds returns the range of a number as text.
func (o *option) bounds() string {
	if o.kind != integerOption && o.kind != decimalOption {
		return ""
	}
	return fmt.Sprintf("%d to %d", o.min, o.max)
}

// PrintOptions writes one aligned paragraph for each option: its description, and its default in
// brackets.
func PrintOptions(w io.Writer) error {
	var b strings.Builder
	for _, o := range options {
		fmt.Fprintf(&b, "  %s\n        %s", o.usage(), o.doc)
		if bounds := o.bounds(); bounds != "" {
			b.WriteString("; " + bounds)
		}
		if o.def != "" {
			fmt.Fprintf(&b, " [%s]", o.def)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// orNone converts the value of an option, where 0 means no limit, to the form of Options, where 0 is
// the default and a negative number means no limit.
func orNone[T int | float64](limit T) T {
	if limit == 0 {
		return -1
	}
	return limit
}
