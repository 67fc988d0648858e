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
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"
)

var commands = map[string]func(args []string) error{
	"throughput":  throughput,
	"load":        load,
	"connections": connections,
	"summing":     summing,
	"switching":   switching,
	"mariadb":     mariadb,
	"sysbench":    sysbench,
	"loading":     loading,
	"ratios":      ratio,
	"starting":    starting,
}

func main() {
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "bench %s [OPTION...]\n", strings.Join(slices.Sorted(maps.Keys(commands)), "|"))
	}
	flag.Parse()
	command := commands[flag.Arg(0)]
	if command == nil {
		flag.Usage()
		os.Exit(2)
	}
	_ = mysql.SetLogger(&mysql.NopLogger{})
	if err := command(flag.Args()[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
