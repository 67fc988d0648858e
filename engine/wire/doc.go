// Package wire has what lies between the server and its clients: the sockets, the framing of
// packets, the handshake, TLS, signing in.
//
// Package engine opens a [Listener] with the sockets that the options name, and gives it to vitess,
// which parses the packets of each [Conn] and calls the server. A Conn follows the packets in both
// directions: it refuses commands that vitess must not see, answers commands that vitess does not
// know or answers differently from MySQL, and lets the server write rows past vitess ([Packets]).
// Its [Session] is the server's side of the connection. The comments call vitess the protocol
// layer. The package calls accounts and throttle (who may sign in), certs (TLS), sysvar (settings),
// errorlog, and tables (the rows of host_cache and tls_channel_status).
//
// Map: listener.go (sockets, the limit of connections), opening.go (from the first packet to the
// login), authentication.go (passwords), halfopen.go (clients that have not signed in),
// handshake.go (fields of packets), conn.go (framing), wholecommands.go (commands that are checked
// before vitess sees them), values.go (their values), owncommands.go (commands answered here), packets.go, ok.go and columns.go
// (packets for the client), temporal.go (dates and times of clients), waits.go (time limits),
// tls.go, tls_status.go, hostcache.go, direct.go (sockets past Go's scheduler). Begin reading at
// conn.go.
//
// A Conn is owned by its goroutine, except where a method says otherwise; all else is safe for
// concurrent use.
//
// Called by many packages of engine.
package wire
