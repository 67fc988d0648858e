package wire

import (
	"crypto/tls"
	"math"
	"strconv"
	"strings"
	"time"

	"pfsd/engine/config"
	"pfsd/tables"
)

// A TLSProperty is a property of a channel: a row of tls_channel_status, and a status variable.
type TLSProperty struct{ Name, Value string }

// certificateTime is MySQL's format for the times at which a certificate begins and ends.
const certificateTime = "Jan _2 15:04:05 2006 GMT"

// verifyPeerOnce is OpenSSL's number for a server that asks a client for its certificate, once.
const verifyPeerOnce = 5

// ticketTime is how long a session of TLS can be resumed. Go sets it.
const ticketTime = 7 * 24 * time.Hour

// Properties returns the properties of the channel in MySQL's order. Those about the server as a
// client, and about a cache of sessions on the server, are 0: the clients keep the sessions.
func (c *Channel) Properties() []TLSProperty {
	x := c.current.Load()
	number := func(n uint64) string { return strconv.FormatUint(n, 10) }
	var ca, cert, key, versions, notAfter, notBefore, ciphers, suites string
	depth, mode, timeout, cache := uint64(0), uint64(0), uint64(0), "NONE"
	if x != nil {
		ca, cert, key, versions = x.ca, x.cert, x.key, x.versions
		notAfter, notBefore = x.certificates.Leaf.NotAfter.UTC().Format(certificateTime), x.certificates.Leaf.NotBefore.UTC().Format(certificateTime)
		ciphers, suites = cipherList(false), cipherList(true)
		if x.certificates.CA != nil {
			depth, mode = math.MaxUint64, verifyPeerOnce
		}
		if !x.config.SessionTicketsDisabled {
			cache, timeout = "SERVER", uint64(ticketTime/time.Second)
		}
	}
	return []TLSProperty{
		{"Ssl_accept_renegotiates", "0"},
		{"Ssl_accepts", number(c.accepts.Load())},
		{"Ssl_callback_cache_hits", "0"},
		{"Ssl_client_connects", "0"},
		{"Ssl_connect_renegotiates", "0"},
		{"Ssl_ctx_verify_depth", number(depth)},
		{"Ssl_ctx_verify_mode", number(mode)},
		{"Current_tls_ca", ca},
		{"Current_tls_capath", ""},
		{"Current_tls_cert", cert},
		{"Current_tls_cipher", ciphers},
		{"Current_tls_ciphersuites", suites},
		{"Current_tls_crl", ""},
		{"Current_tls_crlpath", ""},
		{"Current_tls_key", key},
		{"Current_tls_version", versions},
		{"Ssl_finished_accepts", number(c.finished.Load())},
		{"Ssl_finished_connects", "0"},
		{"Ssl_server_not_after", notAfter},
		{"Ssl_server_not_before", notBefore},
		{"Ssl_session_cache_hits", number(c.reused.Load())},
		{"Ssl_session_cache_misses", "0"},
		{"Ssl_session_cache_mode", cache},
		{"Ssl_session_cache_overflows", "0"},
		{"Ssl_session_cache_size", "0"},
		{"Ssl_session_cache_timeouts", "0"},
		{"Ssl_used_session_cache_entries", "0"},
		{"Ssl_session_cache_timeout", number(timeout)},
	}
}

// cipherList lists the ciphers that the server accepts, of TLS 1.3 or of TLS 1.2, as OpenSSL does.
func cipherList(tls13 bool) string {
	var names []string
	for _, s := range tls.CipherSuites() {
		if (s.SupportedVersions[0] == tls.VersionTLS13) == tls13 && (tls13 || strings.HasPrefix(s.Name, "TLS_ECDHE_")) {
			names = append(names, cipherName(s.ID))
		}
	}
	return strings.Join(names, ":")
}

// Rows returns the rows of tls_channel_status: for the channel of clients, and for that of
// administrators, which does not exist here.
func (c *Channel) Rows(tables.Key) []tables.TLSChannelRow {
	return append(channelRows(channelName, c), channelRows("mysql_admin", new(Channel))...)
}

func channelRows(name string, c *Channel) []tables.TLSChannelRow {
	enabled := "No"
	if c.On() {
		enabled = "Yes"
	}
	rows := []tables.TLSChannelRow{{Channel: name, Property: "Enabled", Value: enabled}}
	for i, p := range c.Properties() {
		if i == 0 {
			p.Name = "ssl_accept_renegotiates" // only the table writes it so
		}
		rows = append(rows, tables.TLSChannelRow{Channel: name, Property: p.Name, Value: p.Value})
	}
	return rows
}

// ServerName returns the name of the server that the client has asked for in TLS, "" for none.
func (w *Conn) ServerName() string {
	if w.tls == nil {
		return ""
	}
	return w.tls.ConnectionState().ServerName
}

// TLSSession returns the properties of one connection, by the names of the session's status
// variables. A connection in clear text has no version and no cipher.
func (w *Conn) TLSSession() []TLSProperty {
	var version, cipher, reused, ciphers string
	reused = "0"
	if w.tls != nil {
		state := w.tls.ConnectionState()
		version, cipher = config.TLSVersionName(state.Version), cipherName(state.CipherSuite)
		ciphers = cipherList(true)
		if state.Version == tls.VersionTLS12 {
			ciphers = cipherList(false)
		}
		if state.DidResume {
			reused = "1"
		}
	}
	return []TLSProperty{
		{"Ssl_cipher", cipher}, {"Ssl_cipher_list", ciphers}, {"Ssl_sessions_reused", reused}, {"Ssl_version", version},
	}
}
