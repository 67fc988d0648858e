package tables

import (
	"time"
)

// HostError is a kind of errors that prevent clients from connecting, or the server from finding
// their names.
type HostError uint8

// The kinds of errors, in the order of their columns.
const (
	HostBlocked HostError = iota
	HostNameinfoTransient
	HostNameinfoPermanent
	HostFormat
	HostAddrinfoTransient
	HostAddrinfoPermanent
	HostFCrDNS
	HostACL
	HostNoAuthPlugin
	HostAuthPlugin
	HostHandshake
	HostProxyUser
	HostProxyUserACL
	HostAuthentication
	HostSSL
	HostMaxUserConnections
	HostMaxUserConnectionsPerHour
	HostDefaultDatabase
	HostInitConnect
	HostLocal
	HostAccountLocked
	HostTemporaryAccountLocked
	HostUnknown
	HostErrorCount
)

// HostCacheRow is an address from which clients have connected.
type HostCacheRow struct {
	IP        string
	Host      string // "" if the address has no name
	Validated bool
	// ConnectErrors are the blocking errors since the last success, and Errors all errors, by kind.
	ConnectErrors int64
	Errors        [HostErrorCount]int64
	// FirstError and LastError are zero if there was none.
	First, Last, FirstError, LastError time.Time
}

// The addresses that clients have come from over TCP, other than the machine's own 127.0.0.1 and
// ::1; what is known of their names; and what kept them from connecting. TRUNCATE forgets them
// all, and lets in who was blocked.
//
// MySQL: performance_schema.host_cache, since 5.6.
var _ = register(Def[*HostCacheRow]{
	Name:     "host_cache",
	Doc:      "The addresses of clients, with their names and what went wrong.",
	Recorded: OfServer,
	Columns: []Column[*HostCacheRow]{
		{Name: "IP", Kind: varchar(64), Get: func(r *HostCacheRow) Value { return Text(r.IP) }, Doc: "The address."},
		{Name: "HOST", Kind: varchar(255).nullable().asciiText(), Get: func(r *HostCacheRow) Value { return textOrNull(r.Host) }, Doc: "Its name; NULL if it has none, or none that leads back to it."},
		{Name: "HOST_VALIDATED", Kind: yesNo, Get: func(r *HostCacheRow) Value { return yes(r.Validated) }, Doc: "YES if it need not be asked for its name again."},
		{Name: "SUM_CONNECT_ERRORS", Kind: bigint, Get: func(r *HostCacheRow) Value { return Int(r.ConnectErrors) }, Doc: "How many handshakes have failed since a client got in; more than max_connect_errors block the address."},
		hostErrors("COUNT_HOST_BLOCKED_ERRORS", HostBlocked, "connections that were refused because the address is blocked."),
		hostErrors("COUNT_NAMEINFO_TRANSIENT_ERRORS", HostNameinfoTransient, "searches for the name that failed this time."),
		hostErrors("COUNT_NAMEINFO_PERMANENT_ERRORS", HostNameinfoPermanent, "searches for the name that found that there is none."),
		hostErrors("COUNT_FORMAT_ERRORS", HostFormat, "names that look like addresses."),
		hostErrors("COUNT_ADDRINFO_TRANSIENT_ERRORS", HostAddrinfoTransient, "searches for the addresses of the name that failed this time."),
		hostErrors("COUNT_ADDRINFO_PERMANENT_ERRORS", HostAddrinfoPermanent, "searches for the addresses of the name that found none."),
		hostErrors("COUNT_FCRDNS_ERRORS", HostFCrDNS, "names that do not lead back to the address."),
		hostErrors("COUNT_HOST_ACL_ERRORS", HostACL, "connections from where no user may connect."),
		hostErrors("COUNT_NO_AUTH_PLUGIN_ERRORS", HostNoAuthPlugin, "requests for an authentication plugin that there is not."),
		hostErrors("COUNT_AUTH_PLUGIN_ERRORS", HostAuthPlugin, "failures of authentication plugins."),
		hostErrors("COUNT_HANDSHAKE_ERRORS", HostHandshake, "openings of connections that the protocol does not have."),
		hostErrors("COUNT_PROXY_USER_ERRORS", HostProxyUser, "proxies of users that do not exist."),
		hostErrors("COUNT_PROXY_USER_ACL_ERRORS", HostProxyUserACL, "proxies of users whom they may not stand for."),
		hostErrors("COUNT_AUTHENTICATION_ERRORS", HostAuthentication, "users who failed to prove who they are."),
		hostErrors("COUNT_SSL_ERRORS", HostSSL, "connections not encrypted as their account demands."),
		hostErrors("COUNT_MAX_USER_CONNECTIONS_ERRORS", HostMaxUserConnections, "connections beyond what a user may have at a time."),
		hostErrors("COUNT_MAX_USER_CONNECTIONS_PER_HOUR_ERRORS", HostMaxUserConnectionsPerHour, "connections beyond what a user may open in an hour."),
		hostErrors("COUNT_DEFAULT_DATABASE_ERRORS", HostDefaultDatabase, "connections to a database that there is not, or is not the user's."),
		hostErrors("COUNT_INIT_CONNECT_ERRORS", HostInitConnect, "failures of the statements in init_connect."),
		hostErrors("COUNT_LOCAL_ERRORS", HostLocal, "failures of the server itself."),
		hostErrors("COUNT_ACCOUNT_LOCKED_ERRORS", HostAccountLocked, "logins to a locked account.").since(9),
		hostErrors("COUNT_TEMPORARY_ACCOUNT_LOCKED_ERRORS", HostTemporaryAccountLocked, "logins to an account that is locked for a time, after wrong passwords.").since(9),
		hostErrors("COUNT_UNKNOWN_ERRORS", HostUnknown, "failures of any other sort."),
		{Name: "FIRST_SEEN", Kind: timestamp(0), Get: func(r *HostCacheRow) Value { return Time(r.First) }, Doc: "When a client first came from there."},
		{Name: "LAST_SEEN", Kind: timestamp(0), Get: func(r *HostCacheRow) Value { return Time(r.Last) }, Doc: "When a client last came from there."},
		{Name: "FIRST_ERROR_SEEN", Kind: timestamp(0).nullable(), Get: func(r *HostCacheRow) Value { return timeOrNull(r.FirstError) }, Doc: "When the first error was; NULL if there was none."},
		{Name: "LAST_ERROR_SEEN", Kind: timestamp(0).nullable(), Get: func(r *HostCacheRow) Value { return timeOrNull(r.LastError) }, Doc: "When the last error was; NULL if there was none."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"IP"}, Unique: true}, {Name: "HOST", Columns: []string{"HOST"}}},
	Estimate: func(Model) int { return 128 },
	Rows: providedIf(func(key Key, r *HostCacheRow) bool {
		return key.allows("IP", Text(r.IP)) && key.allows("HOST", textOrNull(r.Host))
	}),
	Truncate: truncateProvided[HostCacheRow],
})

// hostErrors is the column of a kind of errors; doc says what is counted.
func hostErrors(name string, sort HostError, doc string) Column[*HostCacheRow] {
	return Column[*HostCacheRow]{Name: name, Kind: bigint, Get: func(r *HostCacheRow) Value { return Int(r.Errors[sort]) }, Doc: "How many " + doc}
}

// timeOrNull is a moment, or NULL for the zero time.
func timeOrNull(t time.Time) Value {
	if t.IsZero() {
		return Null
	}
	return Time(t)
}
