// Package engine is the server: performance_schema, and users' databases
// beside it, for any MySQL client, over TCP and a unix socket.
//
//	s, err := engine.New(engine.Options{Addr: "127.0.0.1:3307", Init: []string{
//		"CREATE USER dba IDENTIFIED BY '...'", "GRANT ALL ON *.* TO dba",
//	}})
//	...
//	err = s.Serve(ctx) // until ctx ends
//
// It puts together go-mysql-server, which parses, plans and executes, vitess, which speaks the protocol, and the packages
// below. One goroutine does all the work of a connection, and is that connection's thread in the tables; results stream in
// constant memory; a panic costs one statement. The server's own locks, files, sockets and workers are instrumented like those
// of any program.
//
// A statement's way: wire (sockets, framing of one connection) - handler (commands) - stream (execution, rows to the
// client) - builder (who builds which node of a plan) - vtable (one table of performance_schema). Beside it: client (the
// connections, process list, KILL), watch (clients that vanish), metadata_locks, program, trigger and events (stored programs).
//
// The packages below, from the bottom up: bounds, budget, charge, processor, throttle (limits of what clients can cost); accounts,
// privilege, access, mysqldb (who may do what); datadir, errorlog, certs, clientfiles (files); mdl (metadata locks); syntax,
// compat, mysqlfuncs, mysqlerr (go-mysql-server mended, functions that no client needs, and MySQL's errors); sysvar, config (system
// variables, options); moment, functions, sysschema, infoschema, explain, vtable (what SQL shows); usertables (users' databases, and
// what observes them); session (a session's locks and transaction); statements (what kind a statement is), rights (what it needs),
// diagnostics (what it raises), profiling; wire (between server and clients); nodes (who builds which node of a plan); workload, bench,
// txkv, storage (what keeps users' tables, on Pebble); neighbour (for looking, measuring and tests). cmd/pfsd/deps_test.go holds the code to their order.
//
// Another engine of go-mysql-server in the same program is left as it is (TestNeighbour), but for what that library has once for a
// process: the log functions of vitess are silent, the handler of privileges lets other engines do everything, as they do without it,
// and a few function names that nobody can write count as aggregates.
package engine

import _ "pfsd/engine/buildtag" // the error of a build without the tag gms_pure_go
