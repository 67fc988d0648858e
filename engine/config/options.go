package config

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pfsd/engine/sysvar"
	"pfsd/instr"
	"pfsd/tables"
)

// Options configures a server. The zero value of each field is its default, and so the zero value of all serves the
// default registry on 127.0.0.1:3306 without a socket, a data directory, a log file or a workload.
type Options struct {
	// Where clients connect.

	// Addr is the TCP address, host:port; "" means 127.0.0.1:3306, port 0 a free port,
	// "-" no TCP at all.
	Addr string
	// AdminAddr is a TCP address, host:port, for accounts with SERVICE_CONNECTION_ADMIN alone, whose connections no
	// others keep out; "" means none, port 0 a free port. Its host is a single address.
	AdminAddr string
	// Socket is the path of the unix socket; "" means none.
	Socket string
	// NameResolution looks for the names of clients' addresses; Off has clients known by their addresses alone.
	NameResolution Switch
	// HostCacheSize is how many addresses the table host_cache holds; nil and -1 mean automatic.
	HostCacheSize *int
	// MaxConnectErrors is after how many failed handshakes in a row an address is blocked; 0 means 100.
	MaxConnectErrors int64

	// How connections are encrypted.

	// TLS has clients encrypt their connections if they want to.
	TLS Switch
	// TLSVersions are the versions that clients may use, of TLSv1.2 and TLSv1.3; none means both.
	TLSVersions []string
	// SSLCA, SSLCert and SSLKey are PEM files: the authorities' certificates, the server's, and
	// its key. Where none is given, the server takes those in DataDir, or makes certificates,
	// there or without DataDir in memory, unless GeneratedCerts is Off.
	SSLCA, SSLCert, SSLKey string
	GeneratedCerts         Switch
	// RequireSecureTransport refuses clients over TCP that do not use TLS, as the variable
	// require_secure_transport shows.
	RequireSecureTransport bool

	// Who may come in. Without SkipGrantTables there is 'root'@'localhost', which may do everything and has a
	// password that nobody knows, and what the statements of Init, and of the file InitFile, and those of clients
	// make of that. Accounts are kept in DataDir, if there is one; without any from there, one of
	// Init, InitFile, SkipGrantTables and InitializeInsecure has to say who may come in.

	// SkipGrantTables lets everybody in, without a password, and lets them do everything.
	SkipGrantTables bool
	// InitializeInsecure lets 'root'@'localhost' of a server without accounts in DataDir in without
	// a password, and so everybody on this machine, as mysqld --initialize-insecure does.
	InitializeInsecure bool
	// AllowEmptyPassword lets a server start that other machines can reach, and sign in to without
	// a password.
	AllowEmptyPassword bool
	// NativePassword lets accounts have the plugin mysql_native_password.
	NativePassword bool
	// Init are statements that the server carries out before it lets anybody in, such as CREATE
	// USER and GRANT. InitFile is the path of a file with such statements, each on a line or
	// more and with a semicolon at the end; it comes last. If one fails, New returns its error.
	Init     []string
	InitFile string
	// InitOnce are statements before those of Init, of a server that has no accounts in DataDir
	// yet; GeneratedPassword is one of theirs that the log is to show.
	InitOnce          []string
	GeneratedPassword string

	// Files.

	// DataDir is where the server keeps its files; "" means that it keeps none.
	DataDir string
	// PidFile and LogError are file paths; "" means none.
	PidFile, LogError string
	// Log takes the lines of the log while there is no file LogError, and LogHandler a record of each event; nil means that the server writes
	// to nobody: its log is the table error_log alone. They are called by any goroutine, Log by one at a time; a panic of theirs is ignored.
	Log        io.Writer
	LogHandler slog.Handler
	// LogErrorVerbosity is what the log has: 1 is errors, 2 warnings too, 3 notes too; 0 means 2.
	// LogSystemTime has its lines in the time zone of the machine, not in UTC.
	LogErrorVerbosity int
	LogSystemTime     bool
	// SecureFilePriv is the directory that clients may read and write files in; "" means none.
	SecureFilePriv string

	// What clients may cost.

	// MaxConnections is the largest number of clients at a time; 0 means 151.
	MaxConnections int
	// MaxAllowedPacket is the largest command a client may send, and the largest value that a function makes, bytes; 0 means
	// 1 MiB.
	MaxAllowedPacket int64
	// QueryMemoryLimit, ConnectionMemoryLimit and GlobalConnectionMemoryLimit are how much memory a statement, a connection
	// and all connections together may keep, bytes, as the variables of these names; 0 means 64, 128 and 256 MiB, -1 a sixteenth,
	// an eighth and half of the machine's memory, but no less.
	QueryMemoryLimit, ConnectionMemoryLimit, GlobalConnectionMemoryLimit int64
	// ProcessorShare is how many processors statements may keep busy together, garbage collection not counted:
	// 0.5 is half of one. 0 means an eighth of GOMAXPROCS, at least 0.25, and less than 0 no limit.
	// MaxRunningStatements is how many may run at a time; those that wait for something do not count, and
	// administrators (CONNECTION_ADMIN or SUPER) need no place. 0 means half of GOMAXPROCS, at least 1, and less
	// than 0 no limit. A statement that is held back is in the stage "Waiting for processor time".
	ProcessorShare       float64
	MaxRunningStatements int
	// ShutdownTimeout is how long statements have to end when the server stops; 0 means 10 seconds.
	ShutdownTimeout time.Duration

	// What is instrumented.

	// Registry is what the tables show; nil means instr.Default.
	Registry *instr.Registry
	// Model is what performance_schema shows instead of the registry's own, such as a recording of another program; nil means
	// that. The server's statements, status variables and connections are the registry's.
	Model tables.Model
	// PerformanceSchema has instruments and consumers as they are set below; Off switches all of them off from the start, and shows
	// the variable performance_schema as OFF.
	PerformanceSchema Switch
	// Instruments are PATTERN=VALUE settings of instruments, as --performance-schema-instrument
	// takes them; the longest pattern that matches a name wins.
	Instruments []string
	// Consumers overrides the defaults of setup_consumers, by NAME.
	Consumers map[string]bool
	// HistorySize and HistoryLongSize are the rows of events_waits_history, per thread, and of
	// events_waits_history_long; nil and -1 mean automatic.
	HistorySize, HistoryLongSize *int
	// Limits are how many things of a sort there can be; -1 means no limit. One that is not in
	// it stays as the registry has it.
	Limits map[instr.Limit]int
	// Sizes are those of the histories of stages, statements and transactions, and of what is
	// kept of statements, by NAME of the variable performance_schema_NAME; -1 means automatic.
	// One that is not in it stays as the registry has it.
	Sizes map[string]int
	// MaxDigestLength is how many bytes of a statement's tokens its digest is made of, 0 is no
	// digests; nil means as the registry has it.
	MaxDigestLength *int
	// DigestEviction has the digest that was seen least recently make room for a new one, when
	// all places are taken: its statistics go to the row that collects what has none of its own.
	DigestEviction bool

	// Variables and versions.

	// MySQLVersion is the version of MySQL that the server says it is, and whose tables it has:
	// 8.4, which "" means too, or 9.6.
	MySQLVersion string
	// EventScheduler carries out events from the start, as the variable event_scheduler shows.
	EventScheduler Switch
	// Variables are the global values that other system variables begin with, by name, as options
	// have them; MySQL's defaults where they are not given. Maxima are the largest values that a session
	// can set numbers among them to.
	Variables map[string]string
	Maxima    map[string]int64
	// Origins say where options come from, by the name of the variable that shows the option.
	Origins map[string]sysvar.Origin
	// PersistedVariables reads the values that SET PERSIST has written.
	PersistedVariables Switch

	// A workload to look at.

	// Workload names the instrumented work that the server runs inside itself; "" means none.
	Workload string
	// WorkloadRate is how many operations each worker of it does in a second; 0 means the workload's own.
	WorkloadRate float64
	// WorkloadConcurrency is how many workers of each sort it has; 0 means the workload's own.
	WorkloadConcurrency int
}

// settings collects what the sources of options say, until all have spoken.
type settings struct {
	Options
	port                   int64
	bindAddress            string
	adminAddress           string
	adminPort              int64
	skipNetworking         bool
	version, help, verbose bool
	instrSet               bool
}

// resolve works out what depends on more than one option.
func (s *settings) resolve() Options {
	o := s.Options
	o.ownMemory()
	o.Addr = net.JoinHostPort(s.bindAddress, strconv.FormatInt(s.port, 10))
	if s.bindAddress == "*" {
		o.Addr = net.JoinHostPort("", strconv.FormatInt(s.port, 10))
	}
	if s.skipNetworking {
		o.Addr = "-"
	}
	if s.adminAddress != "" {
		o.AdminAddr = net.JoinHostPort(s.adminAddress, strconv.FormatInt(s.adminPort, 10))
	}
	// As in MySQL, the server's files stand in the data directory unless their path is absolute.
	for _, path := range []*string{&o.Socket, &o.PidFile, &o.LogError, &o.SSLCA, &o.SSLCert, &o.SSLKey} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(o.DataDir, *path)
		}
	}
	if o.Consumers == nil {
		o.Consumers = map[string]bool{}
	}
	switch {
	case !s.PerformanceSchema.Enabled():
		o.Instruments = []string{"%=OFF"}
		for c := range instr.ConsumerCount {
			o.Consumers[c.String()] = false
		}
	case o.Workload != "":
		// Whoever asks for a workload wants to see it, unless they said what to watch.
		if !s.instrSet {
			o.Instruments = []string{"wait/%=ON"}
		}
		for _, name := range []string{"events_waits_current", "events_waits_history", "events_waits_history_long"} {
			if _, said := o.Consumers[name]; !said {
				o.Consumers[name] = true
			}
		}
	}
	return o
}

// WithDefaults gives options that are not set their defaults.
func WithDefaults(o Options) Options {
	if o.Registry == nil {
		o.Registry = instr.Default
	}
	if o.Model == nil {
		o.Model = tables.Of(o.Registry)
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:3306"
	}
	if o.MaxAllowedPacket == 0 {
		o.MaxAllowedPacket = 1 << 20
	}
	if o.ShutdownTimeout == 0 {
		o.ShutdownTimeout = 10 * time.Second
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = 151
	}
	o.setMemoryLimits()
	return o
}

// Apply makes the registry's switches and sizes as the options say. Threads that
// have started keep their size of history.
func Apply(o Options, reg *instr.Registry) error {
	if err := o.checkSizes(); err != nil {
		return err
	}
	for l, n := range o.Limits {
		reg.Setup().SetLimit(l, n)
	}
	for _, setting := range o.Instruments {
		pattern, value, err := parseInstrument(setting)
		if err != nil {
			return err
		}
		reg.Setup().AddPattern(pattern, value)
	}
	for name, on := range o.Consumers {
		c, ok := instr.ConsumerByName(name)
		if !ok {
			return fmt.Errorf("unknown consumer '%s'", name)
		}
		reg.Setup().SetConsumer(c, on)
	}
	auto, small := o.automatic()
	for name, n := range o.Sizes {
		s := workSizeOf(name)
		if n < 0 && small {
			n = auto.of(name)
		}
		if n >= 0 {
			s.set(reg.Setup(), n)
		}
	}
	if o.MaxDigestLength != nil {
		reg.Setup().SetMaxDigestLength(*o.MaxDigestLength)
	}
	if o.DigestEviction {
		reg.Setup().SetDigestEviction(true)
	}
	for _, h := range []struct {
		n    *int
		auto int
		set  func(instr.Family, int)
	}{
		{o.HistorySize, auto.history, reg.Setup().SetHistorySize},
		{o.HistoryLongSize, auto.long, reg.Setup().SetHistoryLongSize},
	} {
		switch {
		case h.n == nil:
		case *h.n >= 0:
			h.set(instr.FamilyWaits, *h.n)
		case small:
			h.set(instr.FamilyWaits, h.auto)
		}
	}
	return nil
}

// EveryAddress tells whether a host stands for every address of the machine.
func EveryAddress(host string) bool {
	ip := net.ParseIP(host)
	return host == "*" || ip != nil && ip.IsUnspecified()
}

// parseInstrument reads PATTERN=VALUE.
func parseInstrument(setting string) (pattern string, value instr.PatternValue, err error) {
	i := strings.LastIndexByte(setting, '=')
	if i < 0 {
		return "", 0, fmt.Errorf("value '%s' is not of the form PATTERN=VALUE", setting)
	}
	pattern = strings.TrimSpace(setting[:i])
	if pattern == "" {
		return "", 0, fmt.Errorf("value '%s' has an empty pattern", setting)
	}
	if value, err = instr.ParsePatternValue(strings.TrimSpace(setting[i+1:])); err != nil {
		return "", 0, fmt.Errorf("value '%s' sets neither ON nor OFF nor COUNTED", setting)
	}
	return pattern, value, nil
}
