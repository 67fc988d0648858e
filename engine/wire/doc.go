// Package wire is what goes between the server and its clients: the sockets, the framing of packets, the handshake, TLS, signing in.
//
// Package engine opens a [Listener] with the sockets that the options ask for and gives it to vitess, which parses the packets of
// each [Conn] and calls the server. A Conn follows the packets in both directions: it refuses what vitess must not see, answers the
// commands that vitess does not know or answers otherwise than MySQL, and has rows written past it ([Packets]). What the server
// makes of a connection it asks its [Session]. The package calls accounts and throttle (who may sign in), certs (TLS), sysvar
// (settings), errorlog, and tables (the rows of host_cache and tls_channel_status).
//
// Map: listener.go (sockets, how many connections there may be), opening.go (from the first packet to the login), authentication.go
// (passwords), halfopen.go (who has not signed in), handshake.go (fields of packets), conn.go (framing), wholecommands.go (commands
// that are held back until they are judged), owncommands.go (commands answered here), packets.go and columns.go (what is
// written), waits.go (time limits), tls.go, tls_status.go, hostcache.go, direct.go (sockets past Go's scheduler). Begin reading at
// conn.go.
//
// A Conn is owned by its goroutine, except where a method says otherwise; all else is safe for concurrent use.
//
// Called by many packages of engine.
package wire
