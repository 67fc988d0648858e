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

// Options configures a server. The zero value of each field is its default. So the zero value of
// Options serves the default registry on 127.0.0.1:3306, without a socket, a data directory, a log
// file or a workload.
type Options struct {
	// Where clients connect.

	// Addr is the TCP address, host:port. "" means 127.0.0.1:3306, port 0 means a free port, and
	// "-" means no TCP at all.
	Addr string
	// AdminAddr is a TCP address, host:port, only for accounts with SERVICE_CONNECTION_ADMIN. Other
	// connections cannot keep them out. "" means none, and port 0 means a free port. The host must
	// be a single address.
	AdminAddr string
	// Socket is the path of the unix socket; "" means none.
	Socket string
	// NameResolution finds the names of clients' addresses. If it is Off, clients are known only by
	// their addresses.
	NameResolution Switch
	// HostCacheSize is the largest number of addresses in the table host_cache; nil and -1 mean
	// automatic.
	HostCacheSize *int
	// MaxConnectErrors is the number of failed handshakes in a row after which an address is
	// blocked; 0 means 100.
	MaxConnectErrors int64

	// How connections are encrypted.

	// TLS lets clients encrypt their connections.
	TLS Switch
	// TLSVersions are the versions that clients may use, from TLSv1.2 and TLSv1.3; empty means
	// both.
	TLSVersions []string
	// SSLCA, SSLCert and SSLKey are PEM files: the authorities' certificates, the server's
	// certificate, and its key. If none is given, the server uses those in DataDir. If there are
	// none, it makes certificates, in DataDir or, without DataDir, in memory, unless GeneratedCerts
	// is Off.
	SSLCA, SSLCert, SSLKey string
	GeneratedCerts         Switch
	// RequireSecureTransport refuses clients over TCP that do not use TLS, as the variable
	// require_secure_transport shows.
	RequireSecureTransport bool

	// Who may log in. Without SkipGrantTables there is 'root'@'localhost', which may do everything
	// and has a password that nobody knows. Statements in Init and in the file InitFile, and later
	// those of clients, change this. Accounts are stored in DataDir, if there is one. If DataDir
	// has no accounts, one of Init, InitFile, SkipGrantTables and InitializeInsecure must be set.

	// SkipGrantTables lets everybody log in without a password and do everything.
	SkipGrantTables bool
	// InitializeInsecure gives 'root'@'localhost' no password if DataDir has no accounts. So
	// everybody on this machine can log in, as with mysqld --initialize-insecure.
	InitializeInsecure bool
	// AllowEmptyPassword lets the server start even if other machines can reach it and log in
	// without a password.
	AllowEmptyPassword bool
	// NativePassword lets accounts have the plugin mysql_native_password.
	NativePassword bool
	// Init are statements that the server executes before anybody can log in, such as CREATE USER
	// and GRANT. InitFile is the path of a file with such statements; each ends with a semicolon at
	// the end of a line. It is executed last. If a statement fails, New returns its error.
	Init     []string
	InitFile string
	// InitOnce are statements before those of Init, for a server that has no accounts in DataDir
	// yet. GeneratedPassword is a password in one of them, which the log must show.
	InitOnce          []string
	GeneratedPassword string

	// Files.

	// DataDir is the directory of the server's files; "" means that it has no files.
	DataDir string
	// HistoryDir is the directory of the samples of active_session_history and of the tables of the schema history; "" means the
	// directory history in DataDir, or memory if there is none. New returns an error if another server uses it.
	HistoryDir string
	// PidFile and LogError are file paths; "" means none.
	PidFile, LogError string
	// Log gets the lines of the log while there is no file LogError, and LogHandler gets a record
	// of each event. nil means that the server writes its log only to the table error_log. Any
	// goroutine may call them; the calls of Log do not overlap. A panic in them is ignored.
	Log        io.Writer
	LogHandler slog.Handler
	// LogErrorVerbosity says what the log contains: 1 means errors, 2 also warnings, 3 also notes;
	// 0 means 2. LogSystemTime gives the lines times in the time zone of the machine instead of
	// UTC.
	LogErrorVerbosity int
	LogSystemTime     bool
	// SecureFilePriv is the directory in which clients may read and write files; "" means none.
	SecureFilePriv string

	// Limits for clients.

	// MaxConnections is the largest number of clients at a time; 0 means 151.
	MaxConnections int
	// MaxAllowedPacket is the largest size of a client's command, and of the result of a function,
	// in bytes; 0 means 1 MiB.
	MaxAllowedPacket int64
	// QueryMemoryLimit, ConnectionMemoryLimit and GlobalConnectionMemoryLimit are how much memory a
	// statement, a connection and all connections together may use, in bytes, like the variables of
	// these names. 0 means 64, 128 and 256 MiB. -1 means a sixteenth, an eighth and half of the
	// machine's memory, but no less than that.
	QueryMemoryLimit, ConnectionMemoryLimit, GlobalConnectionMemoryLimit int64
	// ProcessorShare is the number of processors that all statements together may use, without
	// garbage collection: 0.5 is half of one. 0 means an eighth of GOMAXPROCS, at least 0.25; a
	// negative number means no limit. MaxRunningStatements is the number of statements that may run
	// at a time. Statements that wait for something do not count, and the limit does not apply to
	// administrators (CONNECTION_ADMIN or SUPER). 0 means half of GOMAXPROCS, at least 1; a
	// negative number means no limit. A statement that has to wait because of these limits is in
	// the stage "Waiting for processor time".
	ProcessorShare       float64
	MaxRunningStatements int
	// ShutdownTimeout is how long statements have to end when the server stops; 0 means 10 seconds.
	ShutdownTimeout time.Duration

	// What is instrumented.

	// Registry is the registry that the tables show; nil means instr.Default.
	Registry *instr.Registry
	// Model is what performance_schema shows, such as a recording of another program; nil means the
	// registry. The server's statements, status variables and connections always belong to the
	// registry.
	Model tables.Model
	// PerformanceSchema says whether instruments and consumers begin as they are set below. Off
	// switches all of them off at the start, and the variable performance_schema then shows OFF.
	PerformanceSchema Switch
	// Instruments are PATTERN=VALUE settings of instruments, in the form of
	// --performance-schema-instrument. If several patterns match a name, the longest one is used.
	Instruments []string
	// Consumers overrides the defaults of setup_consumers, by NAME. If Instruments switches waits on, events_waits_current is on by default.
	Consumers map[string]bool
	// HistorySize is the number of rows of events_waits_history for each thread. HistoryLongSize is
	// the number of rows of events_waits_history_long. nil and -1 mean automatic.
	HistorySize, HistoryLongSize *int
	// Limits are the largest numbers of things of each sort; -1 means no limit. Limits that are not
	// in the map stay as the registry has them.
	Limits map[instr.Limit]int
	// Sizes are the sizes of the histories of stages, statements and transactions, and of what is
	// stored about statements, by NAME of the variable performance_schema_NAME; -1 means automatic.
	// Sizes that are not in the map stay as the registry has them.
	Sizes map[string]int
	// MaxDigestLength is the number of bytes of a statement's tokens from which its digest is made.
	// 0 means no digests; nil means as in the registry.
	MaxDigestLength *int
	// DigestEviction says what happens to a new digest when all places are taken: if it is true,
	// the new digest replaces the one that was seen least recently, whose statistics are added to
	// the row for digests without a row.
	DigestEviction bool

	// Variables and versions.

	// MySQLVersion is the version of MySQL that the server reports, and whose tables it has: 8.4,
	// which is also the meaning of "", or 9.6.
	MySQLVersion string
	// VersionComment is what the variable version_comment says; "" stands for pfsd.
	VersionComment string
	// EventScheduler says whether events are executed from the start, as the variable
	// event_scheduler shows.
	EventScheduler Switch
	// Variables are initial global values of other system variables, by name, in the form of
	// options. Others have MySQL's defaults. Maxima are the largest values that a session can set
	// for numeric variables.
	Variables map[string]string
	Maxima    map[string]int64
	// Origins say where options come from, by the name of the variable that shows the option.
	Origins map[string]sysvar.Origin
	// PersistedVariables says whether the values that SET PERSIST has written are read.
	PersistedVariables Switch

	// A page for browsers, which package pfsdweb has. Only the command pfsd reads these: a program calls
	// pfsdweb.Register.

	// Web is the TCP address of the page, host:port, on loopback; "" means none. WebWrite lets the page
	// switch instruments and consumers.
	Web      string
	WebWrite bool

	// A workload to look at.

	// Workload names the instrumented work that the server runs inside itself; "" means none.
	Workload string
	// WorkloadRate is the number of operations of each worker in a second; 0 means the default of
	// the workload.
	WorkloadRate float64
	// WorkloadConcurrency is the number of workers of each sort; 0 means the default of the
	// workload.
	WorkloadConcurrency int
}

// settings collects the values of options from all sources, before they are combined.
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

// loopbackAddress tells whether an address is localhost or a loopback address, with a port.
func loopbackAddress(addr string) bool {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// resolve calculates the values that depend on more than one option.
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
	// As in MySQL, the server's files are in the data directory unless their path is absolute.
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
		// With a workload, waits are on by default, so that the workload can be seen.
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

// Apply sets the registry's switches and sizes as the options say. Threads that have started keep
// the size of their history.
func Apply(o Options, reg *instr.Registry) error {
	if err := o.checkSizes(); err != nil {
		return err
	}
	for l, n := range o.Limits {
		reg.Setup().SetLimit(l, n)
	}
	waits := false
	for _, setting := range o.Instruments {
		pattern, value, err := parseInstrument(setting)
		if err != nil {
			return err
		}
		reg.Setup().AddPattern(pattern, value)
		if value != instr.PatternOff && (strings.HasPrefix(pattern, "wait/") || strings.HasPrefix(pattern, "%")) {
			waits = true
		}
	}
	if _, said := o.Consumers[instr.ConsumerEventsWaitsCurrent.String()]; waits && !said {
		reg.Setup().SetConsumer(instr.ConsumerEventsWaitsCurrent, true) // who asks for waits asks what waits
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

// EveryAddress tells whether a host means every address of the machine.
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
