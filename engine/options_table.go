package engine

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// An option is one line of the table that the parser, --help and docs/options.md read.
type option struct {
	name, arg string // arg is what --help calls the value; "" where there is none
	kind      optionKind
	def       string
	min, max  int64 // of integers and decimals
	doc       string
	set       func(*settings, optionValue) error
}

type optionKind uint8

const (
	text    optionKind = iota // a value as it stands
	integer                   // a whole number, K, M, G or T behind it
	decimal                   // a number of at least min
	boolean                   // ON or OFF; ON where no value is given
	list                      // text that adds up when given again
	action                    // takes no value
)

// An optionValue is a value as its option's kind reads it.
type optionValue struct {
	text   string
	number int64
	float  float64
	on     bool
}

var options = append([]option{
	{"port", "N", integer, "3306", 0, 65535, "TCP port; 0 takes a free one",
		func(s *settings, v optionValue) error { s.port = v.number; return nil }},
	{"bind-address", "HOST", text, "127.0.0.1", 0, 0, "address to listen on; * is every address of the machine",
		func(s *settings, v optionValue) error { s.bindAddress = v.text; return nil }},
	{"skip-networking", "", boolean, "OFF", 0, 0, "no TCP, the unix socket alone",
		func(s *settings, v optionValue) error { s.skipNetworking = v.on; return nil }},
	{"socket", "FILE", text, "", 0, 0, "unix socket to listen on besides; relative to the data directory",
		func(s *settings, v optionValue) error { s.Socket = v.text; return nil }},
	{"datadir", "DIR", text, "", 0, 0, "directory for the server's files; made if it is missing",
		func(s *settings, v optionValue) error { s.DataDir = v.text; return nil }},
	{"pid-file", "FILE", text, "", 0, 0, "file that holds the process id; relative to the data directory",
		func(s *settings, v optionValue) error { s.PidFile = v.text; return nil }},
	{"log-error", "FILE", text, "", 0, 0, "error log, standard error if none; relative to the data directory",
		func(s *settings, v optionValue) error { s.LogError = v.text; return nil }},
	{"max-connections", "N", integer, "151", 1, 100000, "largest number of clients at a time",
		func(s *settings, v optionValue) error { s.MaxConnections = int(v.number); return nil }},
	{"max-allowed-packet", "N", integer, "64M", 1024, 1 << 30, "largest command a client may send, bytes",
		func(s *settings, v optionValue) error { s.MaxAllowedPacket = v.number; return nil }},
	{"performance-schema", "", boolean, "ON", 0, 0, "OFF starts with every instrument and consumer off",
		func(s *settings, v optionValue) error { s.off = !v.on; return nil }},
	{"performance-schema-instrument", "PATTERN=VALUE", list, "", 0, 0, "sets the instruments whose name matches ON, OFF or COUNTED; may be given again",
		func(s *settings, v optionValue) error {
			if err := checkInstrument(v.text); err != nil {
				return err
			}
			s.Instruments, s.instrSet = append(s.Instruments, v.text), true
			return nil
		}},
	{"performance-schema-events-waits-history-size", "N", integer, "-1", -1, 1024, "rows of events_waits_history per thread; -1 is automatic",
		func(s *settings, v optionValue) error { s.HistorySize = new(int(v.number)); return nil }},
	{"performance-schema-events-waits-history-long-size", "N", integer, "-1", -1, 1 << 20, "rows of events_waits_history_long; -1 is automatic",
		func(s *settings, v optionValue) error { s.HistoryLongSize = new(int(v.number)); return nil }},
	{"workload", "NAME", text, "", 0, 0, "instrumented work to run inside the server; watches wait/% and feeds events_waits_* unless told otherwise",
		func(s *settings, v optionValue) error { s.Workload = v.text; return nil }},
	{"workload-rate", "N", decimal, "0", 0, 1e6, "operations per second of each worker; 0 is the workload's own",
		func(s *settings, v optionValue) error { s.WorkloadRate = v.float; return nil }},
	{"workload-concurrency", "N", integer, "0", 0, 1000, "workers of each sort; 0 is the workload's own",
		func(s *settings, v optionValue) error { s.WorkloadConcurrency = int(v.number); return nil }},
	{"defaults-file", "FILE", text, "", 0, 0, "option file to read, in my.cnf format; must come first",
		func(s *settings, v optionValue) error { return errors.New("must come first on the command line") }},
	{"version", "", action, "", 0, 0, "prints the version and stops",
		func(s *settings, v optionValue) error { s.version = true; return nil }},
	{"help", "", action, "", 0, 0, "prints this and stops",
		func(s *settings, v optionValue) error { s.help = true; return nil }},
}, consumerOptions()...)

// consumerOptions is --performance-schema-consumer-NAME for each consumer.
func consumerOptions() []option {
	var opts []option
	for _, c := range consumers {
		def := "OFF"
		if c.on {
			def = "ON"
		}
		opts = append(opts, option{
			"performance-schema-consumer-" + strings.ReplaceAll(c.name, "_", "-"), "", boolean, def, 0, 0,
			"ENABLED of " + c.name + " in setup_consumers",
			func(s *settings, v optionValue) error {
				if s.Consumers == nil {
					s.Consumers = map[string]bool{}
				}
				s.Consumers[c.name] = v.on
				return nil
			}})
	}
	return opts
}

// parse reads a value as the option's kind says.
func (o *option) parse(raw string) (v optionValue, err error) {
	v.text = raw
	switch o.kind {
	case integer:
		v.number, err = parseInteger(raw)
		if err == nil && (v.number < o.min || v.number > o.max) {
			err = fmt.Errorf("value '%s' is out of range %d to %d", raw, o.min, o.max)
		}
	case decimal:
		v.float, err = strconv.ParseFloat(raw, 64)
		if err != nil || math.IsNaN(v.float) {
			err = fmt.Errorf("value '%s' is not a number", raw)
		} else if v.float < float64(o.min) || v.float > float64(o.max) {
			err = fmt.Errorf("value '%s' is out of range %d to %d", raw, o.min, o.max)
		}
	case boolean:
		v.on, err = parseBoolean(raw)
	}
	return v, err
}

// parseInteger reads a whole number with an optional unit of 1024 or a power of it.
func parseInteger(raw string) (int64, error) {
	digits, unit := raw, int64(1)
	if raw != "" {
		if p := strings.IndexByte("KMGT", raw[len(raw)-1]&^0x20); p >= 0 {
			digits, unit = raw[:len(raw)-1], int64(1)<<(10*(p+1))
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if errors.Is(err, strconv.ErrRange) || err == nil && (n > math.MaxInt64/unit || n < math.MinInt64/unit) {
		// Too large for any option: what is left is to be out of its range.
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

func parseBoolean(raw string) (bool, error) {
	switch strings.ToUpper(raw) {
	case "ON", "1", "TRUE", "YES":
		return true, nil
	case "OFF", "0", "FALSE", "NO":
		return false, nil
	}
	return false, fmt.Errorf("value '%s' is neither ON nor OFF", raw)
}

// usage is how --help and the documentation write the option.
func (o *option) usage() string {
	switch {
	case o.kind == boolean:
		return "--" + o.name + "[=ON|OFF]"
	case o.arg != "":
		return "--" + o.name + "=" + o.arg
	}
	return "--" + o.name
}

// bounds is the range of an integer.
func (o *option) bounds() string {
	if o.kind != integer {
		return ""
	}
	return fmt.Sprintf("%d to %d", o.min, o.max)
}

// PrintOptions writes one aligned paragraph for each option: what it is, and its default in brackets.
func PrintOptions(w io.Writer) error {
	var b strings.Builder
	for _, o := range options {
		fmt.Fprintf(&b, "  %s\n        %s", o.usage(), o.doc)
		if o.kind == integer {
			b.WriteString("; " + o.bounds())
		}
		if o.def != "" {
			fmt.Fprintf(&b, " [%s]", o.def)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
