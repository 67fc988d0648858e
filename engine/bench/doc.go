// Bench measures the server.
//
// "bench throughput" measures what the server loses by its own instrumentation: the default
// instruments, and everything on, compared with everything off. "bench connections" measures the
// memory of idle clients, "bench starting" how long a program takes to start that has the server
// inside. "bench summing" and "bench switching" measure reading the summary tables and updating
// setup_instruments with ten thousand threads while others work. "bench mariadb" compares reading
// with MariaDB, "bench sysbench" compares sysbench's transactions on users' tables, and "bench
// loading" compares filling a table. "bench ratios" measures all figures that are ratios, compares
// them with a file, and fails if a figure has become worse. "bench against" compares the costs of a
// revision with those of the working tree by turns, and fails if one has risen by more than noise.
//
// Files: main.go chooses the measurement; row.go prints; server.go starts the server that is
// measured; crowd.go starts its threads; each measurement has a file of its own; bounds.go measures
// the server's limits for ratio.go, and history.go what samples and buckets cost; load.go is the client of throughput.go, a separate process;
// raw_client.go is the client of mariadb.go; against.go compares, against_costs.go and against_woven.go
// have what is compared.
//
// Called by people, as a command. Calls bench/ratios, bench/readings, bench/signin, engine, instr, tables and
// timers. Begin reading with main.go.
package main
