package engine

import "fmt"

// logPriority is how bad a line of the error log is, and how seldom it is left out.
type logPriority uint8

const (
	logSystem logPriority = iota
	logError
	logWarning
	logNote
)

// logPriorities are the names of the priorities, in the log's lines and in the table error_log.
var logPriorities = [...]struct{ line, row string }{
	logSystem: {"System", "System"}, logError: {"ERROR", "Error"}, logWarning: {"Warning", "Warning"}, logNote: {"Note", "Note"},
}

// A logMessage is what the error log can say, under MySQL's number and in its words.
type logMessage struct {
	code     int
	priority logPriority
	format   string // of its arguments
}

// programName is what the server calls itself in its log.
const programName = "pfsd"

// The lines of the error log. Those with a number below 10000 are errors of statements, too.
var (
	logInternalError      = logMessage{1815, logError, "Internal error: %s"}
	logUnknownPersisted   = logMessage{3784, logWarning, "Currently unknown variable '%s' was read from the persisted config file."}
	logEmptyPassword      = logMessage{10453, logWarning, "%s can sign in with an empty password ! Please consider giving a password."}
	logOpenEndpoint       = logMessage{10000, logError, "%s"}
	logGeneratedPassword  = logMessage{10453, logSystem, "GENERATED ROOT PASSWORD: %s"}
	logEventFailed        = logMessage{10045, logError, "Event Scheduler: %s"}
	logUnresolvedIP       = logMessage{10055, logWarning, "IP address '%s' could not be resolved: %s"}
	logUnresolvedHost     = logMessage{10056, logWarning, "Host name '%s' could not be resolved: %s"}
	logHostLikeIP         = logMessage{10057, logWarning, "IP address '%s' has been resolved to the host name '%s', which resembles IPv4-address itself."}
	logHostElsewhere      = logMessage{10058, logWarning, "Hostname '%s' does not resolve to '%s'."}
	logSelfSigned         = logMessage{10068, logWarning, "CA certificate %s is self signed."}
	logNewUUID            = logMessage{10075, logWarning, "No existing UUID has been found, so we assume that this is the first time that this server has been started. Generating a new UUID: %s."}
	logNoFileDirectory    = logMessage{10095, logError, "%s"} // the error that New returns
	logStarting           = logMessage{10116, logSystem, "%s (mysqld %s) starting as process %d"}
	logAborting           = logMessage{10119, logError, "Aborting"}
	logCannotBindTCP      = logMessage{10262, logError, "Can't start server: Bind on TCP/IP port: %s"}
	logCannotBindUnix     = logMessage{10270, logError, "Can't start server : Bind on unix socket: %s"}
	logAttributesLost     = logMessage{10288, logWarning, "Connection attributes of length %d were truncated (%d bytes lost) for connection %d, user %s@%s (as %s), auth: %s"}
	logCertsPrevented     = logMessage{10303, logNote, "Skipping generation of SSL certificates as options related to SSL are specified."}
	logCertsThere         = logMessage{10304, logNote, "Skipping generation of SSL certificates as certificate files are present in data directory."}
	logCertsSaved         = logMessage{10305, logNote, "Auto generated SSL certificates are placed in data directory."}
	logCertsDisabled      = logMessage{10306, logNote, "Skipping generation of SSL certificates as --auto_generate_certs is set to OFF."}
	logForcedClose        = logMessage{10909, logWarning, "%s: Forcing close of thread %d  user: '%s'. Its statement cannot be stopped: %.1000s"}
	logShutdownComplete   = logMessage{10910, logSystem, "%s: Shutdown complete (mysqld %s)  %s."}
	logAborted            = logMessage{10914, logNote, "Aborted connection %d to db: '%s' user: '%s' host: '%s' (%s)."}
	logAccessDenied       = logMessage{10926, logNote, "%s"} // the error that the client gets
	logReady              = logMessage{10931, logSystem, "%s: ready for connections. Version: '%s'  socket: '%s'  port: %d  %s."}
	logShutdownRequested  = logMessage{13172, logSystem, "Received %s from user %s. Shutting down mysqld (Version: %s)."}
	logAdminReady         = logMessage{13292, logSystem, "Admin interface ready for connections, address: '%s'  port: %d"}
	logNoTLS              = logMessage{13595, logWarning, "Failed to initialize TLS for channel: %s. See below for the description of exact issue."}
	logTLSOn              = logMessage{13602, logSystem, "Channel %s configured to support TLS. Encrypted connections are now supported for this channel."}
	logWaitedTooLong      = logMessage{13730, logNote, "'wait_timeout' period of %d seconds was exceeded for %s. The idle time since last command was too long."}
	logDataDirectory      = logMessage{10000, logWarning, "%s"}
	logStatus             = logMessage{10000, logSystem, "Status information: %s"}
	logWorkloadOrProtocol = logMessage{10000, logWarning, "%s"}
)

// A startError is why a server does not start, and how its log says so.
type startError struct {
	error
	message logMessage
}

// Unwrap returns what happened.
func (e *startError) Unwrap() error { return e.error }

// errorCode is how the table error_log and the log's lines write a number.
func errorCode(code int) string { return fmt.Sprintf("MY-%06d", code) }
