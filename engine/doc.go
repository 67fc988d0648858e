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
// A statement goes through wire (sockets and packets of one connection), connection (commands and statements), parsing (syntax trees),
// plancache (plans, kept and new), connection's builder (who builds which node of a plan) with vtable (one table of
// performance_schema), and results (rows to the client). In this package is what a server has once: its options, how its parts are put together,
// and how it starts and stops.
//
// The packages below, from the bottom up. Limits of what clients can cost: bounds, budget, charge, processor, throttle. Who may do what:
// accounts, privilege, access, mysqldb, rights. Files: datadir, errorlog, certs, clientfiles, serverfiles, querylog. go-mysql-server
// mended, functions that no client needs, and MySQL's errors: mends (the list), syntax, grammar, sqlvalue, sqlexpr, builtins, resultsize, alldigits, executor, sqltree, routine,
// planning, globals, mysqlfuncs, mysqlerr, panics. Variables and options: sysvar,
// config, uservars. What SQL shows: moment, functions, sysschema, infoschema, explain, vtable, status, datalocks. Users' databases: txkv,
// storage (what keeps them, on Pebble), usertables (what observes them), catalog (all databases and functions). A statement: parsing,
// statements (what kind it is), kept (its values), plancache (its plan), nodes (who builds which node of the plan), tableuse (the tables
// that it uses), metering (the memory of its plan), results (its rows), prepared (prepared statements), programs (stored programs), stages,
// diagnostics, profiling. A session: session (its locks and transaction), mdl (metadata locks), userlocks.
// All sessions: wire (between server and clients), processlist, scheduler (of events). For looking, measuring and tests: workload, bench,
// neighbour. One client: connection. cmd/pfsd/deps_test.go holds the code to their order, and the doc.go of each says where to begin reading.
//
// Another engine of go-mysql-server in the same program is left as it is (TestNeighbour), but for what that library has once for a
// process: the log functions of vitess are silent, the handler of privileges lets other engines do everything, as they do without it,
// and a few function names that nobody can write count as aggregates.
//
// Called by cmd/pfsd and by programs that serve their own tables. Calls most of the packages that
// stand above it in cmd/pfsd/deps_test.go. Begin reading with server.go.
package engine

import _ "pfsd/engine/buildtag" // the error of a build without the tag gms_pure_go
