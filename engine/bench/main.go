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
	"against":     against,
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
