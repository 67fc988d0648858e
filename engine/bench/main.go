// Bench measures the server. "bench throughput" is what it loses by being watched: the
// default instruments and everything on, against everything off. "bench mariadb" measures
// reading beside MariaDB.
//
// Files: throughput.go and mariadb.go, the two of them.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "bench throughput [OPTION...]\nbench mariadb [OPTION...]")
	}
	flag.Parse()
	var err error
	switch flag.Arg(0) {
	case "throughput":
		err = throughput(flag.Args()[1:])
	case "mariadb":
		err = mariadb(flag.Args()[1:])
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
