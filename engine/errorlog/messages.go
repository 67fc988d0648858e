package errorlog

import (
	"fmt"
	"log/slog"
)

// Priority is the priority of a line of the error log; log_error_verbosity drops the higher values
// first.
type Priority uint8

const (
	System Priority = iota
	Error
	Warning
	Note
)

// priorities are the names of the priorities, in the log's lines and in the table error_log.
var priorities = [...]struct {
	line, row string
	level     slog.Level
}{
	System: {"System", "System", slog.LevelInfo}, Error: {"ERROR", "Error", slog.LevelError},
	Warning: {"Warning", "Warning", slog.LevelWarn}, Note: {"Note", "Note", slog.LevelInfo},
}

// A Message is a message of the error log, with MySQL's number and text.
type Message struct {
	Code     int
	Priority Priority
	Format   string // for fmt
}

// ProgramName is the server's name in its log.
const ProgramName = "pfsd"

// The lines of the error log. Those with a number below 10000 are errors of statements, too.
var (
	InternalError      = Message{1815, Error, "Internal error: %s"}
	UnknownPersisted   = Message{3784, Warning, "Currently unknown variable '%s' was read from the persisted config file."}
	EmptyPassword      = Message{10453, Warning, "%s can sign in with an empty password ! Please consider giving a password."}
	OpenEndpoint       = Message{10000, Error, "%s"}
	GeneratedPassword  = Message{10453, System, "GENERATED ROOT PASSWORD: %s"}
	EventFailed        = Message{10045, Error, "Event Scheduler: %s"}
	UnresolvedIP       = Message{10055, Warning, "IP address '%s' could not be resolved: %s"}
	UnresolvedHost     = Message{10056, Warning, "Host name '%s' could not be resolved: %s"}
	HostLikeIP         = Message{10057, Warning, "IP address '%s' has been resolved to the host name '%s', which resembles IPv4-address itself."}
	HostMismatch       = Message{10058, Warning, "Hostname '%s' does not resolve to '%s'."}
	SelfSigned         = Message{10068, Warning, "CA certificate %s is self signed."}
	NewUUID            = Message{10075, Warning, "No existing UUID has been found, so we assume that this is the first time that this server has been started. Generating a new UUID: %s."}
	NoFileDirectory    = Message{10095, Error, "%s"} // the error that New returns
	Starting           = Message{10116, System, "%s (mysqld %s) starting as process %d"}
	Aborting           = Message{10119, Error, "Aborting"}
	CannotBindTCP      = Message{10262, Error, "Can't start server: Bind on TCP/IP port: %s"}
	CannotBindUnix     = Message{10270, Error, "Can't start server : Bind on unix socket: %s"}
	AttributesLost     = Message{10288, Warning, "Connection attributes of length %d were truncated (%d bytes lost) for connection %d, user %s@%s (as %s), auth: %s"}
	CertsSkipped       = Message{10303, Note, "Skipping generation of SSL certificates as options related to SSL are specified."}
	CertsExist         = Message{10304, Note, "Skipping generation of SSL certificates as certificate files are present in data directory."}
	CertsSaved         = Message{10305, Note, "Auto generated SSL certificates are placed in data directory."}
	CertsDisabled      = Message{10306, Note, "Skipping generation of SSL certificates as --auto_generate_certs is set to OFF."}
	ForcedClose        = Message{10909, Warning, "%s: Forcing close of thread %d  user: '%s'. Its statement cannot be stopped: %.1000s"}
	ShutdownComplete   = Message{10910, System, "%s: Shutdown complete (mysqld %s)  %s."}
	Aborted            = Message{10914, Note, "Aborted connection %d to db: '%s' user: '%s' host: '%s' (%s)."}
	AccessDenied       = Message{10926, Note, "%s"} // the error that the client gets
	Ready              = Message{10931, System, "%s: ready for connections. Version: '%s'  socket: '%s'  port: %d  %s."}
	DeadlockFound      = Message{12468, Note, "Transactions deadlock detected, dumping detailed information.\n%s"}
	ShutdownRequested  = Message{13172, System, "Received %s from user %s. Shutting down mysqld (Version: %s)."}
	AdminReady         = Message{13292, System, "Admin interface ready for connections, address: '%s'  port: %d"}
	NoTLS              = Message{13595, Warning, "Failed to initialize TLS for channel: %s. See below for the description of exact issue."}
	TLSOn              = Message{13602, System, "Channel %s configured to support TLS. Encrypted connections are now supported for this channel."}
	IdleTimeout        = Message{13730, Note, "'wait_timeout' period of %d seconds was exceeded for %s. The idle time since last command was too long."}
	DataDirectory      = Message{10000, Warning, "%s"}
	StorageFailed      = Message{10000, Error, "Users' tables: %s"}
	StorageRecovered   = Message{10000, System, "Users' tables: %s"}
	QueryLogFailed     = Message{10000, Error, "%s"}
	Status             = Message{10000, System, "Status information: %s"}
	WorkloadOrProtocol = Message{10000, Warning, "%s"}
)

// A StartError is the error with which a server fails to start, with the message for its log.
type StartError struct {
	err     error
	Message Message
}

// NewStartError returns err as a StartError with message m, whose format has one verb.
func NewStartError(err error, m Message) *StartError { return &StartError{err, m} }

// Error implements error.
func (e *StartError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.err }

// errorCode returns a number as the table error_log and the log's lines write it.
func errorCode(code int) string { return fmt.Sprintf("MY-%06d", code) }
