// Package engine is the server: performance_schema, and users' databases in memory
// beside it, for any MySQL client, over TCP and a unix socket.
//
//	s, err := engine.New(engine.Options{Addr: "127.0.0.1:3307", Init: []string{
//		"CREATE USER dba IDENTIFIED BY '...'", "GRANT ALL ON *.* TO dba",
//	}})
//	...
//	err = s.Serve(ctx) // until ctx ends
//
// It is the only package that knows go-mysql-server, which parses, plans and executes,
// and vitess, which speaks the protocol. One goroutine does all the work of a
// connection, and is that connection's thread in the tables; results stream in constant
// memory; a panic costs one statement. The server's own locks, files, sockets and
// workers are instrumented like those of any program.
//
// A statement's way: listener (sockets) - wire (framing of one connection) - handler
// (commands) - stream (execution, rows to the client) - builder (which parts of a plan
// are ours) - scan, aggregate, equality, index, update, insert, delete (one virtual table) -
// table (its schema).
// Beside it: client (the connections, process list, KILL), watch (clients that vanish),
// privileges (who may do what), status; as packages config (options), sysvar (system variables),
// mysqlerr (MySQL's numbers and texts) and errorlog. Subpackage compat mends what go-mysql-server does differently.
package engine

import _ "pfsd/engine/buildtag" // the error of a build without the tag gms_pure_go
