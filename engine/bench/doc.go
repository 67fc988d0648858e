// Bench measures the server. "bench throughput" is what it loses by being watched: the default
// instruments and everything on, against everything off. "bench connections" is the memory of idle
// clients, "bench starting" what a program with an endpoint in it takes to start. "bench summing" and
// "bench switching" are the summary tables and setup_instruments of ten thousand threads while others
// work. "bench mariadb" measures reading beside MariaDB, "bench sysbench" sysbench's transactions on
// users' tables, "bench loading" how fast a table is filled. "bench ratios" compares what can be said in
// ratios with a file of them, and fails where something has become worse.
//
// Files: main.go the choice; row.go what is printed; server.go the server under measurement; crowd.go its
// threads; one for each of the above; bounds.go what ratio.go measures of the server's bounds; load.go
// the client of throughput.go, a process of its own; raw_client.go that of mariadb.go.
//
// Called by people, as a command. Calls bench/ratios, bench/readings, engine, instr, tables and
// timers. Begin reading with main.go.
package main
